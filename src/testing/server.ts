import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { field, text, tryJson } from '../core/json.ts';
import type { Json } from '../core/types.ts';
import { readRounds } from './asked.ts';
import { type Chunking, deliver, end, type Piece } from './deliver.ts';
import { anthropic } from './dialects/anthropic.ts';
import type { Dialect } from './dialects/dialect.ts';
import { openaiChat, reasoningText } from './dialects/openai-chat.ts';
import { openaiResponses } from './dialects/openai-responses.ts';
import { type Made, makeReply } from './made.ts';
import type { Asked, Reply, Scenario, Served, Turn } from './turn.ts';
import { validatorOf } from './validators/index.ts';

export type ServerOptions = {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly chunking?: Chunking;
  /** Milliseconds before each event of every reply that names no `pause` of its own. */
  readonly pause?: number;
  /** False answers invalid requests too. Default true. */
  readonly strict?: boolean;
  /** False keeps no bodies (`raw`, `json`, `asked` are empty): long benchmarks. Default true. */
  readonly record?: boolean;
  /** What another server sent before: a resumed session is checked against it. */
  readonly served?: readonly Served[];
  /** Model ids that `GET /v1/models` lists. */
  readonly models?: readonly string[];
};

export type Recorded = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body's exact bytes, and what they parse to. */
  readonly raw: Uint8Array;
  readonly json: Json | undefined;
  readonly asked: Asked | undefined;
  readonly violations: readonly string[];
  /** Milliseconds since the epoch, when the last byte of the request had arrived. */
  readonly time: number;
  /** How the response stands: still open, sent to its end, or the client left first. */
  readonly outcome: () => 'open' | 'sent' | 'left';
};

export type ScriptedServer = {
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly url: string;
  readonly requests: readonly Recorded[];
  /** Every violation so far, each with the number of its request. */
  readonly violations: readonly string[];
  readonly served: readonly Served[];
  /** Drops open connections and resolves when the port is free. */
  readonly close: () => Promise<void>;
};

const dialects: Readonly<Record<string, Dialect>> = {
  messages: anthropic,
  'chat/completions': openaiChat,
  responses: openaiResponses,
};

type State = {
  readonly requests: Recorded[];
  readonly violations: string[];
  readonly served: Served[];
  /** Valid requests answered by the scenario. */
  turns: number;
};

/** A strict model server on loopback. It checks each request as the provider would, then answers by the scenario. */
export const startServer = async (scenario: Scenario, options: ServerOptions = {}): Promise<ScriptedServer> => {
  const state: State = { requests: [], violations: [], served: [...(options.served ?? [])], turns: 0 };
  const server = createServer((request, response) => {
    response.socket?.setNoDelay(true);
    handle(request, response, scenario, options, state).catch((error: unknown) => {
      // A scenario that throws is a mistake in a test: it must show, and not as a hang.
      const line = `the scenario threw: ${String(error)}`;
      state.violations.push(line);
      if (response.headersSent) response.destroy();
      else response.writeHead(400).end(line);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, ...state, close };
};

const handle = async (
  request: IncomingMessage,
  response: ServerResponse,
  scenario: Scenario,
  options: ServerOptions,
  state: State,
): Promise<void> => {
  const raw = await readBody(request);
  const path = new URL(request.url ?? '/', 'http://loopback').pathname;
  const route = /^(?:\/([a-z]+))?(?:\/v1)?(?:beta\/openai)?\/(messages|chat\/completions|responses|models)$/.exec(path);
  const dialect = dialects[route?.[2] ?? ''];
  if (route?.[2] === 'models') return sendJson(response, 200, modelList(options.models ?? ['scripted']));
  if (!dialect || request.method !== 'POST') {
    state.violations.push(`no such endpoint: ${request.method} ${path}`);
    return sendJson(response, 404, openaiChat.problem(404, `no such endpoint: ${request.method} ${path}`, 'openai'));
  }
  const vendor = route?.[1] ?? vendorOf(dialect, path);
  const json = parseBody(raw);
  const headers = headersOf(request);
  const violations = options.strict === false ? [] : check(json, headers, dialect, vendor, state.served);
  const asked = json === undefined ? undefined : readAsked(json, dialect, vendor);
  const keep = options.record !== false;
  state.requests.push({
    method: 'POST',
    path,
    headers,
    raw: keep ? raw : new Uint8Array(),
    json: keep ? json : undefined,
    asked: keep ? asked : undefined,
    violations,
    time: Date.now(),
    outcome: () => (response.writableFinished ? 'sent' : response.destroyed ? 'left' : 'open'),
  });
  const refuse = (lines: readonly string[], status = 400) => {
    state.violations.push(...lines.map((line) => `request ${state.requests.length}: ${line}`));
    sendJson(response, status, dialect.problem(status, lines.join('; '), vendor));
  };
  if (violations.length > 0 || !asked) return refuse(violations, violations.some((line) => line === noKey) ? 401 : 400);
  const turn = turnOf(scenario, asked, state.turns);
  if (!turn) return refuse([`the scenario has only ${state.turns} turns`]);
  state.turns += 1;
  const stream = field(json, 'stream') === true;
  await answer({ turn, asked, dialect, stream, bytes: raw.length, response, options, state });
};

const parseBody = (raw: Uint8Array): Json | undefined => {
  try {
    return tryJson(new TextDecoder('utf-8', { fatal: true }).decode(raw));
  } catch {
    return undefined;
  }
};

const noKey = 'no API key: x-api-key or authorization is missing';

/** Gemini's own path of its compatible endpoint says who is meant. */
const vendorOf = (dialect: Dialect, path: string): string => {
  if (dialect.name === 'anthropic') return 'anthropic';
  return path.startsWith('/v1beta/openai/') ? 'gemini' : 'openai';
};

const check = (
  json: Json | undefined,
  headers: Readonly<Record<string, string>>,
  dialect: Dialect,
  vendor: string,
  served: readonly Served[],
): readonly string[] => {
  if (json === undefined) return ['the body is not JSON in UTF-8'];
  const authorised = headers['x-api-key'] !== undefined || headers['authorization'] !== undefined;
  return [
    ...(dialect.name === 'anthropic' && !authorised ? [noKey] : []),
    ...(dialect.name === 'anthropic' && !headers['anthropic-version'] ? ['anthropic-version: header missing'] : []),
    ...validatorOf(dialect.name, vendor)(json, served),
  ];
};

const readAsked = (json: Json, dialect: Dialect, vendor: string): Asked => {
  const parts = dialect.read(json);
  const model = text(field(json, 'model'));
  return { dialect: dialect.name, vendor, model, ...parts, ...readRounds(parts.messages) };
};

const turnOf = (scenario: Scenario, asked: Asked, index: number): Turn | undefined =>
  typeof scenario === 'function' ? scenario(asked, index) : scenario[index];

type Answering = {
  readonly turn: Turn;
  readonly asked: Asked;
  readonly dialect: Dialect;
  readonly stream: boolean;
  readonly bytes: number;
  readonly response: ServerResponse;
  readonly options: ServerOptions;
  readonly state: State;
};

const answer = async ({ turn, asked, dialect, stream, bytes, response, options, state }: Answering): Promise<void> => {
  if ('fail' in turn) {
    if (turn.fail === 'close') response.destroy();
    else if (turn.fail === 'reset') end(response, 'reset');
    return;
  }
  if ('raw' in turn) {
    response.writeHead(turn.status ?? 200, { 'content-type': 'text/event-stream', ...turn.headers });
    return deliver(response, turn.raw, turn.then ?? 'close', options.chunking);
  }
  if ('status' in turn) {
    const body = turn.body ?? dialect.problem(turn.status, turn.message ?? 'scripted failure', asked.vendor);
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    response.writeHead(turn.status, { 'content-type': type, ...turn.headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
    return;
  }
  const made = makeReply(turn, { model: asked.model, vendor: asked.vendor, index: state.turns - 1, bytes });
  if (!turn.cut) state.served.push(remember(made, dialect, asked.vendor));
  if (!stream) return sendJson(response, 200, dialect.whole(made));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const how = turn.cut?.how ?? 'close';
  await deliver(response, piecesOf(turn, dialect, made, options), how === 'error' ? 'close' : how, options.chunking);
};

const piecesOf = (reply: Reply, dialect: Dialect, made: Made, options: ServerOptions): readonly Piece[] => {
  const events = dialect.events(made);
  const pause = reply.pause ?? options.pause ?? 0;
  return [
    ...(reply.delay ? [reply.delay] : []),
    ...events.slice(0, reply.cut?.after).flatMap((event): Piece[] => (pause > 0 ? [pause, event] : [event])),
    ...(reply.cut?.how === 'error' ? [dialect.broken('scripted overload')] : []),
  ];
};

const remember = (made: Made, dialect: Dialect, vendor: string): Served => ({
  dialect: dialect.name,
  vendor,
  thoughts: dialect.thoughts(made),
  reasoning: dialect.name === 'openai-chat' ? reasoningText(made) : '',
  calls: made.calls.map(({ id, signature }) => (signature === undefined ? { id } : { id, signature })),
});

/** The exact bytes of a streamed reply, for scenarios that change them (line ends, comments, cuts). */
export const renderReply = (name: Dialect['name'], reply: Reply, model = 'scripted'): string => {
  const dialect = [anthropic, openaiChat, openaiResponses].find((other) => other.name === name) ?? anthropic;
  const vendor = name === 'anthropic' ? 'anthropic' : 'openai';
  return dialect.events(makeReply(reply, { model, vendor, index: 0, bytes: 0 })).join('');
};

const modelList = (ids: readonly string[]): Json => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model', type: 'model', display_name: id, created: 0, owned_by: 'scripted' })),
  has_more: false,
  first_id: ids.at(0) ?? null,
  last_id: ids.at(-1) ?? null,
});

const sendJson = (response: ServerResponse, status: number, body: Json): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const headersOf = (request: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));

const readBody = async (request: IncomingMessage): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
};
