import { mkdirSync, realpathSync } from 'node:fs';
import { createTurns } from '../core/turns.ts';
import type { Reader } from '../env/git.ts';
import { compare, describe, type ReadTree } from './compare.ts';
import { decodeTree } from './objects.ts';
import { type Sorted, sortOut } from './plan.ts';
import { restore, sweep } from './restore.ts';
import { LIMITS } from './rules.ts';
import { wide } from './scan.ts';
import type { Store } from './store.ts';
import type { Applied, Plan, Step, Undo, UndoOptions } from './types.ts';
import { createWatch, type Seen, type Watch, wordsOf } from './watch.ts';

const PATCH = 'diff-tree -r -p --no-ext-diff --no-textconv --no-renames --no-color --ignore-submodules=all'.split(' ');

/** Undo for one workspace. Opens nothing and starts no process before the first snapshot. */
export const createUndo = (options: UndoOptions): Undo => {
  const root = realpathSync(options.root);
  const watch = createWatch({ ...options, root }, { ...LIMITS, ...options.limits });
  const inTurn = createTurns();
  const withStore = async <T>(use: (store: Store) => Promise<T>): Promise<T | string> => {
    const store = await watch.store();
    return typeof store === 'string' ? store : use(store);
  };
  return {
    root,
    snapshot: () => inTurn(async () => (await watch.look())?.scan.tree.id ?? null),
    diff: (from, to) =>
      withStore((store) => inTrees(store, async (trees) => (await compare(trees, from, to)).map(describe))),
    patch: (from, to, path) => {
      const only = path === undefined ? [] : ['--', path];
      return withStore(({ git }) => git.run([...PATCH, from, to, ...only]).then(String, wordsOf));
    },
    plan: (steps) => inTurn(() => inPresent(watch, (now) => plan(steps, now))),
    apply: (chosen, { conflicts }) =>
      inTurn(() =>
        inPresent(watch, (now) => apply(chosen, { root, overwrite: conflicts === 'overwrite', now, watch })),
      ),
    off: watch.off,
    close: () => {
      watch.stop();
      return inTurn(watch.close);
    },
  };
};

type Present = Seen & { readonly trees: ReadTree; readonly reader: Reader };

const plan = async (steps: readonly Step[], { trees, scan }: Present): Promise<Plan> =>
  toPlan(steps, scan.tree.id, await sortOut(trees, steps, scan));

const toPlan = (steps: readonly Step[], present: string, { restore, conflicts, blocked }: Sorted): Plan => ({
  steps,
  present,
  restore: restore.map(describe),
  conflicts: conflicts.map(describe),
  blocked: blocked.map(describe),
});

type How = { readonly root: string; readonly overwrite: boolean; readonly now: Present; readonly watch: Watch };

/** The plan is made anew: time went by while it was looked at. */
const apply = async (chosen: Plan, { root, overwrite, now, watch }: How): Promise<Applied | Plan> => {
  const { tree, temporary } = now.scan;
  const sorted = await sortOut(now.trees, chosen.steps, now.scan);
  const fresh = toPlan(chosen.steps, tree.id, sorted);
  const asked = new Set(chosen.conflicts.map(({ path }) => path));
  if (overwrite && fresh.conflicts.some(({ path }) => !asked.has(path))) return fresh;
  mkdirSync(root, { recursive: true });
  await sweep(temporary);
  const differences = [...sorted.restore, ...(overwrite ? sorted.conflicts : [])];
  const failed = await restore({ root: wide(root), scanned: tree, differences, read: now.reader.read });
  const after = await watch.look();
  return {
    before: tree.id,
    after: after?.scan.tree.id ?? tree.id,
    restored: differences.length - failed.length,
    kept: overwrite ? [] : fresh.conflicts,
    blocked: fresh.blocked,
    failed,
  };
};

/** What `use` makes of the workspace as it is now. */
const inPresent = async <T>(watch: Watch, use: (now: Present) => Promise<T>): Promise<T | string> => {
  const seen = await watch.look();
  if (!seen) return watch.off() ?? 'Undo is off.';
  return inTrees(seen.store, (trees, reader) => use({ ...seen, trees, reader }));
};

const inTrees = async <T>(store: Store, use: (trees: ReadTree, reader: Reader) => Promise<T>): Promise<T | string> => {
  const reader = store.git.openReader();
  try {
    return await use(createTrees(reader), reader);
  } catch (error) {
    return wordsOf(error);
  } finally {
    reader.close();
  }
};

const createTrees = ({ read }: Reader): ReadTree => {
  const trees = new Map<string, ReturnType<ReadTree>>();
  const load: ReadTree = async (id) => {
    const body = await read(id);
    if (!body) throw new Error(`Snapshot ${id.slice(0, 12)} is gone. Nothing was changed.`);
    return decodeTree(body);
  };
  return (id) => {
    const tree = trees.get(id) ?? load(id);
    trees.set(id, tree);
    return tree;
  };
};
