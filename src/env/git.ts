/**
 * Git's plumbing on a repository of our own. It never sees a workspace, and nothing that a user's configuration, hooks or
 * environment say reaches it.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { codeOf } from './files/problems.ts';

export type Git = {
  /**
   * Runs one command and resolves with its stdout. Rejects with git's own words; with `code: 'ENOENT'` where there is no
   * git on the path.
   */
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Buffer>;
  /** One process that reads any number of objects. Close it. */
  readonly openReader: () => Reader;
};

export type RunOptions = { readonly input?: readonly Uint8Array[]; readonly signal?: AbortSignal };

export type Reader = {
  /** An object's bytes; undefined where it isn't there. */
  readonly read: (id: string) => Promise<Buffer | undefined>;
  readonly close: () => void;
};

/** Milliseconds: far more than any of our commands takes, so that none hangs. */
const DEADLINE = 10 * 60_000;

const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  // Everything it writes is the user's alone.
  'core.sharedRepository=0600',
  'core.attributesFile=/dev/null',
  'safe.bareRepository=all',
  'gc.auto=0',
  'maintenance.auto=false',
  'pack.threads=1',
  'repack.writeBitmaps=false',
].flatMap((setting) => ['-c', setting]);

/** `folder` is the repository; `path` is where programs are looked for, as in PATH. */
export const createGit = ({ folder, path }: { readonly folder: string; readonly path: string }): Git => {
  const start = (args: readonly string[]): ChildProcess =>
    spawn('git', [...SETTINGS, ...args], { cwd: folder, env: environmentOf(folder, path), stdio: 'pipe' });
  return {
    run: (args, options = {}) => runToEnd(start(args), options).catch((error: unknown) => explain(error, folder)),
    openReader: () => createReader(start(['cat-file', '--batch'])),
  };
};

/** Complete: none of the user's variables comes along. A relative folder in PATH could be anybody's. */
const environmentOf = (folder: string, path: string): NodeJS.ProcessEnv => ({
  PATH: path
    .split(':')
    .filter((each) => isAbsolute(each))
    .join(':'),
  HOME: '/dev/null',
  LC_ALL: 'C',
  GIT_DIR: folder,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
});

/** The system says the same of a missing program and of a missing folder to start it in. */
const explain = (error: unknown, folder: string): never => {
  const lost = codeOf(error) === 'ENOENT';
  if (lost && existsSync(folder)) throw Object.assign(new Error('git was not found. Install it'), { code: 'ENOENT' });
  throw lost ? new Error(`${folder} is gone`) : error;
};

const runToEnd = (child: ChildProcess, { input = [], signal }: RunOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const stop = () => child.kill('SIGKILL');
    const timer = setTimeout(stop, DEADLINE);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    };
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    child.once('error', (error) => {
      end();
      reject(error);
    });
    child.once('close', (code, killed) => {
      end();
      if (code === 0) return resolve(Buffer.concat(out));
      const words = Buffer.concat(err).toString('utf8').trim().split('\n').at(-1);
      reject(new Error(`git: ${words || (killed ? `ended by ${killed}` : `exit code ${code}`)}`));
    });
    // Git may end before it has read everything; its exit code says why.
    child.stdin?.on('error', () => {});
    for (const chunk of input) child.stdin?.write(chunk);
    child.stdin?.end();
  });

type Waiting = { readonly resolve: (bytes: Buffer | undefined) => void; readonly reject: (error: Error) => void };

/** Answers come in the order of the questions: `ID TYPE SIZE`, a line end, the bytes, a line end. */
const createReader = (child: ChildProcess): Reader => {
  const waiting: Waiting[] = [];
  let parts: Buffer[] = [];
  let size = 0;
  let needed = 1;
  let broken: Error | undefined;

  const fail = (error: Error) => {
    broken ??= error;
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  const take = (chunk: Buffer) => {
    parts.push(chunk);
    size += chunk.length;
    if (size < needed) return;
    let all = Buffer.concat(parts);
    for (let answer = readAnswer(all); ; answer = readAnswer(all)) {
      needed = answer.needed;
      if (answer.needed > all.length) break;
      waiting.shift()?.resolve(answer.bytes);
      all = all.subarray(answer.needed);
    }
    parts = [all];
    size = all.length;
  };

  child.stdout?.on('data', take);
  child.stderr?.resume();
  child.stdin?.on('error', () => {});
  child.once('error', fail);
  child.once('close', () => fail(new Error('git cat-file ended')));
  return {
    read: (id) =>
      new Promise((resolve, reject) => {
        if (broken) return reject(broken);
        waiting.push({ resolve, reject });
        child.stdin?.write(`${id}\n`);
      }),
    close: () => {
      child.kill('SIGKILL');
    },
  };
};

/** `needed` is how many bytes the first answer has, as far as it can be told. */
const readAnswer = (all: Buffer): { readonly needed: number; readonly bytes?: Buffer } => {
  const end = all.indexOf(10);
  if (end < 0) return { needed: all.length + 1 };
  const [, type, size] = all.toString('latin1', 0, end).split(' ');
  if (type === 'missing') return { needed: end + 1 };
  const needed = end + 1 + Number(size) + 1;
  return needed > all.length ? { needed } : { needed, bytes: all.subarray(end + 1, needed - 1) };
};
