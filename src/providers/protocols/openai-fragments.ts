import { isObject, type JsonObject, list, text } from '../../core/json.ts';
import type { Json } from '../../core/types.ts';
import { addPart, type Draft, extend, grow, MAX_PARTS, type Part } from '../draft.ts';
import { Beyond } from '../errors.ts';
import { get, tryJson } from '../json.ts';

/** How the pieces of a Chat Completions message come together, with all that servers get wrong about it. */

/** Keys of what has no index of its own. */
const TEXT = -1;
const DETAILS = -2;
const EXTRA = -3;

export function addText(draft: Draft, piece: string): void {
  if (piece === '') return;
  const last = draft.parts.findLast((part) => part.kind === 'text' || part.kind === 'call');
  grow(draft, last?.kind === 'text' ? last : addPart(draft, 'text', TEXT), piece);
}

/** `field` is where the server put it, which is where it may want it back. */
export function addReasoning(draft: Draft, piece: string, field: string): void {
  if (piece === '') return;
  const last = draft.parts.at(-1);
  const part = last?.kind === 'thinking' ? last : addPart(draft, 'thinking', TEXT);
  part.name = field;
  part.done = true;
  grow(draft, part, piece);
}

/** Fields of the message itself that go back as they came. */
export function keepExtra(draft: Draft, wire: JsonObject, key = EXTRA): void {
  const part = draft.parts.find((other) => other.key === key) ?? addPart(draft, 'other', key);
  part.wire = wire;
  part.done = true;
}

/** OpenRouter's reasoning: pieces of one index and kind are one entry. */
export function addDetail(draft: Draft, piece: JsonObject): void {
  const before = list(get(draft.parts.find((part) => part.key === DETAILS)?.wire, 'reasoning_details'));
  if (before.length >= MAX_PARTS) throw new Beyond(`it has more than ${MAX_PARTS} pieces of reasoning.`);
  const last = before.at(-1);
  const same = isObject(last) && last['index'] === piece['index'] && last['type'] === piece['type'];
  keepExtra(
    draft,
    { reasoning_details: same ? [...before.slice(0, -1), merge(last, piece)] : [...before, piece] },
    DETAILS,
  );
}

function merge(entry: JsonObject, piece: JsonObject): JsonObject {
  const merged: { [key: string]: Json } = { ...entry };
  for (const [key, value] of Object.entries(piece)) {
    const grows = key === 'text' || key === 'summary' || key === 'data';
    if (grows && typeof value === 'string') merged[key] = text(entry[key]) + value;
    else if (value !== null) merged[key] = value;
  }
  return merged;
}

/** A piece of a call. Index, id and name are each missing, repeated, shared or split somewhere in the field. */
export function addFragment(draft: Draft, fragment: Json): void {
  const id = text(get(fragment, 'id'));
  const name = text(get(fragment, 'function', 'name'));
  const given = get(fragment, 'function', 'arguments');
  const source = isObject(given) ? JSON.stringify(given) : text(given);
  const open = openCall(draft, get(fragment, 'index'), id);
  const part = open && continues(open, id, name, source) ? open : begin(draft, get(fragment, 'index'), open);
  if (part.vendorId === '') part.vendorId = id;
  addName(draft, part, name || (part === open ? '' : (open?.name ?? '')));
  const extra = get(fragment, 'extra_content');
  if (isObject(extra)) part.wire = { ...part.wire, extra_content: extra };
  extend(draft, part, source);
}

const isCall = (part: Part): boolean => part.kind === 'call';

function openCall(draft: Draft, index: Json | undefined, id: string): Part | undefined {
  if (typeof index === 'number') return draft.parts.findLast((part) => isCall(part) && part.key === index);
  const named = id === '' ? undefined : draft.parts.findLast((part) => isCall(part) && part.vendorId === id);
  return named ?? (id === '' ? draft.parts.findLast(isCall) : undefined);
}

/** Another id, or more text after complete arguments, is another call. */
function continues(open: Part, id: string, name: string, source: string): boolean {
  if (id !== '' && open.vendorId !== '' && id !== open.vendorId) return false;
  const begins = source.trimStart().startsWith('{');
  if ((!begins && name === '') || !isComplete(open.text)) return true;
  return source.trim() === '' && (name === '' || name === open.name);
}

/** Characters up to which it is looked whether arguments are complete. */
const MAX_LOOK = 1024 * 1024;

/** Looked at only where something new may begin, so long arguments are not parsed for each of their pieces. */
const isComplete = (source: string): boolean =>
  source.length <= MAX_LOOK && source.trimEnd().endsWith('}') && isObject(tryJson(source));

function begin(draft: Draft, index: Json | undefined, before: Part | undefined): Part {
  const part = addPart(draft, 'call', typeof index === 'number' ? index : (before?.key ?? draft.parts.length));
  part.done = true;
  return part;
}

/** A repeat changes nothing; a different piece is added only while what stands there is no tool's name. */
function addName(draft: Draft, part: Part, name: string): void {
  if (name === '' || name === part.name || draft.tools.has(part.name)) return;
  part.name += name;
  draft.live.push({ live: 'calling', name: part.name });
}
