/**
 * Entries → messages: what the model is shown. It grows with the log, so a turn costs the same in a long session as in
 * a short one.
 */
import type { Assistant, Call, Logged, Message, Result, User } from '../core/types.ts';

export type Projection = {
  readonly push: (entry: Logged) => void;
  /** Always a valid history: each call has exactly one result, in call order, right behind its message. */
  readonly messages: () => readonly Message[];
};

/** An assistant message whose calls are not all answered yet. What a person says meanwhile waits for the results. */
type Open = { readonly calls: readonly Call[]; readonly results: Map<string, Result>; readonly late: User[] };

export function createProjection(): Projection {
  const done: { readonly entry: string; readonly message: Message }[] = [];
  let summary: User | undefined;
  let open: Open | undefined;
  let entry = '';

  const settle = () => {
    for (const message of open ? answers(open) : []) done.push({ entry, message });
    open = undefined;
  };
  const take = (message: Message) => {
    if (message.role === 'result') {
      if (!open?.calls.some(({ id }) => id === message.call)) return;
      open.results.set(message.call, open.results.get(message.call) ?? message);
      if (open.results.size === open.calls.length) settle();
    } else if (message.role === 'user' && open) {
      open.late.push(message);
    } else {
      settle();
      if (message.role === 'assistant' && message.content.length === 0) return;
      done.push({ entry, message });
      if (message.role === 'assistant') open = opened(message);
    }
  };
  const push = (logged: Logged) => {
    if (logged.type === 'compaction') {
      settle();
      const kept = done.findIndex((item) => item.entry === logged.keep);
      done.splice(0, kept < 0 ? done.length : kept);
      summary = { role: 'user', origin: 'harness', content: [{ type: 'text', text: logged.summary }] };
    }
    if (logged.type !== 'message') return;
    // A late entry settles what was open before it, so what is settled keeps the entry it came with.
    if (logged.message.role === 'assistant') settle();
    entry = logged.id;
    take(logged.message);
  };
  const messages = () => [
    ...(summary ? [summary] : []),
    ...done.map(({ message }) => message),
    ...(open ? answers(open) : []),
  ];
  return { push, messages };
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

const answers = ({ calls, results, late }: Open): Message[] => [
  ...calls.map((call) => results.get(call.id) ?? lost(call)),
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
