import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { constants } from 'node:os';
import { createOutput, type Output } from './output.ts';
import { closePipe, type Drain, drainPipe, type Pipe } from './pipe.ts';
import { openNote, readNote } from './shell.ts';
import { endTree, findTree, groupLives, type Tree } from './tree.ts';

export type Cause = 'exit' | 'deadline' | 'stopped';

/** How a command ended. It is a report of the same shape whether that was well or not. */
export type Ended = {
  readonly cause: Cause;
  /** As a shell would say it: 128 + signal for a death by signal. */
  readonly code: number;
  readonly signal: NodeJS.Signals | undefined;
  /** Where the shell stood at its end; absent where it can't be known. */
  readonly cwd: string | undefined;
  /** What the sandbox has to say. */
  readonly notes: readonly string[];
  /** Descendants that still run. */
  readonly left: readonly number[];
  /** Milliseconds. */
  readonly duration: number;
};

/** A command that was started. */
export type Run = {
  readonly command: string;
  /** Of the shell, and of the process group. */
  readonly pid: number;
  readonly output: Output;
  readonly ended: Promise<Ended>;
  /** Nothing while it runs. */
  readonly end: () => Ended | undefined;
  /** Ends the whole tree; resolves when it is gone. */
  readonly stop: () => Promise<Ended>;
  /** From now on neither the deadline nor the signal ends it. */
  readonly release: () => void;
};

export type Start = {
  readonly command: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly ended?: ((pid?: number) => Promise<readonly string[]>) | undefined;
  readonly mark: string;
  readonly pipe: Pipe;
  /** Two paths nobody uses: for the shell's directory, and for output that is too much for memory. */
  readonly notePath: string;
  readonly outputPath: string;
  /** Milliseconds; absent for no deadline. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Milliseconds: between TERM and KILL, and for what a dying pipeline may still print. */
const GRACE = 1500;
const LAST_WORDS = 30;

/** Starts a process in a session of its own: no terminal to grab, an empty stdin, one group to end. Rejects if it can't. */
export const startRun = async (start: Start): Promise<Run> => {
  const { pipe } = start;
  const note = openNote(start.notePath);
  const child = await spawnDetached(start, note).catch((error: unknown) => {
    closePipe(pipe);
    closeSync(note);
    void start.ended?.();
    throw error;
  });
  const pid = child.pid ?? 0;
  const output = createOutput(start.outputPath);
  const drain = drainPipe(pipe.read, output.write);
  closeSync(pipe.write);
  const tree: Tree = { groups: [pid], mark: start.mark };
  const began = performance.now();
  let ending: { cause: Cause; left: Promise<readonly number[]> } | undefined;
  let end: Ended | undefined;

  const stop = (cause: Cause): void => {
    if (!end) ending ??= { cause, left: endTree(tree, GRACE) };
  };
  const timer = start.timeout === undefined ? undefined : setTimeout(() => stop('deadline'), start.timeout);
  const abort = (): void => stop('stopped');
  start.signal?.addEventListener('abort', abort, { once: true });
  if (start.signal?.aborted) abort();

  const release = (): void => {
    clearTimeout(timer);
    start.signal?.removeEventListener('abort', abort);
  };
  const finish = async (): Promise<Ended> => {
    const { code, signal } = await exitOf(child);
    const notes = (await start.ended?.(pid)) ?? [];
    const cause = ending?.cause ?? 'exit';
    const duration = performance.now() - began;
    release();
    const died = await ending?.left;
    const quiet = await settle(drain);
    const left = died ?? (quiet && !groupLives(pid) ? [] : findTree(tree));
    if (left.length > 0) drain.discard();
    else drain.close();
    output.close();
    const cwd = readNote(note) || undefined;
    end = { cause, code: code ?? 128 + numberOf(signal), signal, cwd, notes, left, duration };
    return end;
  };
  const ended = finish();
  return {
    command: start.command,
    pid,
    output,
    ended,
    end: () => end,
    stop: () => {
      stop('stopped');
      return ended;
    },
    release,
  };
};

type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | undefined };

const exitOf = (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => {
    const { exitCode, signalCode } = child;
    if (exitCode !== null || signalCode !== null) resolve({ code: exitCode, signal: signalCode ?? undefined });
    child.once('exit', (code, signal) => resolve({ code, signal: signal ?? undefined }));
  });

const spawnDetached = ({ argv, cwd, env, pipe }: Start, note: number): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const [program = '', ...rest] = argv;
    const child = spawn(program, rest, { cwd, env, detached: true, stdio: ['ignore', pipe.write, pipe.write, note] });
    child.once('error', reject);
    child.once('spawn', () => resolve(child));
  });

/** What was written before the end is in the pipe now. Only where somebody holds it still, wait a moment. */
const settle = async (drain: Drain): Promise<boolean> => {
  if (drain.empty()) return true;
  let timer: NodeJS.Timeout | undefined;
  const moment = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LAST_WORDS);
  });
  await Promise.race([drain.closed, moment]);
  clearTimeout(timer);
  return drain.empty();
};

const numberOf = (signal: NodeJS.Signals | undefined): number => (signal ? constants.signals[signal] : 0);
