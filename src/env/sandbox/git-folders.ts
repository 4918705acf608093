import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { exists, findPlace } from './places.ts';

/** What git needs so that `git commit` works in `root`, and what of it would run later, outside of every wall. */
export type GitFolders = {
  readonly writable: readonly string[];
  readonly protect: readonly string[];
  readonly watched: readonly string[];
};

const RUNS = ['hooks', 'config', 'config.worktree'];

/**
 * The repository that `root` is in: its own, that of a folder above, or the main one of a worktree. A `.git` file comes
 * with the workspace and may name any folder, so it is believed only where that folder points back to it.
 */
export const findGitFolders = (root: string): GitFolders => {
  const own = join(root, '.git');
  const dot = findUp(root);
  const place = dot === undefined ? undefined : findPlace(dot);
  if (dot === undefined || !place) return { writable: [], protect: [own], watched: [] };
  const common = place.folder ? place.path : commonFolder(dot);
  if (common === undefined) return { writable: [], protect: [own], watched: [] };
  const folders = [common, ...below(join(common, 'modules')), ...below(join(common, 'worktrees'))];
  const runs = folders.flatMap((folder) => RUNS.map((name) => join(folder, name)));
  return {
    writable: dot === own && place.folder ? [] : [common],
    // Of these only `hooks` may be missing without a change in what git does.
    protect: [
      ...(dot === own && place.folder ? [] : [own]),
      join(common, 'hooks'),
      ...runs.filter(exists),
      ...below(join(common, 'worktrees')).flatMap((tree) => ['commondir', 'gitdir'].map((name) => join(tree, name))),
    ],
    watched: [join(common, 'commondir'), join(common, 'config.worktree')],
  };
};

const findUp = (folder: string): string | undefined => {
  const dot = join(folder, '.git');
  if (exists(dot)) return dot;
  return dirname(folder) === folder ? undefined : findUp(dirname(folder));
};

const commonFolder = (dot: string): string | undefined => {
  try {
    const [, named = ''] = /^gitdir: (.+?)\n?$/s.exec(readFileSync(dot, 'utf8')) ?? [];
    const folder = realpathSync(resolve(dirname(dot), named));
    const back = readFileSync(join(folder, 'gitdir'), 'utf8').trim();
    if (realpathSync(resolve(folder, back)) !== realpathSync(dot)) return undefined;
    return realpathSync(resolve(folder, readFileSync(join(folder, 'commondir'), 'utf8').trim()));
  } catch {
    return undefined;
  }
};

const below = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
};
