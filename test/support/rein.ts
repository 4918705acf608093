/** Runs the real program: its own process, a home and a workspace of its own, a scripted server on loopback. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Logged } from '../../src/core/types.ts';
import { type Header, readRecords } from '../../src/session/index.ts';
import { type Recorded, type ScriptedServer, type Scenario, type ServerOptions, startServer } from '../../src/testing/index.ts';

export type World = {
  readonly server: ScriptedServer;
  readonly work: string;
  readonly home: string;
  readonly variables: Record<string, string>;
  /** Runs rein to its end. */
  readonly rein: (argv: readonly string[], options?: RunOptions) => Promise<Ran>;
  /** Starts it and leaves it to the test. */
  readonly start: (argv: readonly string[], options?: RunOptions) => Started;
  /** The session logs, oldest first. */
  readonly logs: () => { path: string; header: Header | undefined; entries: readonly Logged[]; text: string }[];
};

export type RunOptions = {
  readonly variables?: Record<string, string>;
  readonly stdin?: string | 'open' | 'closed';
  readonly cwd?: string;
  readonly node?: readonly string[];
};

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type Started = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  readonly stdout: () => string;
  /** Resolves when stdout and stderr so far hold the text. */
  readonly says: (text: string) => Promise<void>;
};

const BIN = new URL('../../bin/rein.cjs', import.meta.url).pathname;

/** A world for one test; it ends with the test. */
export async function createWorld(scenario: Scenario, options: ServerOptions = {}): Promise<World> {
  const server = await startServer(scenario, options);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rein-test-')));
  const work = join(root, 'work');
  const home = join(root, 'home');
  mkdirSync(work);
  mkdirSync(home);
  const running = new Set<ChildProcess>();
  onTestFinished(async () => {
    for (const child of running) child.kill('SIGKILL');
    await server.close();
    rmSync(root, { recursive: true, force: true });
  });
  const variables = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    REIN_HOME: join(home, 'rein'),
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-test-CANARY123',
    TERM: 'dumb',
  };
  const start = (argv: readonly string[], run: RunOptions = {}) => {
    const child = spawn(process.execPath, [...(run.node ?? []), BIN, ...argv], {
      cwd: run.cwd ?? work,
      env: { ...variables, ...run.variables },
      stdio: [run.stdin === undefined || run.stdin === 'closed' ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    running.add(child);
    child.on('close', () => running.delete(child));
    if (run.stdin !== undefined && run.stdin !== 'open' && run.stdin !== 'closed') child.stdin?.end(run.stdin);
    return watch(child);
  };
  return { server, work, home, variables, start, rein: (argv, run) => start(argv, run).ended, logs: () => logsOf(home) };
}

function watch(child: ChildProcess): Started {
  let stdout = '';
  let stderr = '';
  const waiting = new Set<() => void>();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const look of waiting) look();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const look of waiting) look();
  });
  const ended = new Promise<Ran>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!stdout.includes(text) && !stderr.includes(text)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended without saying ${text}:\n${stdout}\n${stderr}`)));
    });
  return { child, ended, stdout: () => stdout, says };
}

function logsOf(home: string) {
  const sessions = join(home, 'rein', 'sessions');
  const paths = readFolder(sessions).flatMap((folder) =>
    readFolder(join(sessions, folder))
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(sessions, folder, name)),
  );
  return paths.sort().map((path) => {
    const text = readFileSync(path, 'utf8');
    const { header, entries } = readRecords(text);
    return { path, header, entries, text };
  });
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}

/** The objects of a stream-json output. Fails where a line is none. */
export const linesOf = (stdout: string): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** The results that a recorded request holds, in order. */
export const resultsOf = (request: Recorded | undefined): string[] =>
  request?.asked?.messages.flatMap((said) => (said.role === 'result' ? [said.text] : [])) ?? [];
