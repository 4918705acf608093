/** Sub-agents outlive the record of their result: what they said is found in their own logs when the parent is resumed. */
import { field, text } from '../../core/json.ts';
import { textOf } from '../../core/messages.ts';
import type { Call, Logged, Message, Result } from '../../core/types.ts';
import type { Header, Records } from '../../session/index.ts';

export type Shelf = {
  /** Heads of the sessions that this one started. */
  readonly children: () => readonly { readonly path: string; readonly header: Header }[];
  readonly read: (path: string) => Records;
};

/** Results for the calls of `task` that were left without one. */
export function recoverResults(path: readonly Logged[], { children, read }: Shelf): readonly Result[] {
  const lost = lostCalls(path);
  if (lost.length === 0) return [];
  const known = children();
  return lost.flatMap((call) => {
    const child = known.find(({ header }) => header.startedBy?.call === call.id);
    return child ? [resultOf(call, child.header.session, read(child.path).entries)] : [];
  });
}

function lostCalls(path: readonly Logged[]): readonly Call[] {
  const messages = path.flatMap((entry): Message[] => (entry.type === 'message' ? [entry.message] : []));
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const asked = messages[at];
  if (asked?.role !== 'assistant') return [];
  const answered = new Set(messages.slice(at).flatMap((said) => (said.role === 'result' ? [said.call] : [])));
  return asked.content
    .filter((part) => part.type === 'call')
    .filter(({ id, name }) => name === 'task' && !answered.has(id));
}

function resultOf(call: Call, session: string, entries: readonly Logged[]): Result {
  const replies = entries.flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'assistant' ? [entry.message] : [],
  );
  const said = textOf(replies.at(-1)?.content ?? []);
  const done = entries.some((entry) => entry.type === 'ended' && entry.stop === 'done');
  const kind = text(field(call.input, 'agent'));
  const lines = [
    ...(done ? [] : ['ERROR: the program ended while this sub-agent worked. Its last words:']),
    said.trim() || '(it said nothing)',
    `[sub-agent ${session}, ${replies.length} turns; ask again with this id]`,
  ];
  return {
    role: 'result',
    call: call.id,
    name: call.name,
    content: [{ type: 'text', text: lines.join('\n') }],
    failed: !done,
    how: done ? 'ran' : 'stopped',
    details: { session, turns: replies.length, kind },
  };
}
