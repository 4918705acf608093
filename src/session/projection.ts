/**
 * Entries → messages: what the model is shown. It grows with the log, so a turn costs the same in a long session as in
 * a short one.
 */
import { toldByRein } from '../core/messages.ts';
import { trimmed } from '../core/trim.ts';
import type { Assistant, Call, Logged, Message, Result, Shown, User } from '../core/types.ts';

export type Projection = {
  readonly push: (entry: Logged) => void;
  /** Always a valid history: each call has exactly one result, in call order, right behind its message. */
  readonly messages: () => readonly Message[];
  /** The same without the summary ahead of them. */
  readonly items: () => readonly Shown[];
};

/** An assistant message whose calls are not all answered yet. What a person says meanwhile waits for the results. */
type Open = { readonly calls: readonly Call[]; readonly results: Map<string, Result>; readonly late: Shown[] };

export function createProjection(): Projection {
  const done: Shown[] = [];
  let summary: User | undefined;
  let open: Open | undefined;

  const settle = () => {
    if (open) done.push(...answers(open));
    open = undefined;
  };
  /** How many messages lie ahead of entry `keep`: all, where that is null or no place to cut. */
  const ahead = (keep: string | null): number => {
    const at = done.findIndex(({ entry }) => entry === keep);
    return at < 0 ? done.length : at;
  };
  const take = (message: Message, entry: string) => {
    if (message.role === 'result') {
      if (!open?.calls.some(({ id }) => id === message.call)) return;
      open.results.set(message.call, open.results.get(message.call) ?? message);
      if (open.results.size === open.calls.length) settle();
    } else if (message.role === 'user' && open) {
      open.late.push({ ...asSaid(message), entry });
    } else {
      settle();
      if (message.role === 'assistant' && message.content.length === 0) return;
      done.push({ ...asSaid(message), entry });
      if (message.role === 'assistant') open = opened(message);
    }
  };
  const push = (logged: Logged) => {
    if (logged.type === 'compaction') {
      settle();
      done.splice(0, ahead(logged.keep));
      summary = toldByRein(logged.summary);
    }
    if (logged.type === 'trim') {
      settle();
      const { what } = logged;
      const old = done.splice(0, ahead(logged.keep));
      done.unshift(...old.map((item) => ({ ...item, message: trimmed(item.message, what) })));
    }
    if (logged.type !== 'message') return;
    take(logged.message, logged.id);
  };
  const items = () => [...done, ...(open ? answers(open) : [])];
  const messages = () => [...(summary ? [summary] : []), ...items().map(({ message }) => message)];
  return { push, messages, items };
}

export function project(entries: readonly Logged[]): readonly Message[] {
  const projection = createProjection();
  for (const entry of entries) projection.push(entry);
  return projection.messages();
}

function opened(message: Assistant): Open | undefined {
  const calls = message.content.filter((part) => part.type === 'call');
  return calls.length > 0 ? { calls, results: new Map(), late: [] } : undefined;
}

const asSaid = (message: Message): Shown => ({ message, original: message });

const answers = ({ calls, results, late }: Open): Shown[] => [
  ...calls.map((call) => asSaid(results.get(call.id) ?? lost(call))),
  ...late,
];

const lost = ({ id, name }: Call): Result => ({
  role: 'result',
  call: id,
  name,
  content: [{ type: 'text', text: LOST }],
  failed: true,
  how: 'lost',
});

const LOST =
  'ERROR: no result was recorded: the program ended while this ran, or before. It may have run in part; check before you repeat it.';
