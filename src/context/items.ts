/** Where the view may be cut, and what was said since it was. */
import { isPersons } from '../core/messages.ts';
import type { Assistant, Logged, Shown } from '../core/types.ts';

/** The earliest cut behind which at most `budget` lies; the end where there is none. */
export function cutFor(items: readonly Shown[], budget: number, sizeOf: (item: Shown) => number): number {
  let size = 0;
  let at = items.length;
  for (const [i, item] of [...items.entries()].toReversed()) {
    size += sizeOf(item);
    if (size > budget) break;
    if (item.entry !== undefined) at = i;
  }
  return at;
}

/** What was just said is not cut off, however large it is. */
export const withPrompt = (items: readonly Shown[], at: number): number =>
  at === items.length && items.at(-1)?.message.role === 'user' ? at - 1 : at;

/** What follows the last change of the view by a compaction or a trim; all, where there was none. */
export const sinceChange = (path: readonly Logged[]): readonly Logged[] =>
  path.slice(path.findLastIndex(({ type }) => type === 'compaction' || type === 'trim') + 1);

/** What follows the last thing that a person said, that included. */
export const sincePrompt = (path: readonly Logged[]): readonly Logged[] =>
  path.slice(Math.max(0, path.findLastIndex(isPrompt)));

export const isPrompt = (entry: Logged): boolean =>
  entry.type === 'message' && entry.message.role === 'user' && isPersons(entry.message);

/** The last reply, where it said that the request was too large and nothing was done about it since. */
export function overflowOf(path: readonly Logged[]): Assistant | undefined {
  const last = sinceChange(path).findLast((entry) => entry.type === 'message' && entry.message.role === 'assistant');
  const reply = last?.type === 'message' && last.message.role === 'assistant' ? last.message : undefined;
  return reply?.stop === 'overflow' ? reply : undefined;
}
