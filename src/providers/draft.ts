import type { JsonObject } from '../core/json.ts';
import type { Usage } from '../core/types.ts';
import { Beyond } from './errors.ts';

/** Parts of a reply: each new one is looked for among all before it. */
export const MAX_PARTS = 10_000;

/** Characters of all parts together: it is written down, shown and sent several times over. */
const MAX_TEXT = 16 * 1024 * 1024;

/** A piece of a reply while it arrives. `text` is text, thinking, or a call's argument text. */
export type Part = {
  readonly kind: 'text' | 'thinking' | 'call' | 'other';
  /** The vendor's index; several parts may share one. */
  readonly key: number;
  text: string;
  name: string;
  vendorId: string;
  /** Its end was seen. */
  done: boolean;
  /** The vendor's own form, without what arrives in deltas. */
  wire: JsonObject;
};

/** An error as a server reported it, in a status line or inside a stream. */
export type Reported = {
  readonly status?: number;
  readonly code?: string;
  readonly message: string;
  readonly retryAfter?: number;
};

/** What is to be shown: deltas of a kind that follow each other grow together. */
type Shown = { readonly live: 'text' | 'thinking'; text: string } | { readonly live: 'calling'; readonly name: string };

/** A reply while it arrives: the one mutable thing of a request. */
export type Draft = {
  readonly parts: Part[];
  /** Characters in all of them. */
  size: number;
  /** Deltas not shown yet; those of one network chunk are joined. */
  live: Shown[];
  /** The names that may be called, for servers that send a name in pieces. */
  readonly tools: ReadonlySet<string>;
  /** The vendor's stop reason. */
  stop: string;
  /** Something said that the reply is whole. */
  ended: boolean;
  /** Nothing more will come: the connection need not be read to its end. */
  over: boolean;
  usage: Usage | undefined;
  problem: Reported | undefined;
};

export const createDraft = (tools: readonly string[]): Draft => ({
  parts: [],
  size: 0,
  live: [],
  tools: new Set(tools),
  stop: '',
  ended: false,
  over: false,
  usage: undefined,
  problem: undefined,
});

export function addPart(draft: Draft, kind: Part['kind'], key: number, wire: JsonObject = {}): Part {
  if (draft.parts.length >= MAX_PARTS) throw new Beyond(`it has more than ${MAX_PARTS} parts.`);
  const part: Part = { kind, key, text: '', name: '', vendorId: '', done: false, wire };
  draft.parts.push(part);
  return part;
}

export const findPart = (draft: Draft, key: number): Part | undefined =>
  draft.parts.findLast((part) => part.key === key);

/** Adds to the text of a part. */
export function extend(draft: Draft, part: Part, text: string): void {
  draft.size += text.length;
  if (draft.size > MAX_TEXT) throw new Beyond('what it says is longer than 16 million characters.');
  part.text += text;
}

/** Adds to a text or thinking part and shows it. */
export function grow(draft: Draft, part: Part, text: string): void {
  if (text === '') return;
  extend(draft, part, text);
  const live = part.kind === 'thinking' ? 'thinking' : 'text';
  const last = draft.live.at(-1);
  if (last?.live === live) last.text += text;
  else draft.live.push({ live, text });
}

/** Takes what has not been shown yet. */
export function takeLive(draft: Draft): readonly Shown[] {
  const taken = draft.live;
  if (taken.length > 0) draft.live = [];
  return taken;
}
