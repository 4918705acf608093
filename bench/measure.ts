import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export type Cost = {
  /** Milliseconds from exec to the end of the program. */
  readonly wall: number;
  /** Milliseconds of user and system time, of the program and of all that it waited for. */
  readonly cpu: number;
  /** Bytes: the highest sum of VmRSS over the process tree that a sample saw, or one process's VmHWM where that is more. */
  readonly memory: number;
  readonly code: number;
  readonly out: string;
  readonly err: string;
};

export type Run = {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** Milliseconds between two looks at the tree. */
const SAMPLE = 8;

/** Bash is the one that can tell the CPU time of children; its own start is not in the numbers. */
const TIMED = `TIMEFORMAT='%3R %3U %3S'; exec 3>&2; { time "$@" 2>&3; } 2>&4`;

export const measure = async ({ command, cwd, env }: Run): Promise<Cost> => {
  const child = spawn('bash', ['-c', TIMED, 'bench', ...command], {
    cwd,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'pipe'],
  });
  const text = ['', '', ''];
  for (const [i, pipe] of [child.stdio[1], child.stdio[2], child.stdio[4]].entries()) {
    pipe?.on('data', (data: Buffer) => {
      text[i] += data.toString();
    });
  }
  let memory = 0;
  const timer = setInterval(() => {
    memory = Math.max(memory, memoryBelow(child.pid));
  }, SAMPLE);
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve(status ?? 1));
  });
  clearInterval(timer);
  const [out = '', err = '', times = ''] = text;
  const [wall = 0, user = 0, system = 0] = times
    .trim()
    .split(' ')
    .map((seconds) => Number(seconds) * 1000);
  return { wall, cpu: user + system, memory, code, out, err };
};

/** All below the measuring bash. */
const memoryBelow = (root: number | undefined): number => {
  const sizes = root === undefined ? [] : childrenOf(root).flatMap(treeOf).map(readSize);
  return Math.max(
    sizes.reduce((sum, { rss }) => sum + rss, 0),
    ...sizes.map(({ peak }) => peak),
  );
};

const treeOf = (pid: number): readonly number[] => [pid, ...childrenOf(pid).flatMap(treeOf)];

const childrenOf = (pid: number): readonly number[] =>
  read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((part) => part !== '')
    .map(Number);

const readSize = (pid: number): { rss: number; peak: number } => {
  const status = read(`/proc/${pid}/status`);
  const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { rss: bytes('VmRSS'), peak: bytes('VmHWM') };
};

/** '' where the process is gone. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** The value below which the part `q` of them lies; NaN for none. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return low + (high - low) * (at - Math.floor(at));
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);
