import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The git branch of a folder, a short commit where none is checked out, undefined outside of git. No process is run. */
export const readBranch = (folder: string): string | undefined => {
  try {
    const git = findGit(folder);
    if (git === undefined) return undefined;
    const head = readFileSync(join(git, 'HEAD'), 'utf8').trim();
    return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 7);
  } catch {
    return undefined;
  }
};

/** In a worktree `.git` is a file that names the folder. */
const findGit = (folder: string): string | undefined => {
  const git = join(folder, '.git');
  const found = statSync(git, { throwIfNoEntry: false });
  if (found?.isDirectory()) return git;
  if (found)
    return resolve(
      folder,
      readFileSync(git, 'utf8')
        .replace(/^gitdir:\s*/, '')
        .trim(),
    );
  return dirname(folder) === folder ? undefined : findGit(dirname(folder));
};
