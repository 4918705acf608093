/** Going back: in the conversation, which is a position in the log, and in the files, which are snapshots of the workspace. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Access, Clock, Logged } from '../core/types.ts';
import {
  type Applied,
  type Change,
  createSnapshotting,
  createUndo,
  type Snapshotting,
  type Step,
  type Undo,
} from '../undo/index.ts';
import type { HarnessOptions } from './harness.ts';
import { type Branch, goTo, type Prompt, prompts, rewindTo, tree } from './positions.ts';
import type { Record } from './record.ts';

/** What to do about files that somebody else has changed since: ask first, leave them, or overwrite (a copy is kept). */
export type Conflicts = 'ask' | 'keep' | 'overwrite';

export type Rewound = {
  /** The prompt that was taken back, to be changed and sent again. */
  readonly prompt?: Prompt;
  readonly files?: Pick<Applied, 'restored' | 'kept' | 'failed'> & { readonly left: readonly Left[] };
  /** Nothing was done: these were changed by somebody else. Say again with `keep` or `overwrite`. */
  readonly conflicts?: readonly Change[];
};

/** What can't be put back, or can't be taken away: why, and which of the two. */
export type Left = { readonly path: string; readonly why: string; readonly lost: boolean };

const leftBy = ({ blocked }: Applied): readonly Left[] =>
  blocked.map(({ path, kind, uncovered = '' }) => ({ path, why: uncovered, lost: kind !== 'deleted' }));

type Conflicting = Required<Pick<Rewound, 'conflicts'>>;

const isConflicting = (value: Applied | Conflicting | null): value is Conflicting =>
  value !== null && 'conflicts' in value;

export type History = {
  readonly prompts: () => readonly Prompt[];
  readonly tree: () => readonly Branch[];
  /** Goes back to before a prompt. A sentence where that can't be done. */
  readonly rewind: (
    entry: string,
    what: 'files' | 'conversation' | 'both',
    conflicts?: Conflicts,
  ) => Promise<Rewound | string>;
  /** Takes the last prompt back, words and files; the one before with the next call. */
  readonly undo: (conflicts?: Conflicts) => Promise<Rewound | string>;
  /** Takes the last rewind back. */
  readonly redo: (conflicts?: Conflicts) => Promise<Rewound | string>;
  /** Goes on at another branch of the tree. */
  readonly goTo: (entry: string) => Promise<string | undefined>;
  /** What the agent changed in the files: the paths, and a unified diff. */
  readonly changes: (since: 'prompt' | 'start' | { readonly entry: string }) => Promise<readonly Change[] | string>;
  readonly diff: (since: 'prompt' | 'start') => Promise<string>;
};

export type HistoryParts = {
  readonly history: History;
  readonly snapshotting: Snapshotting | undefined;
  readonly close: () => Promise<void>;
};

export type HistoryOptions = {
  readonly record: Record;
  readonly clock: Clock;
  /** The leaf is elsewhere: what follows from the path has to be read again. */
  readonly moved?: () => void;
  readonly onlyLooks?: (access: Access) => boolean;
};

export function createHistory(
  options: HarnessOptions,
  { record, clock, moved = () => {}, onlyLooks }: HistoryOptions,
): HistoryParts {
  const { cwd, stateFolder, settings, variables, warn } = options;
  const undo = createUndo({
    root: cwd,
    store: join(stateFolder, 'undo', createHash('sha256').update(cwd).digest('hex').slice(0, 24)),
    path: variables['PATH'] ?? '',
    warn,
    clock,
    exclude: [stateFolder],
  });
  // A parent's snapshots cover what its sub-agents do.
  const covered = settings.undo === 'off' || options.leash !== undefined;
  const history: History = {
    prompts: () => prompts(record),
    tree: () => tree(record),
    ...createMoves(undo, record, moved),
    ...createViews(undo, record),
  };
  return {
    history,
    snapshotting: covered ? undefined : createSnapshotting({ undo, clock, ...(onlyLooks ? { onlyLooks } : {}) }),
    close: undo.close,
  };
}

type Moves = Pick<History, 'rewind' | 'undo' | 'redo' | 'goTo'>;

function createMoves(undo: Undo, record: Record, moved: () => void): Moves {
  const go = async (entry: string) => {
    const went = await goTo(record, entry);
    if (typeof went === 'string') return went;
    moved();
    return undefined;
  };
  const rewind: History['rewind'] = async (entry, what, conflicts = 'ask') => {
    const path = record.path();
    const at = path.findIndex(({ id }) => id === entry);
    if (at < 0) return `there is no prompt ${entry} on this branch.`;
    const files = what === 'conversation' ? null : await restore(undo, stepsIn(path.slice(at)), conflicts);
    if (typeof files === 'string' || isConflicting(files)) return files;
    const leaf = path.at(-1)?.id ?? '';
    const how = { from: leaf, ...(files ? { files: { before: files.before, after: files.after } } : {}) };
    if (what === 'files') await record.commit({ type: 'rewind', ...how });
    const prompt = what === 'files' ? undefined : await rewindTo(record, entry, how);
    if (typeof prompt === 'string') return prompt;
    moved();
    return { ...(prompt ? { prompt } : {}), ...(files ? { files: { ...files, left: leftBy(files) } } : {}) };
  };
  return {
    rewind,
    goTo: go,
    undo: async (conflicts) => {
      const end = record.path().at(-1);
      // A history that a person made smaller is made whole again.
      if (end?.parent && (end.type === 'compaction' || end.type === 'trim')) {
        await record.commit({ type: 'rewind', from: end.id }, end.parent);
        moved();
        return {};
      }
      const last = prompts(record).at(-1);
      return last ? rewind(last.entry, 'both', conflicts) : 'there is nothing to undo.';
    },
    redo: async (conflicts = 'ask') => {
      const last = record.path().findLast((entry) => entry.type !== 'rewind' || entry.from !== undefined);
      if (last?.type !== 'rewind' || last.from === undefined) return 'there is nothing to redo.';
      const files = await restore(undo, last.files ? [last.files] : [], conflicts);
      if (typeof files === 'string' || isConflicting(files)) return files;
      return (await go(last.from)) ?? (files ? { files: { ...files, left: leftBy(files) } } : {});
    },
  };
}

/** Undoes steps; null where there is nothing to undo. */
async function restore(
  undo: Undo,
  steps: readonly Step[],
  conflicts: Conflicts,
): Promise<Applied | Conflicting | string | null> {
  if (steps.length === 0) return null;
  const plan = await undo.plan(steps);
  if (typeof plan === 'string') return plan;
  if (plan.conflicts.length > 0 && conflicts === 'ask') return { conflicts: plan.conflicts };
  const applied = await undo.apply(plan, { conflicts: conflicts === 'overwrite' ? 'overwrite' : 'keep' });
  return typeof applied !== 'string' && 'steps' in applied ? { conflicts: applied.conflicts } : applied;
}

const createViews = (undo: Undo, record: Record): Pick<History, 'changes' | 'diff'> => {
  const span = async (since: Parameters<History['changes']>[0]) => {
    const found = spanOf(record, since);
    return found && { from: found.before, to: found.after ?? (await undo.snapshot()) ?? found.before };
  };
  return {
    changes: async (since) => {
      const found = await span(since);
      return found ? undo.diff(found.from, found.to) : [];
    },
    diff: async (since) => {
      const found = await span(since);
      return found ? undo.patch(found.from, found.to) : '';
    },
  };
};

/** What the agent did, and what was taken back by `rewind`, in the order it was done. */
function stepsIn(path: readonly Logged[]): readonly Step[] {
  const steps: { before: string; after: string | null }[] = [];
  for (const entry of path) {
    // Files alone were put back: what was taken back is on this path still.
    if (entry.type === 'rewind' && entry.files && entry.from === entry.parent) steps.push(entry.files);
    if (entry.type !== 'snapshot') continue;
    const last = steps.at(-1);
    if (entry.when === 'before') steps.push({ before: entry.tree, after: null });
    else if (last && last.after === null) last.after = entry.tree;
  }
  return steps;
}

/** The workspace before the first step since then, and after the last. */
function spanOf(record: Record, since: 'prompt' | 'start' | { readonly entry: string }): Step | undefined {
  const path = record.path();
  const from = typeof since === 'object' ? since.entry : since === 'prompt' ? prompts(record).at(-1)?.entry : undefined;
  const start = from === undefined ? 0 : path.findIndex(({ id }) => id === from);
  const next = typeof since === 'object' ? nextPrompt(path, start) : path.length;
  const steps = stepsIn(path.slice(Math.max(0, start), next));
  const [first] = steps;
  return first ? { before: first.before, after: steps.at(-1)?.after ?? null } : undefined;
}

function nextPrompt(path: readonly Logged[], start: number): number {
  const later = prompts({ path: () => path }).map(({ entry }) => path.findIndex(({ id }) => id === entry));
  return later.find((index) => index > start) ?? path.length;
}
