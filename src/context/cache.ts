/** Whether the provider's cache kept what it should have, and if not, why. All of it is read from the log. */
import type { Assistant, Logged, Model } from '../core/types.ts';
import { promptTokens } from './window.ts';

export type CacheMiss = {
  /** Tokens: what the request before promised, what was read of it, and what that left to be paid again. */
  readonly promised: number;
  readonly read: number;
  readonly missed: number;
  readonly why:
    | 'model changed'
    | 'tools changed'
    | 'prompt changed'
    | 'history was shortened'
    | 'over 5 minutes'
    | 'unknown';
};

type Counted = { readonly at: number; readonly reply: Assistant };

/** Milliseconds that providers keep a prefix. */
const KEPT = 5 * 60_000;
/** Shorter prefixes are not cached anywhere. */
const SHORTEST = 1_024;
/** Providers cache in blocks and leave out the newest: a part that may be missing without a reason. */
const SLACK = 0.2;

/** Of the last reply of `path`, one line of the tree. */
export function cacheMiss(path: readonly Logged[]): CacheMiss | undefined {
  const counted = path.flatMap((entry, at): Counted[] =>
    entry.type === 'message' && entry.message.role === 'assistant' && promptTokens(entry.message) > 0
      ? [{ at, reply: entry.message }]
      : [],
  );
  const [before, last] = counted.slice(-2);
  const caches = counted.some(({ reply }) => (reply.usage?.cacheRead ?? 0) + (reply.usage?.cacheWrite ?? 0) > 0);
  return before && last && caches ? missOf(path, before, last) : undefined;
}

function missOf(path: readonly Logged[], before: Counted, last: Counted): CacheMiss | undefined {
  const promised = promiseOf(before.reply);
  const read = last.reply.usage?.cacheRead ?? 0;
  const missed = promised - read;
  if (promised < SHORTEST || missed <= promised * SLACK) return undefined;
  return { promised, read, missed, why: reason(path, before, last) };
}

/** Where a provider says what it wrote, that; else the whole request before. */
function promiseOf(reply: Assistant): number {
  const { cacheRead = 0, cacheWrite = 0 } = reply.usage ?? {};
  return cacheWrite > 0 ? cacheRead + cacheWrite : promptTokens(reply);
}

function reason(path: readonly Logged[], before: Counted, last: Counted): CacheMiss['why'] {
  const between = path.slice(before.at + 1, last.at);
  const opened = path.slice(0, before.at).findLast((entry) => entry.type === 'opened');
  const again = between.findLast((entry) => entry.type === 'opened');
  if (before.reply.model !== last.reply.model) return 'model changed';
  if (between.some(({ type }) => type === 'model')) return 'model changed';
  if (opened && again && JSON.stringify(opened.tools) !== JSON.stringify(again.tools)) return 'tools changed';
  if (opened && again && opened.system !== again.system) return 'prompt changed';
  if (between.some(({ type }) => type === 'compaction' || type === 'trim')) return 'history was shortened';
  const asked = path[last.at - 1]?.time ?? 0;
  return asked - (path[before.at]?.time ?? asked) > KEPT ? 'over 5 minutes' : 'unknown';
}

/** One line for a person. */
export const describeMiss = ({ missed, promised, why }: CacheMiss): string =>
  `The cache missed ${missed} of ${promised} tokens: ${why === 'unknown' ? 'no reason known, the provider may have dropped it' : why}.`;

/** Says, as soon as a reply is there, what it had to pay again and why. */
export const withCacheNotice = (model: Model, entries: () => readonly Logged[]): Model =>
  async function* (request, signal) {
    const reply = yield* model(request, signal);
    const last: Logged = { type: 'message', message: reply, id: '', parent: null, time: 0 };
    const miss = promptTokens(reply) > 0 ? cacheMiss([...recent(entries()), last]) : undefined;
    if (miss) yield { live: 'notice', text: describeMiss(miss) };
    return reply;
  };

/** What a miss is read from: all since the last reply that was counted, and how the session was opened. */
function recent(path: readonly Logged[]): readonly Logged[] {
  const from = path.findLastIndex(
    (entry) => entry.type === 'message' && entry.message.role === 'assistant' && promptTokens(entry.message) > 0,
  );
  const opened = path.findLast((entry, at) => at < from && entry.type === 'opened');
  return from < 0 ? [] : [...(opened ? [opened] : []), ...path.slice(from)];
}
