import { readdirSync } from 'node:fs';
import { codeOf } from '../files/problems.ts';
import { statOf } from '../processes/stat.ts';

/** Milliseconds; only a process that is stuck in the kernel takes so long. */
const PATIENCE = 5000;

/** Milliseconds until /proc is asked, too, which takes longer; and how many looks are a millisecond apart. */
const SOON = 1;
const LATE = 20;

/**
 * Resolves to true once nothing of a process group lives. With a process namespace that means: nothing at all of the
 * command, since the namespace's first process is in the group and its end is complete only when all others are dead.
 */
export const whenGroupEnds = async (group: number): Promise<boolean> => {
  const deadline = performance.now() + PATIENCE;
  for (let look = 0; exists(group); look++) {
    if (look > SOON && !lives(group)) return true;
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(1, look - LATE), 100)));
  }
  return true;
};

const exists = (group: number): boolean => {
  try {
    return process.kill(-group, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
};

/** The dead stay in their group until init takes notice of them, and some let them lie for seconds. */
const lives = (group: number): boolean =>
  // The youngest are asked first: where one lives, that answers it.
  readdirSync('/proc').findLast((name) => {
    const stat = /^\d+$/.test(name) ? statOf(name) : undefined;
    return stat?.group === group && !stat.dead;
  }) !== undefined;
