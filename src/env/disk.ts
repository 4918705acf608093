/** The part of the file system that a decision looks at: where a path really leads, and what a folder holds. */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

export const createDisk = () => ({ real, names, arms });

/** Links resolved; where the path does not exist, the real path of what does, and the rest. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(real(dirname(path)), basename(path));
  }
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const PROGRAMS =
  /(?:^|\])\s*(?:fsmonitor|hooksPath|sshCommand|pager|editor|external|command|textconv|clean|smudge|process|driver|program|helper)\s*=|(?:^|\])\s*\[\s*(?:include|includeIf|alias)\b/im;

/** Whether the configuration of the repository that `folder` is in, or is, names programs for git to start. */
function arms(folder: string): boolean {
  const dot = join(folder, '.git');
  const [, named = '.git'] = /^gitdir: (.+?)\n?$/s.exec(read(dot)) ?? [];
  const own = existsSync(dot) ? configsOf(resolve(folder, named)) : [];
  const bare = existsSync(join(folder, 'HEAD')) ? configsOf(folder) : [];
  if ([...own, ...bare].some((path) => PROGRAMS.test(read(path)))) return true;
  return own.length === 0 && dirname(folder) !== folder && arms(dirname(folder));
}

/** `commondir` moves the configuration of a repository elsewhere. */
function configsOf(repository: string): readonly string[] {
  const common = resolve(repository, read(join(repository, 'commondir')).trim());
  return [join(common, 'config'), join(repository, 'config'), join(repository, 'config.worktree')];
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
