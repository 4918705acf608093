/** Runs ripgrep: the binary of the npm package, else the one on PATH. */
import { spawn } from 'node:child_process';

export type Search = {
  /** An argument vector; no shell sees it. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** A file descriptor to search instead of a folder. */
  readonly stdin?: number;
  readonly signal: AbortSignal;
  /** The deadline in milliseconds. */
  readonly within: number;
  /** Gets what ripgrep prints, as it comes. False means enough: ripgrep is ended. */
  readonly take: (chunk: Buffer) => boolean;
};

export type Searched = {
  readonly end: 'done' | 'enough' | 'time' | 'stopped' | 'missing';
  /** ripgrep's own: 0 found, 1 found nothing, 2 something failed on the way. */
  readonly code: number | null;
  /** What it complained about, at most 8 KB. */
  readonly errors: string;
};

export type Ripgrep = (search: Search) => Promise<Searched>;

const ERRORS = 8192;

/** `binary` is for tests and for machines with a ripgrep of their own. */
export const createRipgrep = (binary?: string): Ripgrep => {
  let found = binary;
  return async (search) => {
    found ??= (await findPackagedRipgrep()) ?? 'rg';
    return run(found, search);
  };
};

/** Undefined where the package has no binary for this platform: its import throws then. */
export const findPackagedRipgrep = async (): Promise<string | undefined> => {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch {
    return undefined;
  }
};

const run = (binary: string, { args, cwd, stdin, signal, within, take }: Search): Promise<Searched> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve({ end: 'stopped', code: null, errors: '' });
    let end: Searched['end'] = 'done';
    let errors = '';
    // A config file of the user's could name programs to run (--pre).
    const child = spawn(binary, ['--no-config', ...args], { cwd, stdio: [stdin ?? 'ignore', 'pipe', 'pipe'] });
    const stop = (why: Searched['end']) => {
      if (end === 'done') end = why;
      child.kill('SIGKILL');
      child.stdout?.destroy();
    };
    const onAbort = () => stop('stopped');
    const timer = setTimeout(() => stop('time'), within);
    signal.addEventListener('abort', onAbort, { once: true });
    const finish = (code: number | null) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve({ end, code, errors });
    };
    child.stdout?.on('data', (chunk: Buffer) => {
      if (end === 'done' && !take(chunk)) stop('enough');
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (errors.length < ERRORS) errors = (errors + chunk.toString('utf8')).slice(0, ERRORS);
    });
    child.once('error', () => {
      end = 'missing';
      finish(null);
    });
    child.once('close', finish);
  });
