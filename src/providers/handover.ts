import { textOf } from '../core/messages.ts';
import type { Assistant, Content, Json, Message, Result, Text, Thinking } from '../core/types.ts';
import { cleanName } from './clean.ts';
import { createIds, type IdRule } from './ids.ts';
import { createImageFilter, type ImageFilter } from './images.ts';

/** A call under the name that this request gives it. */
export type WireCall = { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: Json };

/** The answer to a call; its content is never empty. */
export type Answer = {
  readonly id: string;
  readonly name: string;
  readonly content: readonly Content[];
  readonly failed: boolean;
};

/** What a conversation comes down to on any wire: strictly alternating, each call answered in the very next turn. */
export type Turn =
  | { readonly role: 'user'; readonly answers: readonly Answer[]; readonly content: readonly Content[] }
  | {
      readonly role: 'assistant';
      readonly parts: readonly (Text | Thinking | WireCall)[];
      /** The vendor's own form, where this is that vendor. `signed`: the same model too, so its signatures hold. */
      readonly native?: { readonly content: Json; readonly signed: boolean };
    };

export type AssistantTurn = Extract<Turn, { role: 'assistant' }>;

export type Target = {
  readonly dialect: string;
  readonly vendor: string;
  readonly model: string;
  readonly ids: IdRule;
  /** False where the model can't see. */
  readonly images: boolean;
};

type Open = { answers: Answer[]; content: Content[] };

/**
 * The history as turns that `target` accepts. It is a function of the history alone, message by message from the
 * start, so that a longer history begins with the same bytes.
 */
export function handover(messages: readonly Message[], target: Target): Turn[] {
  const results = new Map<string, Result>();
  for (const message of messages) {
    if (message.role === 'result' && !results.has(message.call)) results.set(message.call, message);
  }
  const name = createIds(target.ids);
  const images = createImageFilter(messages, target.images);
  const turns: Turn[] = [];
  let open: Open = { answers: [], content: [] };
  for (const message of messages) {
    if (message.role === 'user') open.content.push(...clean(message.content, images));
    if (message.role !== 'assistant') continue;
    const parts = partsOf(message);
    if (parts.length === 0) continue;
    const answers: Answer[] = [];
    const named = parts.map((part) => {
      if (part.type !== 'call') return part;
      const call: WireCall = { ...part, id: name(part.id, part.vendorId), name: cleanName(part.name) };
      answers.push(answer(call, results.get(part.id), images));
      return { type: call.type, id: call.id, name: call.name, input: call.input };
    });
    turns.push(close(open), { role: 'assistant', parts: named, ...nativeOf(message, target) });
    open = { answers, content: [] };
  }
  turns.push(close(open));
  return turns;
}

/** What of a reply is said again. A failed one leaves its text at most, one that says nothing is left out. */
function partsOf(message: Assistant): Assistant['content'] {
  const failed = message.stop === 'error' || message.stop === 'overflow';
  const kept = message.content.filter((part) => (part.type === 'call' ? !failed : part.text.trim() !== ''));
  return kept.some((part) => part.type !== 'thinking') ? kept : [];
}

function nativeOf(message: Assistant, target: Target): { native?: { content: Json; signed: boolean } } {
  const { raw, stop } = message;
  if (!raw || stop === 'error' || stop === 'overflow') return {};
  if (raw.dialect !== target.dialect || raw.vendor !== target.vendor) return {};
  return { native: { content: raw.content, signed: raw.model === target.model } };
}

/** A turn of the user's is never empty: no server takes two assistant turns in a row, or one at an end. */
function close({ answers, content }: Open): Turn {
  const said = answers.length + content.length > 0;
  return { role: 'user', answers, content: said ? content : [{ type: 'text', text: 'Continue.' }] };
}

function answer(call: WireCall, result: Result | undefined, images: ImageFilter): Answer {
  const { id, name } = call;
  if (!result) {
    const text = 'ERROR: The result of this call was lost. It may have run; check before you repeat it.';
    return { id, name, content: [{ type: 'text', text }], failed: true };
  }
  const content = clean(result.content, images);
  if (content.length === 0) content.push({ type: 'text', text: '(no output)' });
  return { id, name, content, failed: result.failed };
}

const clean = (content: readonly Content[], images: ImageFilter): Content[] =>
  content.map((part) => (part.type === 'image' ? images(part) : part)).filter((part) => !isBlank(part));

const isBlank = (part: Content): boolean => part.type === 'text' && part.text.trim() === '';

/** The texts of a turn or an answer, for dialects that want one string. */
export const asOneText = (content: readonly Content[]): string => textOf(content, '\n\n');

export const isCall = (part: Text | Thinking | WireCall): part is WireCall => part.type === 'call';
