import { readdirSync, readFileSync } from 'node:fs';
import { statOf } from './stat.ts';

/** Which processes belong together: members of process groups, and whoever carries a mark in its environment. */
export type Tree = { readonly groups: readonly number[]; readonly mark: string };

/** The variable that marks descendants. A nested session adds its own mark behind a colon, so the outer one still holds. */
export const MARK = 'REIN_MARK';

/**
 * Everything of the tree that lives. Those that left the group (`setsid`, a double fork) are known by the mark in
 * `/proc/PID/environ`; where there is no /proc, only groups are seen.
 */
export const findTree = ({ groups, mark }: Tree): readonly number[] =>
  processIds().filter((pid) => {
    const stat = statOf(pid);
    return stat && !stat.dead && pid !== process.pid && (groups.includes(stat.group) || hasMark(pid, mark));
  });

export const groupLives = (group: number): boolean => signal(-group, 0);

/** To whole groups first: that is atomic, nobody forks away from it. */
export const signalTree = (tree: Tree, name: NodeJS.Signals): void => {
  for (const group of tree.groups) signal(-group, name);
  for (const pid of findTree(tree)) signal(pid, name);
};

/** TERM, `grace` milliseconds, KILL. Resolves to what would not die even so (a process stuck in the kernel). */
export const endTree = async (tree: Tree, grace: number): Promise<readonly number[]> => {
  signalTree(tree, 'SIGTERM');
  if (await gone(tree, grace)) return [];
  for (let round = 0; round < 10; round++) {
    signalTree(tree, 'SIGKILL');
    if (await gone(tree, 200)) return [];
  }
  return findTree(tree);
};

const gone = async (tree: Tree, within: number): Promise<boolean> => {
  const deadline = performance.now() + within;
  for (let pause = 2; ; pause = Math.min(pause * 2, 100)) {
    if (!isAlive(tree)) return true;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, left)));
  }
};

// A zombie keeps its group, so what the cheap question affirms, /proc must confirm.
const isAlive = (tree: Tree): boolean =>
  hasProc() ? findTree(tree).length > 0 : tree.groups.some((group) => groupLives(group));

const signal = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, name);
  } catch {
    return false; // gone, or not ours
  }
};

const processIds = (): readonly number[] => {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
};

const hasProc = (): boolean => statOf('self') !== undefined;

const hasMark = (pid: number, mark: string): boolean => {
  const environment = read(`/proc/${pid}/environ`);
  const at = `\0${environment}`.indexOf(`\0${MARK}=`);
  if (at < 0) return false;
  const value = environment.slice(at + MARK.length + 1).split('\0', 1)[0] ?? '';
  return value.split(':').some((one) => one === mark || one.startsWith(`${mark}.`));
};

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};
