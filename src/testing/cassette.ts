import { Buffer } from 'node:buffer';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { Fetch } from '../core/types.ts';

type Init = Parameters<Fetch>[1];
type Response = Awaited<ReturnType<Fetch>>;

/** One line of the file. A chunk that is text on its own is kept as text, any other as base64. */
type Exchange = {
  readonly request: {
    readonly method: string;
    /** Path and query; the origin is left out, so that a cassette outlives a port. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly chunks: readonly (string | { readonly base64: string })[];
    /** False where the reader left before the end. */
    readonly complete: boolean;
  };
  /** The network failed instead. */
  readonly error?: string;
};

const secretHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie'];

/** The response headers that a client of ours reads; the `Fetch` port can't list them. */
const keptHeaders = ['content-type', 'retry-after', 'retry-after-ms', 'request-id', 'x-request-id', 'x-should-retry'];

/**
 * Decorates `fetch`: each exchange goes to `file` as one line of JSON (mode 0600; an old file is replaced). Keys are
 * masked, in their headers and wherever else they stand in the request.
 */
export const recordCassette = (fetch: Fetch, file: string): Fetch => {
  writeFileSync(file, '', { mode: 0o600 });
  const append = (exchange: Exchange) => appendFileSync(file, `${JSON.stringify(exchange)}\n`);
  return async (url, init) => {
    const request = describeRequest(url, init);
    try {
      const response = await fetch(url, init);
      const headers = Object.fromEntries(keptHeaders.flatMap((name) => pair(name, response.headers.get(name))));
      const keep = (chunks: readonly Uint8Array[], complete: boolean) =>
        append({ request, response: { status: response.status, headers, chunks: chunks.map(pack), complete } });
      if (!response.body) keep([], true);
      return { ...pick(response), body: response.body && tee(response.body, keep) };
    } catch (error) {
      append({ request, error: String(error) });
      throw error;
    }
  };
};

/** Answers from `file`, in the order of recording, without a network. A differing request is an error that says where. */
export const replayCassette = (file: string): Fetch => {
  const exchanges = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Exchange => JSON.parse(line));
  let next = 0;
  return async (url, init) => {
    const exchange = exchanges[next];
    next += 1;
    if (!exchange) throw new Error(`${file} holds only ${exchanges.length} exchanges; record it again.`);
    const difference = compare(exchange.request, describeRequest(url, init));
    if (difference) throw new Error(`${file}, exchange ${next}: ${difference}. If that is meant, record it again.`);
    if (!exchange.response) throw new Error(exchange.error ?? 'the recorded request failed');
    const { status, headers, chunks } = exchange.response;
    return { status, headers: { get: (name) => headers[name.toLowerCase()] ?? null }, body: play(chunks, init.signal) };
  };
};

const pick = ({ status, headers }: Response) => ({ status, headers: { get: (name: string) => headers.get(name) } });

const pair = (name: string, value: string | null): [string, string][] => (value === null ? [] : [[name, value]]);

async function* tee(
  body: AsyncIterable<Uint8Array>,
  keep: (chunks: readonly Uint8Array[], complete: boolean) => void,
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let complete = false;
  try {
    for await (const chunk of body) {
      // A copy: the sender may use its buffer again.
      chunks.push(Uint8Array.from(chunk));
      yield chunk;
    }
    complete = true;
  } finally {
    keep(chunks, complete);
  }
}

async function* play(
  chunks: NonNullable<Exchange['response']>['chunks'],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    signal.throwIfAborted();
    yield typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.base64, 'base64');
  }
}

const pack = (chunk: Uint8Array): string | { base64: string } => {
  const text = Buffer.from(chunk).toString();
  return Buffer.from(text).equals(chunk) ? text : { base64: Buffer.from(chunk).toString('base64') };
};

const describeRequest = (url: string, init: Init): Exchange['request'] => {
  const headers = Object.entries(init.headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  const secrets = headers
    .filter(([name]) => secretHeaders.includes(name))
    .map(([, value]) => value.replace(/^Bearer\s+/i, ''))
    .filter((value) => value.length >= 4);
  const mask = (text: string) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
  const { pathname, search } = new URL(url);
  return {
    method: init.method,
    path: mask(pathname + search.replace(/([?&](?:key|api_key|token)=)[^&]*/g, '$1***')),
    headers: Object.fromEntries(
      headers.map(([name, value]) => [name, secretHeaders.includes(name) ? '***' : mask(value)]),
    ),
    body: mask(init.body),
  };
};

/** Headers may differ (versions, dates); method, path and every byte of the body may not. */
const compare = (was: Exchange['request'], is: Exchange['request']): string | undefined => {
  if (was.method !== is.method || was.path !== is.path)
    return `recorded ${was.method} ${was.path}, asked ${is.method} ${is.path}`;
  if (was.body === is.body) return undefined;
  const length = Math.min(was.body.length, is.body.length);
  const at = Array.from({ length }).findIndex((_, i) => was.body[i] !== is.body[i]);
  const place = at < 0 ? length : at;
  const show = (body: string) => JSON.stringify(body.slice(Math.max(0, place - 20), place + 40));
  return `the body differs from character ${place}: recorded ${show(was.body)}, asked ${show(is.body)}`;
};
