import { execFileSync, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createUndo, type Plan, type Undo, type UndoOptions } from '../../src/undo/index.ts';

const PATH = process.env['PATH'] ?? '';

/** A workspace, and room for a store beside it. */
export const makePlace = () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'rein-undo-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'work');
  const store = join(base, 'state', 'undo');
  mkdirSync(root);
  const warnings: string[] = [];
  return {
    base,
    root,
    store,
    warnings,
    open: (options: Partial<UndoOptions> = {}): Undo => {
      const undo = createUndo({ root, store, path: PATH, warn: (text) => warnings.push(text), ...options });
      onTestFinished(undo.close);
      return undo;
    },
    write: (path: string, content: string | Buffer = `${path}\n`) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    git: (...args: string[]) => git(root, ...args),
    /** A repack whose rein was killed may still be removing packs that fsck has listed. Damage would not go away. */
    fsck: () =>
      expect.poll(() => spawnSync('git', ['--git-dir', store, 'fsck', '--full']).status, { timeout: 20_000 }).toBe(0),
  };
};

export const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=U', '-c', 'user.email=u@localhost', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
  });

/** Every path below a folder with its kind, permission bits and content; names are wide strings. */
export const stateOf = (root: string, isSeen: (name: string) => boolean = (name) => name !== '.git') => {
  const state = new Map<string, string>();
  const visit = (path: string) => {
    for (const name of readdirSync(bytes(path), { encoding: 'latin1' })) {
      if (!isSeen(name)) continue;
      const here = `${path}/${name}`;
      const stat = lstatSync(bytes(here));
      const mode = (stat.mode & 0o7777).toString(8);
      const key = here.slice(root.length + 1);
      if (stat.isDirectory()) {
        state.set(key, `folder ${mode}`);
        visit(here);
      } else if (stat.isSymbolicLink()) state.set(key, `link ${readlinkSync(bytes(here), { encoding: 'latin1' })}`);
      else if (stat.isFile()) state.set(key, `file ${mode} ${readFileSync(bytes(here), 'latin1')}`);
      else state.set(key, 'special');
    }
  };
  visit(root);
  return new Map([...state].toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

export const bytes = (path: string): Buffer => Buffer.from(path, 'latin1');

export const tree = async (undo: Undo): Promise<string> => {
  const id = await undo.snapshot();
  if (id === null) throw new Error(`undo is off: ${undo.off()}`);
  return id;
};

/** Does `work` as the agent would, between two snapshots. */
export const asAgent = async (undo: Undo, work: () => unknown) => {
  const before = await tree(undo);
  await work();
  return { before, after: await tree(undo) };
};

export const planned = async (undo: Undo, steps: Plan['steps']): Promise<Plan> => {
  const plan = await undo.plan(steps);
  if (typeof plan === 'string') throw new Error(plan);
  return plan;
};

export const applied = async (undo: Undo, plan: Plan, conflicts: 'keep' | 'overwrite' = 'keep') => {
  const done = await undo.apply(plan, { conflicts });
  if (typeof done === 'string' || 'steps' in done) throw new Error(JSON.stringify(done));
  return done;
};

export const changed = async (undo: Undo, from: string, to: string) => {
  const changes = await undo.diff(from, to);
  if (typeof changes === 'string') throw new Error(changes);
  return changes;
};

export const paths = (changes: readonly { readonly path: string }[]): readonly string[] =>
  changes.map(({ path }) => path).toSorted();
