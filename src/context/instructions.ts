/** AGENTS.md and its kin: what a project and its user want every agent to know. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Instructions } from './system.ts';

/** In a folder the first of these that is there counts. */
const NAMES = ['AGENTS.override.md', 'AGENTS.md', 'CLAUDE.md'];

/**
 * From the user's own down to the working folder, nearest last. A file that two names lead to counts once. What can't
 * be read is left out.
 */
export function findInstructions(cwd: string, userFolder: string): Instructions[] {
  const found = new Map<string, Instructions>();
  for (const folder of [userFolder, ...chain(cwd)]) {
    const path = NAMES.map((name) => join(folder, name)).find(isFile);
    const text = path && read(path);
    if (path && text) found.set(realpathSync(path), { path, text });
  }
  return [...found.values()];
}

/** The folders from the root of the git repository to `cwd`; `cwd` alone where there is none. */
function chain(cwd: string): string[] {
  const folders = [cwd];
  for (let folder = cwd; !existsSync(join(folder, '.git')); folder = dirname(folder)) {
    if (folder === dirname(folder)) return [cwd];
    folders.unshift(dirname(folder));
  }
  return folders;
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return '';
  }
}
