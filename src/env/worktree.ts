/** Further working trees of a user's own git repository: a place to write where nobody else does. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** `commit` holds what the folder holds now: tracked files as they are, changed or not. `head` is what was committed. */
export type Base = { readonly commit: string; readonly head: string; readonly top: string };

/** The repository's hooks and monitors are its authors': none of them runs because of us. */
const SAFE = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];

const MAX_OUTPUT = 256 * 1024 * 1024;

/** Resolves with stdout; rejects with git's own words. */
const git = (cwd: string, ...args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile('git', [...SAFE, ...args], { cwd, maxBuffer: MAX_OUTPUT }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim().split('\n').at(-1) || error.message));
      else resolve(stdout);
    });
  });

/** A commit needs an author, and a person may have named none. */
const AS_REIN = ['-c', 'user.name=rein', '-c', 'user.email=rein@localhost'];

/** Rejects where the folder is in no repository, or in one without a commit. */
export async function readBase(folder: string): Promise<Base> {
  const top = (await git(folder, 'rev-parse', '--show-toplevel')).trim();
  const head = (await git(folder, 'rev-parse', '--verify', 'HEAD')).trim();
  // A file that was only touched would count as changed and fail it. What it finds to be changed is no failure here.
  await git(top, 'update-index', '-q', '--refresh').catch(() => '');
  // It writes a commit and changes nothing else; it says nothing where nothing has changed.
  const dirty = (await git(folder, ...AS_REIN, 'stash', 'create')).trim();
  return { commit: dirty || head, head, top };
}

/** A working tree at `path`; on a new branch where one is named, else on none. */
export async function addWorktree(from: string, path: string, commit: string, branch?: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const at = branch === undefined ? ['--detach'] : ['-b', branch];
  await git(from, 'worktree', 'add', '--quiet', ...at, path, commit);
}

/** All that differs from `commit`, new files and commits of its own included. It fills the tree's own index. */
export async function diffWorktree(path: string, commit: string): Promise<string> {
  await git(path, 'add', '--all');
  // Not `diff`: that obeys what a person's own configuration says of how it should look.
  return git(path, ...'diff-index -p -M --binary --no-color --no-ext-diff --no-textconv --cached'.split(' '), commit);
}

export const removeWorktree = async (from: string, path: string): Promise<void> => {
  await git(from, 'worktree', 'remove', '--force', path);
};
