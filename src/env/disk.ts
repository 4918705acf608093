/** The part of the file system that a decision looks at: where a path really leads, and what a folder holds. */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

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
  /^\s*(?:fsmonitor|hooksPath|sshCommand|pager|editor|external|command|textconv|clean|smudge|process|driver|program|helper)\s*=|^\s*\[\s*(?:include|includeIf|alias)\b/im;

/** Whether the configuration of the repository that `folder` is in, or is, names programs for git to start. */
function arms(folder: string): boolean {
  const own = existsSync(join(folder, '.git'))
    ? [join(folder, '.git', 'config'), join(folder, '.git', 'config.worktree')]
    : [];
  const bare = existsSync(join(folder, 'HEAD')) ? [join(folder, 'config')] : [];
  if ([...own, ...bare].some((path) => PROGRAMS.test(read(path)))) return true;
  return own.length === 0 && dirname(folder) !== folder && arms(dirname(folder));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
