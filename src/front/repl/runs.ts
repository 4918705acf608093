import type { Event, Usage } from '../../core/types.ts';
import { addUsage, NO_USAGE, spendingOf } from '../../harness/messages.ts';
import { lineRow, type Row } from '../render/row.ts';
import { oneLine, safe } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import { callRow } from '../render/tools.ts';
import { count, money, ticking, tokens } from '../render/units.ts';

/** A call that runs. Where it is a sub-agent: what that does now, what it spent, and the calls it runs itself. */
export type Run = {
  readonly name: string;
  readonly show: string;
  readonly at: number;
  /** The last line it said. */
  readonly progress: string;
  readonly calls: number;
  readonly spent: Usage;
  readonly below: Runs;
  /** The sub-agent's. */
  readonly session?: string;
};

export type Runs = ReadonlyMap<string, Run>;

/** Sub-agents in the tree. */
export const agentsIn = (runs: Runs): readonly { readonly session: string; readonly show: string }[] =>
  [...runs.values()].flatMap(({ session, show, below }) => [
    ...(session === undefined ? [] : [{ session, show }]),
    ...agentsIn(below),
  ]);

/** Rows of a tree that are drawn at once. */
const MAX_ROWS = 12;

/** One event further, for the session's own calls and, the same way, for those of every descendant. */
export const advance = (runs: Runs, event: Event, now: number): Runs => {
  if (!('live' in event)) {
    if (event.type !== 'message' || event.message.role !== 'result' || !runs.has(event.message.call)) return runs;
    const rest = new Map(runs);
    rest.delete(event.message.call);
    return rest;
  }
  switch (event.live) {
    case 'started':
      return new Map(runs).set(event.call, begin(event.name, event.show, now));
    case 'progress':
      return change(runs, event.call, (run) => ({ ...run, progress: lastLine(event.text) || run.progress }));
    case 'child':
      return change(runs, event.call, (run) => ({
        ...seeChild(run, event.event, now),
        session: event.session,
      }));
    default:
      return runs;
  }
};

const begin = (name: string, show: string, at: number): Run => ({
  name,
  show,
  at,
  progress: '',
  calls: 0,
  spent: NO_USAGE,
  below: new Map(),
});

const change = (runs: Runs, call: string, by: (run: Run) => Run): Runs => {
  const run = runs.get(call);
  return run === undefined ? runs : new Map(runs).set(call, by(run));
};

/** A descendant's bill is its own; its words are its state. */
const seeChild = (run: Run, event: Event, now: number): Run => {
  const below = advance(run.below, event, now);
  if ('live' in event) {
    if (event.live === 'started') return { ...run, below, calls: run.calls + 1, progress: '' };
    if (event.live === 'thinking') return { ...run, below, progress: 'thinking' };
    return event.live === 'text' ? { ...run, below, progress: 'writing' } : { ...run, below };
  }
  const usage = spendingOf(event)?.usage;
  return { ...run, below, ...(usage ? { spent: addUsage(run.spent, usage) } : {}) };
};

/** `4 calls`, `12.3k tokens`, `$0.02`: nothing of it for a plain call. */
export const bill = ({ calls, spent }: Run): readonly string[] => {
  const used = spent.input + spent.output + spent.cacheRead + spent.cacheWrite;
  return [
    ...(calls === 0 ? [] : [count(calls, 'call')]),
    ...(used === 0 ? [] : [`${tokens(used)} tokens`]),
    ...(spent.cost === undefined ? [] : [money(spent.cost)]),
  ];
};

/** What runs now, as a tree; each with its own clock. */
export const runRows = (look: Look, runs: Runs, now: number): readonly Row[] => {
  const rows = treeRows(look, runs, now, '');
  if (rows.length <= MAX_ROWS) return rows;
  return [...rows.slice(0, MAX_ROWS - 1), lineRow(look, look.theme.dim(`  … ${rows.length - MAX_ROWS + 1} more`))];
};

const treeRows = (look: Look, runs: Runs, now: number, stem: string): readonly Row[] => {
  const { theme } = look;
  const all = [...runs.values()];
  return all.flatMap((run, index) => {
    const last = index === all.length - 1;
    const branch = stem === '' ? theme.accent('●') : theme.dim(`${stem}${last ? '└' : '├'}`);
    const asides = [ticking(now - run.at), ...bill(run)].map((part) => ` · ${part}`).join('');
    const under = stem === '' ? '  ' : `${stem}${last ? '  ' : '│ '}`;
    const said = run.below.size === 0 && run.progress !== '' ? [run.progress.replaceAll('\t', ' ').slice(0, 300)] : [];
    return [
      callRow(look, run.name, run.show, asides, branch),
      ...said.map((line) => lineRow(look, theme.dim(`${under}${line}`))),
      ...treeRows(look, run.below, now, under),
    ];
  });
};

const lastLine = (text: string): string =>
  oneLine(
    safe(text.replace(/\r(?!\n)/g, '\n'))
      .split('\n')
      .findLast((line) => line.trim() !== '') ?? '',
    300,
  );
