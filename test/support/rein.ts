/**
 * Runs the real program: its own process, a home and a workspace of its own, a scripted server on loopback. What must
 * hold in every case (the head of the case bank) is checked when a world ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Logged, Message } from '../../src/core/types.ts';
import { type Header, readRecords } from '../../src/session/index.ts';
import {
  type Asked,
  type Recorded,
  type Scenario,
  type ScriptedServer,
  type ServerOptions,
  startServer,
  type Turn,
} from '../../src/testing/index.ts';

export type World = {
  readonly server: ScriptedServer;
  readonly work: string;
  readonly home: string;
  readonly variables: Record<string, string>;
  /** Runs rein to its end. */
  readonly rein: (argv: readonly string[], options?: RunOptions) => Promise<Ran>;
  /** Starts it and leaves it to the test. */
  readonly start: (argv: readonly string[], options?: RunOptions) => Started;
  /** Runs a line of a user's own shell, in which `rein` is this program. */
  readonly shell: (line: string) => Promise<Ran>;
  /** The session logs, oldest first. */
  readonly logs: () => LogText[];
  /** A file of the workspace as text, undefined where there is none. */
  readonly file: (name: string) => string | undefined;
};

export type LogText = { path: string; header: Header | undefined; entries: readonly Logged[]; text: string };

export type WorldOptions = ServerOptions & {
  /** The test damages a log, so not every line of it parses. */
  readonly damaged?: true;
  /** Requests that the server should refuse are the point. */
  readonly refusals?: true;
};

export type RunOptions = {
  /** An undefined one is taken away. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Text, a pipe that stays open, or nothing there at all. */
  readonly stdin?: string | Uint8Array | 'open' | 'closed';
  readonly cwd?: string;
  readonly node?: readonly string[];
};

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type Started = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  readonly stdout: () => string;
  /** Resolves when stdout or stderr so far holds the text. */
  readonly says: (text: string) => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => Promise<Ran>;
};

export const BIN = new URL('../../bin/rein.cjs', import.meta.url).pathname;
export const KEY = 'sk-test-CANARY123';
const CACHE = new URL('../../node_modules/.cache/rein-tests', import.meta.url).pathname;

/** A model of each dialect, and of each vendor with rules of its own; `createWorld` points them all at the server. */
export const MODELS = {
  anthropic: 'anthropic/claude-sonnet-5-5',
  responses: 'openai/gpt-5.6-sol',
  chat: 'groq/openai/gpt-oss-120b',
  mistral: 'mistral/mistral-large-latest',
  deepseek: 'deepseek/deepseek-v4-pro',
  gemini: 'gemini/gemini-3.8-flash',
} as const;
/** One model for each dialect. */
export const DIALECTS = [MODELS.anthropic, MODELS.chat, MODELS.responses];

const endpoints = (url: string): Record<string, string> => ({
  ANTHROPIC_BASE_URL: url,
  OPENAI_BASE_URL: `${url}/v1`,
  GROQ_BASE_URL: `${url}/groq/v1`,
  MISTRAL_BASE_URL: `${url}/mistral/v1`,
  DEEPSEEK_BASE_URL: `${url}/deepseek`,
  GEMINI_BASE_URL: `${url}/v1beta/openai`,
  ...Object.fromEntries(
    ['ANTHROPIC', 'OPENAI', 'GROQ', 'MISTRAL', 'DEEPSEEK', 'GEMINI'].map((name) => [`${name}_API_KEY`, KEY]),
  ),
});

/** A world for one test; it ends with the test. */
export async function createWorld(scenario: Scenario, options: WorldOptions = {}): Promise<World> {
  const server = await startServer(scenario, options);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rein-test-')));
  const work = join(root, 'work');
  const home = join(root, 'home');
  for (const folder of [work, home]) mkdirSync(folder);
  const mark = basename(root);
  const running = new Set<ChildProcess>();
  onTestFinished(async () => {
    for (const child of running) child.kill('SIGKILL');
    await server.close();
    try {
      await expectOrder({ server, home, mark }, options);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
  const variables: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    REIN_HOME: join(home, 'rein'),
    NODE_COMPILE_CACHE: CACHE,
    REIN_TEST_WORLD: mark,
    TERM: 'dumb',
    ...endpoints(server.url),
  };
  const launch = (words: readonly string[], run: RunOptions) => {
    const { stdin = 'closed' } = run;
    const [program = '', ...args] = words;
    const child = spawn(program, args, {
      cwd: run.cwd ?? work,
      env: { ...variables, ...run.variables },
      stdio: [stdin === 'closed' ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    running.add(child);
    child.on('close', () => running.delete(child));
    child.stdin?.on('error', () => {});
    if (stdin !== 'open') child.stdin?.end(stdin);
    return watch(child);
  };
  const start = (argv: readonly string[], run: RunOptions = {}) =>
    launch([process.execPath, ...(run.node ?? []), BIN, ...argv], run);
  const shell = (line: string) =>
    launch(['sh', '-c', `rein() { '${process.execPath}' '${BIN}' "$@"; }; ${line}`], {}).ended;
  const file = (name: string) => tryRead(join(work, name));
  return {
    server,
    work,
    home,
    variables,
    start,
    shell,
    rein: (argv, run) => start(argv, run).ended,
    logs: () => logsOf(home),
    file,
  };
}

/** Requests valid, logs whole, no key on disk, and no process left. */
async function expectOrder(
  { server, home, mark }: { server: ScriptedServer; home: string; mark: string },
  { damaged, refusals }: WorldOptions,
): Promise<void> {
  if (!refusals) expect(server.violations).toEqual([]);
  if (!damaged) for (const { text } of logsOf(home)) for (const line of text.trimEnd().split('\n')) JSON.parse(line);
  expect(filesBelow(home).filter((path) => (tryRead(path) ?? '').includes('CANARY123'))).toEqual([]);
  await until(
    () => marked(mark).length === 0,
    () => `still alive: ${marked(mark).join('; ')}`,
    5000,
  );
}

/** Polls until it holds; throws with `what` when it never does. */
export async function until(holds: () => boolean, what: string | (() => string), ms = 15_000): Promise<void> {
  const end = Date.now() + ms;
  while (!holds()) {
    if (Date.now() > end) throw new Error(typeof what === 'string' ? `never: ${what}` : what());
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Command lines of the living processes of a world. */
const marked = (mark: string): string[] =>
  readFolder('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    const environ = tryRead(join('/proc', pid, 'environ')) ?? '';
    if (!environ.split('\0').includes(`REIN_TEST_WORLD=${mark}`)) return [];
    return [`${pid} ${(tryRead(join('/proc', pid, 'cmdline')) ?? '').replaceAll('\0', ' ')}`];
  });

/** Command lines of the processes that this world's programs and their commands still are. */
export const alive = ({ variables }: World): string[] => marked(variables['REIN_TEST_WORLD'] ?? '');

export const filesBelow = (folder: string): string[] =>
  readFolder(folder).flatMap((name) => {
    const path = resolve(folder, name);
    const kind = statSync(path, { throwIfNoEntry: false });
    return kind?.isDirectory() ? filesBelow(path) : kind?.isFile() ? [path] : [];
  });

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
  const ended = new Promise<Ran>((done) => {
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
  const says = (text: string) =>
    new Promise<void>((done, fail) => {
      const look = () => {
        if (!stdout.includes(text) && !stderr.includes(text)) return;
        waiting.delete(look);
        done();
      };
      waiting.add(look);
      look();
      void ended.then(() => fail(new Error(`it ended without saying ${text}:\n${stdout}\n${stderr}`)));
    });
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return { child, ended, stdout: () => stdout, says, kill };
}

function logsOf(home: string): LogText[] {
  const paths = filesBelow(join(home, 'rein', 'sessions')).filter((path) => path.endsWith('.jsonl'));
  const logs = paths.map((path) => {
    const text = readFileSync(path, 'utf8');
    const { header, entries } = readRecords(text);
    return { path, header, entries, text };
  });
  return logs.sort((a, b) => (a.header?.time ?? 0) - (b.header?.time ?? 0));
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}

export type Line = { readonly [key: string]: unknown };

/** The objects of a stream-json output. Fails where a line is none. */
export const linesOf = (stdout: string): Line[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** The last line of a JSON output: the result. */
export const resultLine = (stdout: string): Line => linesOf(stdout).at(-1) ?? {};

/** The messages of a log, in order. */
export const messagesOf = (log: LogText | undefined): Message[] =>
  log?.entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : [])) ?? [];

/** The results that a recorded request holds, in order. */
export const resultsOf = (request: Recorded | undefined): string[] =>
  request?.asked?.messages.flatMap((said) => (said.role === 'result' ? [said.text] : [])) ?? [];

/** The results of the newest request. */
export const lastResults = ({ server }: World): string[] => resultsOf(server.requests.at(-1));

export const bodyOf = (request: Recorded | undefined): string => Buffer.from(request?.raw ?? []).toString('utf8');

/** What a person said last, whether or not results stand before it. */
export const lastSaid = (asked: Asked): string =>
  asked.messages.findLast((said) => said.role === 'user' && said.text !== '')?.text ?? '';

/** For the prompt `go` these turns, one a round; `done` for every other request. */
export const onGo =
  (...turns: readonly Turn[]) =>
  (asked: Asked): Turn =>
    (lastSaid(asked) === 'go' ? turns[asked.rounds.length] : undefined) ?? { text: 'done' };

export const bash = (command: string, more = {}) => ({ name: 'bash', input: { command, ...more } });
export const runs = (...commands: readonly string[]): Turn => ({ calls: commands.map((command) => bash(command)) });
