import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../files/problems.ts';
import { isInside } from '../inside.ts';
import { isAlive } from '../processes/stat.ts';
import { HELD, isHeldMode } from './places.ts';

/**
 * Names that must not come up, held while commands run by empty folders that are mounted read-only: git does not see
 * an empty folder. Removing one would take the mount away from whoever runs, so the last of all sessions does it.
 */
export type Holds = {
  /** Returns those that could not be made since nobody could make them here; throws where a name has come up by now. */
  readonly take: (paths: readonly string[]) => readonly string[];
  /** They stay for a moment: the next command is likely to want them, and a folder that comes and goes wakes watchers. */
  readonly free: (paths: readonly string[]) => void;
  /** Gives up the name that `path` is at or below. */
  readonly release: (path: string) => void;
  readonly close: () => void;
};

/** Milliseconds. */
const LINGER = 1000;

/**
 * `folder` is shared by all sessions: each says there which names it holds, in a file that bears its process's number.
 * Files of the dead, and of those that left while others held the same names, are cleared by the last one.
 */
export const createHolds = (folder: string, root: string): Holds => {
  const key = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const tag = randomBytes(4).toString('hex');
  const own = join(folder, `${key}.${process.pid}.${tag}`);
  const users = new Map<string, number>();
  let known = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const count = (path: string, by: number): void => {
    const now = (users.get(path) ?? 0) + by;
    if (now > 0) users.set(path, now);
    else users.delete(path);
  };
  // We leave before we look for others: of two that leave together one may look twice, but none looks away.
  const clear = (): void => {
    clearTimeout(timer);
    if (users.size > 0) return;
    known = new Set();
    if (existsSync(own)) renameSync(own, join(folder, `${key}.left.${tag}`));
    const files = readdirSync(folder).filter((name) => name.startsWith(`${key}.`));
    if (files.some((name) => lives(Number(name.split('.')[1])))) return;
    for (const name of files) clearFile(join(folder, name));
  };

  return {
    // Others must know of us before we rely on a folder that they might remove.
    take: (paths) => {
      clearTimeout(timer);
      if (paths.some((path) => !known.has(path))) {
        known = new Set([...known, ...paths]);
        writeFileSync(own, JSON.stringify([...known]), { mode: 0o600 });
      }
      const refused = paths.filter((path) => !makeHold(path));
      for (const path of paths) count(path, 1);
      return refused;
    },
    free: (paths) => {
      for (const path of paths) count(path, -1);
      clearTimeout(timer);
      if (known.size > 0) timer = setTimeout(clear, LINGER).unref();
    },
    release: (path) => {
      for (const held of known) if (isInside(held, path)) dropHold(held);
    },
    close: () => {
      users.clear();
      clear();
    },
  };
};

const clearFile = (file: string): void => {
  try {
    const paths: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(paths)) for (const path of paths.map(String)) dropHold(path);
    rmSync(file, { force: true });
  } catch {} // another session does the same at this moment
};

/** False where the system lets nobody like us write here; the command is no exception. */
const makeHold = (path: string): boolean => {
  try {
    mkdirSync(path, { mode: HELD });
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && isHold(path)) return true;
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
    throw error;
  }
};

const isHold = (path: string): boolean => isHeldMode(lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0);

const dropHold = (path: string): void => {
  try {
    if (isHold(path)) rmdirSync(path);
  } catch {} // somebody put something into it, so it is theirs
};

const lives = (pid: number): boolean => Number.isInteger(pid) && isAlive(pid);
