/**
 * Sessions in this process, against a strict server on loopback: what one case needs, in each flavour of the wire. The
 * harness is the real one, with real files and real commands; only the model is scripted.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Entry, Json, Logged, Message } from '../../src/core/types.ts';
import { sessionPath } from '../../src/env/session-files.ts';
import { createHarness, type Ending, type HarnessOptions, type Seen, type Session } from '../../src/harness/index.ts';
import { readRecords, writeRecord } from '../../src/session/index.ts';
import {
  type Asked,
  type DialectName,
  type Recorded,
  type Scenario,
  type ScriptedServer,
  type ServerOptions,
  startServer,
  type Turn,
} from '../../src/testing/index.ts';
import { until } from '../support/rein.ts';

export const MODELS = {
  anthropic: 'anthropic/claude-sonnet-5-5',
  responses: 'openai/gpt-5.6-sol',
  // At the path of OpenAI itself, whose rules are the strictest of the chat dialect.
  chat: 'xai/grok-4.7',
  gemini: 'gemini/gemini-3.8-flash',
  mistral: 'mistral/mistral-large-latest',
  deepseek: 'deepseek/deepseek-v4-pro',
} as const;
export type Flavour = keyof typeof MODELS;
export const FLAVOURS: readonly Flavour[] = ['anthropic', 'responses', 'chat', 'gemini', 'mistral', 'deepseek'];
/** One for each protocol. */
export const PROTOCOLS: readonly Flavour[] = ['anthropic', 'responses', 'chat'];
/** Those that speak Chat Completions. */
export const CHATS: readonly Flavour[] = ['chat', 'gemini', 'mistral', 'deepseek'];

export const dialectOf = (flavour: Flavour): DialectName =>
  flavour === 'anthropic' ? 'anthropic' : flavour === 'responses' ? 'openai-responses' : 'openai-chat';

const variablesFor = (url: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  ANTHROPIC_BASE_URL: url,
  OPENAI_BASE_URL: `${url}/v1`,
  XAI_BASE_URL: `${url}/openai/v1`,
  GEMINI_BASE_URL: `${url}/v1beta/openai`,
  MISTRAL_BASE_URL: `${url}/mistral/v1`,
  DEEPSEEK_BASE_URL: `${url}/deepseek`,
  OLLAMA_BASE_URL: `${url}/ollama/v1`,
  ...Object.fromEntries(
    ['ANTHROPIC', 'OPENAI', 'XAI', 'GEMINI', 'MISTRAL', 'DEEPSEEK'].map((name) => [`${name}_API_KEY`, 'k']),
  ),
});

export type WorldOptions = ServerOptions & {
  /** Requests that the server should refuse are the point. */
  readonly refusals?: true;
};

export type Opening = Partial<Pick<HarnessOptions, 'settings' | 'ask' | 'tools' | 'model'>> & {
  /** Instead of the world's own. */
  readonly flavour?: Flavour;
  readonly resume?: string;
  readonly fork?: boolean;
};

export type Open = {
  readonly session: Session;
  /** Sends a prompt and waits for its end. */
  readonly say: (text: string) => Promise<Ending>;
  /** Everything a front end saw so far. */
  readonly seen: readonly Seen[];
  /** Its notices, and warnings of the harness. */
  readonly notices: () => readonly string[];
  readonly path: string;
};

export type World = {
  readonly server: ScriptedServer;
  readonly work: string;
  readonly open: (opening?: Opening) => Promise<Open>;
  /** A log that holds these, as an earlier program left it. Returns its path. */
  readonly craft: (facts: readonly (Message | Entry)[], model?: string) => Promise<string>;
  readonly put: (name: string, content: string | Uint8Array) => void;
  /** A file of the workspace as text, undefined where there is none. */
  readonly file: (name: string) => string | undefined;
  readonly appears: (name: string) => Promise<void>;
};

type Ending_ = (end: () => Promise<void>) => void;

export async function createWorld(
  onEnd: Ending_,
  flavour: Flavour,
  scenario: Scenario,
  options: WorldOptions = {},
): Promise<World> {
  const server = await startServer(scenario, options);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rein-case-')));
  const work = join(root, 'work');
  mkdirSync(work);
  const sessions = new Set<Session>();
  onEnd(async () => {
    for (const session of sessions) await session.close();
    await server.close();
    rmSync(root, { recursive: true, force: true });
    if (!options.refusals) expect(server.violations).toEqual([]);
  });
  const state = join(root, 'state');
  const open = async ({ flavour: other, resume, fork, settings, ...more }: Opening = {}): Promise<Open> => {
    const warnings: string[] = [];
    const harness = createHarness({
      cwd: work,
      settings: { model: MODELS[other ?? flavour], permissionMode: 'bypass', undo: 'off', ...settings },
      home: root,
      configFolder: join(root, 'config'),
      stateFolder: state,
      variables: variablesFor(server.url),
      offline: true,
      bare: true,
      warn: (text) => warnings.push(text),
      program: [],
      client: [],
      ...more,
    });
    const session = await harness.open({ ...(resume ? { resume } : {}), ...(fork ? { fork } : {}) });
    if (typeof session === 'string') throw new Error(session);
    sessions.add(session);
    const seen: Seen[] = [];
    void (async () => {
      for await (const one of session.events()) seen.push(one);
    })();
    const say = async (text: string) => {
      session.send(text);
      return session.settled();
    };
    const notices = () => [
      ...warnings,
      ...seen.flatMap((one) => ('live' in one && one.live === 'notice' ? [one.text] : [])),
    ];
    return { session, say, seen, notices, path: session.file ?? '' };
  };
  let crafted = 0;
  const craft: World['craft'] = async (facts, model = MODELS[flavour]) => {
    const { session } = await open({ settings: { model } });
    const id = `20260101-1200${String(10 + crafted++)}-abcdef`;
    const path = sessionPath(join(state, 'sessions'), work, id);
    const opened: Entry = { type: 'opened', version: 1, cwd: work, system: 'Be brief.', tools: session.schemas, model };
    const entries = [
      opened,
      ...facts.map((fact): Entry => ('role' in fact ? { type: 'message', message: fact } : fact)),
    ];
    const lines = entries.map(
      (entry, at): Logged => ({ ...entry, id: `e${at}`, parent: at === 0 ? null : `e${at - 1}`, time: at }),
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, [{ rein: 1 as const, session: id, time: 0, cwd: work }, ...lines].map(writeRecord).join(''));
    return path;
  };
  const file = (name: string) => {
    try {
      return readFileSync(join(work, name), 'utf8');
    } catch {
      return undefined;
    }
  };
  return {
    server,
    work,
    open,
    craft,
    put: (name, content) => writeFileSync(join(work, name), content),
    file,
    appears: (name) => until(() => file(name) !== undefined, `${name} appears`),
  };
}

export type Make = (scenario: Scenario, options?: WorldOptions) => Promise<World>;

/** One case in each flavour that it applies to, a test for each. */
export function everywhere(
  ids: string,
  promise: string,
  body: (make: Make, flavour: Flavour) => Promise<void>,
  flavours: readonly Flavour[] = FLAVOURS,
): void {
  for (const flavour of flavours) {
    test.concurrent(`${ids} ${flavour}: ${promise}`, async ({ onTestFinished }) => {
      await body((scenario, options) => createWorld(onTestFinished, flavour, scenario, options), flavour);
    });
  }
}

export const entriesOf = (path: string): readonly Logged[] => readRecords(readFileSync(path, 'utf8')).entries;

export const saidOf = (request: Recorded | undefined) => request?.asked?.messages ?? [];

export type Pair = { readonly id: string; readonly name: string; readonly text: string; readonly failed: boolean };

/** The calls of a request, in order, each with the result that stands under its id. */
export const pairsOf = (request: Recorded | undefined): readonly Pair[] => {
  const said = saidOf(request);
  const results = said.filter((one) => one.role === 'result');
  return said.flatMap((one) =>
    one.role === 'assistant'
      ? one.calls.flatMap(({ id, name }) => {
          const result = results.find(({ call }) => call === id);
          return result ? [{ id, name, text: result.text, failed: result.failed }] : [];
        })
      : [],
  );
};

/** The turns of a body as they stand in it. */
export const turnsOf = (request: Recorded | undefined): readonly Json[] => {
  const body: { messages?: Json[]; input?: Json[] } = JSON.parse(Buffer.from(request?.raw ?? []).toString() || '{}');
  return body.messages ?? body.input ?? [];
};

/** These bytes, then silence. */
// biome-ignore lint/suspicious/noThenProperty: the scripted server's own word for what follows the bytes
export const hangsAfter = (...raw: readonly string[]): Turn => ({ raw, then: 'hang' });

/** These turns one after the other, whatever is asked; `done` when they are used up. */
export const inOrder =
  (...turns: readonly Turn[]) =>
  (_: Asked, index: number): Turn =>
    turns[index] ?? { text: 'done' };
