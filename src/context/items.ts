/** The messages of the present view with the entries they came with, and where the view may be cut. */
import { isPersons } from '../core/messages.ts';
import { trimmed } from '../core/trim.ts';
import type { Assistant, Logged, Message } from '../core/types.ts';

/** `cut`: a view may begin with this message: no call lies ahead whose result comes later. */
export type Item = {
  readonly id: string;
  /** As the model sees it, and as the log has it. */
  readonly message: Message;
  readonly original: Message;
  readonly cut: boolean;
};

/** As the projection shows them, without the summary ahead of them. */
export function itemsOf(path: readonly Logged[]): readonly Item[] {
  const open = new Set<string>();
  let items: Item[] = [];
  const ahead = (keep: string | null) => {
    const at = items.findIndex(({ id, message }) => message.role !== 'result' && id === keep);
    return at < 0 ? items.length : at;
  };
  for (const entry of path) {
    if (entry.type === 'compaction') items = items.slice(ahead(entry.keep));
    if (entry.type === 'trim') {
      const end = ahead(entry.keep);
      items = items.map((item, i) => (i < end ? { ...item, message: trimmed(item.message, entry.what) } : item));
    }
    if (entry.type === 'message' && (entry.message.role !== 'assistant' || entry.message.content.length > 0)) {
      const { id, message } = entry;
      items.push({ id, message, original: message, cut: isCut(message, open) });
    }
  }
  return items;
}

/** `open`: the calls that wait for their results. A reply ends the wait. */
function isCut(message: Message, open: Set<string>): boolean {
  if (message.role === 'result') open.delete(message.call);
  if (message.role === 'assistant') {
    open.clear();
    for (const part of message.content) if (part.type === 'call') open.add(part.id);
  }
  return message.role === 'assistant' || (message.role === 'user' && open.size === 0);
}

/** The earliest cut behind which at most `budget` lies; the end where there is none. */
export function cutFor(items: readonly Item[], budget: number, sizeOf: (item: Item) => number): number {
  let size = 0;
  let at = items.length;
  for (const [i, item] of [...items.entries()].toReversed()) {
    size += sizeOf(item);
    if (size > budget) break;
    if (item.cut) at = i;
  }
  return at;
}

/** What was just said is not cut off, however large it is. */
export const withPrompt = (items: readonly Item[], at: number): number =>
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
