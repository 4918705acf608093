import { readFileSync } from 'node:fs';
import { codeOf } from '../files/problems.ts';

export type Stat = {
  /** A zombie has ended, though its id is still taken. */
  readonly dead: boolean;
  readonly group: number;
  /** When it started, in ticks since the boot: an id that is used again has another. */
  readonly started: string;
};

/** What `/proc/PID/stat` says (proc_pid_stat(5)); undefined where there is no such process, or no /proc. */
export const statOf = (pid: number | string): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in the second field may hold anything, so fields count from its end.
    const [state = '', , group, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { dead: 'ZX'.includes(state), group: Number(group), started: rest[16] ?? '' };
  } catch {
    return undefined;
  }
};

/** Also where it belongs to somebody else. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
};
