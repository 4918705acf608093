/** What should be done about the size of the next request, if anything: decided from the log alone. */
import { trimmed } from '../core/trim.ts';
import type { Entry, Logged, Message, Shown } from '../core/types.ts';
import { cutFor, isPrompt, overflowOf, sinceChange, sincePrompt, withPrompt } from './items.ts';
import { keepsakes } from './keepsakes.ts';
import type { Meter, Reading } from './window.ts';

/** What a compaction is to make: `quotes` stay word for word, `ahead` is summed up, all from `keep` on stays. */
export type Outline = {
  readonly do: 'summary';
  readonly keep: string | null;
  readonly ahead: readonly Message[];
  readonly quotes: string;
  /** Tokens: for the summary, of what it replaces, and of the request before. */
  readonly budget: number;
  readonly replaced: number;
  readonly before: number;
  /** Tokens that the request for it may hold. */
  readonly input: number;
};

export type Plan =
  | Outline
  | { readonly do: 'trim'; readonly entry: Entry }
  /** Nothing helps; why. */
  | { readonly do: 'explain'; readonly why: string }
  | { readonly do: 'nothing' };

export type Situation = {
  readonly path: readonly Logged[];
  readonly messages: readonly Message[];
  /** Of the messages, all but the summary ahead of them. */
  readonly items: readonly Shown[];
  readonly reading: Reading;
  readonly meter: Meter;
  readonly window: number | undefined;
  readonly output: number | undefined;
  /** A person asks for it. */
  readonly asked: boolean;
};

/** Requests for summaries that one prompt may fail with. */
const MAX_TRIES = 2;
/** Tokens kept free for an answer, at most. */
const MAX_ANSWER = 16_384;
/** Tokens: of the newest messages that stay, and of a summary. */
const MAX_TAIL = 20_000;
const MAX_SUMMARY = 4_000;
/** Characters that prompts and lists may take at any rate. */
const LEAST_QUOTES = 4_000;
/** Tokens without which a conversation can't go on. */
export const LEAST_ROOM = 400;
/** Of the room for the history. */
const SHARE = { tail: 0.3, summary: 0.2, quotes: 0.2, trim: 0.25, growth: 0.1 };

/** Tokens from which on a request is made smaller before it is sent. */
export const startOf = (window: number, output: number | undefined): number =>
  window * 0.95 - Math.min(output ?? MAX_ANSWER, MAX_ANSWER, window / 4);

export function planFor(situation: Situation): Plan {
  const { path, items, reading, meter, window, asked } = situation;
  const overflow = asked ? undefined : overflowOf(path);
  const history = reading.tokens - reading.fixed;
  const start = window === undefined ? Number.POSITIVE_INFINITY : startOf(window, situation.output);
  if (!asked && !overflow && reading.tokens <= start) return { do: 'nothing' };
  if (start - reading.fixed < LEAST_ROOM) return explain(situation, FIXED(reading.fixed, window));
  const room = Math.min(start - reading.fixed, overflow ? history * 0.6 : asked ? history : Number.POSITIVE_INFINITY);
  if (overflow?.failure?.status === 413 && hasImages(items)) return dropImages(items);
  if (!overflow && !asked && grown(path, meter) < SHARE.growth * room) return { do: 'nothing' };
  if (!asked) {
    const trim = trimOutputs(items, SHARE.tail * room, meter);
    const enough = trim.gain >= SHARE.trim * room && reading.tokens - trim.gain <= reading.fixed + room;
    if (enough) return { do: 'trim', entry: trim.entry };
    if (triesOf(path) >= MAX_TRIES) return explain(situation, TRIED);
  }
  const tail = Math.min(MAX_TAIL, SHARE.tail * room);
  const at = cutFor(items, tail, ({ message }) => meter.tokensOf(message));
  return outline(situation, withPrompt(items, at), room);
}

function outline(situation: Situation, at: number, room: number): Plan {
  const { path, items, reading, meter, window, messages } = situation;
  const keep = items[at]?.entry ?? null;
  const end = keep === null ? path.length : path.findIndex(({ id }) => id === keep);
  const quotes = keepsakes(path.slice(0, end), path, Math.max(LEAST_QUOTES, SHARE.quotes * room * meter.perToken()));
  const cut = items.slice(0, at);
  // The summary of before stands in front of the items.
  const earlier = path.some(({ type }) => type === 'compaction') ? messages.slice(0, 1) : [];
  const replaced = [...earlier, ...cut.map(({ message }) => message)].reduce(
    (sum, each) => sum + meter.tokensOf(each),
    0,
  );
  const budget = Math.round(Math.min(MAX_SUMMARY, Math.max(150, SHARE.summary * room)));
  if (cut.length === 0 || quotes.length / meter.perToken() + 150 > replaced * 0.9) {
    return explain(situation, LITTLE(reading.tokens, window));
  }
  const most = window === undefined ? reading.tokens / 2 : window - budget * 2 - 1_000;
  return {
    do: 'summary',
    keep,
    ahead: [...earlier, ...cut.map(({ original }) => original)],
    quotes,
    budget,
    replaced,
    before: reading.tokens,
    input: Math.max(500, Math.min(most * 0.8, reading.tokens)),
  };
}

function trimOutputs(items: readonly Shown[], budget: number, meter: Meter): { entry: Entry; gain: number } {
  const at = cutFor(items, budget, ({ message }) => meter.tokensOf(message));
  const keep = items[at]?.entry ?? null;
  const gain = items.slice(0, keep === null ? 0 : at).reduce((sum, { message }) => {
    const short = trimmed(message, 'outputs');
    return short === message ? sum : sum + meter.tokensOf(message) - meter.tokensOf(short);
  }, 0);
  return { entry: { type: 'trim', what: 'outputs', keep }, gain };
}

const hasImages = (items: readonly Shown[]): boolean => items.some(({ message }) => imageBytes(message) > 0);

/** A server's limit in bytes is unknown: a quarter of the images stays at most. */
function dropImages(items: readonly Shown[]): Plan {
  const bytes = items.reduce((sum, { message }) => sum + imageBytes(message), 0);
  const keep = items[cutFor(items, bytes / 4, ({ message }) => imageBytes(message))]?.entry ?? null;
  return { do: 'trim', entry: { type: 'trim', what: 'images', keep } };
}

const imageBytes = (message: Message): number =>
  message.content.reduce((sum, part) => sum + (part.type === 'image' ? part.data.length : 0), 0);

/** A view that was just made smaller is left alone until enough has been said since. */
function grown(path: readonly Logged[], meter: Meter): number {
  const since = sinceChange(path);
  if (since.length === path.length) return Number.POSITIVE_INFINITY;
  return since.reduce((sum, entry) => sum + (entry.type === 'message' ? meter.tokensOf(entry.message) : 0), 0);
}

const triesOf = (path: readonly Logged[]): number => {
  const since = sincePrompt(path);
  const after = since.slice(since.findLastIndex(({ type }) => type === 'compaction') + 1);
  return after.filter((entry) => entry.type === 'usage' && entry.why === 'summary').length;
};

/** Said when a prompt begins, after an overflow and when asked; not at each step. */
function explain({ path, asked }: Situation, why: string): Plan {
  const last = path.findLast(({ type }) => type === 'message');
  const due = asked || overflowOf(path) !== undefined || (last !== undefined && isPrompt(last));
  return due ? { do: 'explain', why } : { do: 'nothing' };
}

const FIXED = (fixed: number, window: number | undefined): string =>
  `The system text and the tools alone take about ${fixed} of ${window ?? 'the'} tokens, so compaction can't make room. Use fewer tools (--tools) or a model with a larger window.`;

const LITTLE = (tokens: number, window: number | undefined): string =>
  `The conversation takes about ${tokens}${window === undefined ? '' : ` of ${window}`} tokens, and summing it up would gain little. Start a new session or use a model with a larger window if the next request is refused.`;

const TRIED =
  'The conversation could not be summed up twice, so it stays as it is. /compact tries again; a model with a larger window helps too.';
