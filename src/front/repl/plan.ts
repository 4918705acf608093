import type { Session } from '../../harness/types.ts';

/** What a person says yes to: the last answer of a turn that ended well in plan mode; undefined where there is none. */
export const planOf = (session: Session): string | undefined => {
  if (session.mode !== 'plan' || session.busy()) return undefined;
  const entries = session.entries();
  const end = entries.findLastIndex(({ type }) => type === 'ended');
  const ended = entries[end];
  if (ended?.type !== 'ended' || ended.stop !== 'done') return undefined;
  // What was said before plan mode began is no plan, and what a step back left is none any more.
  if (entries.slice(end).some(({ type }) => type === 'mode' || type === 'rewind')) return undefined;
  const last = entries.slice(0, end).findLast((entry) => entry.type === 'message');
  if (last?.type !== 'message' || last.message.role !== 'assistant') return undefined;
  const text = last.message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return text.trim() === '' ? undefined : text.trim();
};
