import { isObject, type JsonObject } from '../core/json.ts';
import type { Failure, Fetch, Live } from '../core/types.ts';
import { type Draft, takeLive } from './draft.ts';
import { type Asked, Beyond, causeOf, classify, networkFailure, streamFailure } from './errors.ts';
import { createEvents, type Events } from './events.ts';
import { tryJson } from './json.ts';
import type { Protocol } from './protocol.ts';
import { readFailure } from './report.ts';

/** Milliseconds. */
export type Limits = {
  /** Of silence before the first event: a local model may read the prompt for minutes. */
  readonly first: number;
  /** Of silence between bytes afterwards. */
  readonly idle: number;
  /** Without an event that says something, however lively the pings and comments. */
  readonly quiet: number;
  /** After the last event, for the server to close so that its connection can be used again. */
  readonly close: number;
};

export const LIMITS: Limits = { first: 600_000, idle: 300_000, quiet: 900_000, close: 250 };

/** Bytes of one reply: twice what the longest one takes where each token is an event. */
const MAX_REPLY = 128 * 1024 * 1024;

export type Exchange = {
  readonly fetch: Fetch;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly limits: Limits;
  readonly protocol: Protocol;
  readonly draft: Draft;
  readonly asked: Asked;
  /** Milliseconds since the epoch. */
  readonly time: () => number;
};

/**
 * One request and its reply, into the draft. Yields what was said, once for each network chunk; returns a failure, or
 * nothing where the reply reached its end or was aborted (`signal` tells which).
 */
export async function* converse(exchange: Exchange): AsyncGenerator<Live, Failure | undefined> {
  const { draft, asked, signal } = exchange;
  const watch = createWatch(exchange.limits);
  try {
    const response = await exchange.fetch(exchange.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...exchange.headers },
      body: exchange.body,
      signal: AbortSignal.any([signal, watch.signal]),
    });
    watch.byte();
    const { status, body } = response;
    if (status < 200 || status > 299) {
      const said = await readText(body);
      return classify(readFailure(status, response.headers, said, exchange.time()), asked);
    }
    const events = createEvents((event) => {
      if (event['type'] !== 'ping') watch.event();
      exchange.protocol.step(draft, event);
    });
    const decoder = new TextDecoder();
    let size = 0;
    for await (const chunk of body ?? []) {
      watch.byte();
      size += chunk.length;
      if (size > MAX_REPLY) throw new Beyond('it is larger than 128 MB.');
      events.feed(decoder.decode(chunk, { stream: true }));
      yield* takeLive(draft);
      if (draft.over) watch.over();
    }
    events.feed(decoder.decode());
    events.end();
    if (events.kind() === 'json') takeWhole(events.body(), exchange);
    yield* takeLive(draft);
    return verdict(exchange, events, status, response.headers.get('content-type') ?? 'no content type');
  } catch (error) {
    if (signal.aborted) return undefined;
    if (draft.problem || draft.ended) return inner(exchange);
    if (error instanceof Beyond) return streamFailure(asked.host, error.message);
    if (watch.expired() !== '') return streamFailure(asked.host, `${watch.expired()}.`);
    return draft.parts.length > 0 ? streamFailure(asked.host, `${causeOf(error)}.`) : networkFailure(error, asked.host);
  } finally {
    watch.stop();
  }
}

const inner = ({ draft, asked }: Exchange): Failure | undefined =>
  draft.problem ? classify(draft.problem, asked) : undefined;

/** What a response that came to its end amounts to. */
function verdict(exchange: Exchange, events: Events, status: number, type: string): Failure | undefined {
  const { draft, asked, signal } = exchange;
  if (signal.aborted) return undefined;
  if (draft.problem) return inner(exchange);
  const { host } = asked;
  if (events.bad() !== '') return streamFailure(host, events.bad());
  if (draft.ended) return undefined;
  const kind = events.kind();
  if (kind === 'blank') return streamFailure(host, `status ${status} (${type}) with an empty body.`);
  if (kind === 'stream') return streamFailure(host, 'the connection closed before the end of the answer.');
  const what = kind === 'page' ? 'a web page' : 'JSON that is no answer';
  const answer = `${host} sent ${what} instead of a stream (status ${status}, ${type}).`;
  const message = `${answer} Check the base URL and any proxy.`;
  return { kind: 'request', message };
}

/** A server that doesn't stream: the whole reply at once, or an error under a 200. */
function takeWhole(body: string, { protocol, draft }: Exchange): void {
  const whole = tryJson(body);
  if (!isObject(whole)) return;
  const events: readonly JsonObject[] = isObject(whole['error']) ? [{ error: whole['error'] }] : protocol.events(whole);
  for (const event of events) protocol.step(draft, event);
}

const MAX_FAILURE = 256 * 1024;

async function readText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_FAILURE) break;
  }
  return text;
}

/** Longer timers fire at once. */
const MAX_TIMER = 2 ** 31 - 1;

/** Limits of silence, as one timer that looks when it fires how long it has really been. */
function createWatch(limits: Limits) {
  const stop = new AbortController();
  const begun = performance.now();
  let lastByte = begun;
  let lastEvent = begun;
  let seen = false;
  let expired = '';
  let timer: ReturnType<typeof setTimeout>;
  const look = () => {
    const now = performance.now();
    const silence = seen ? limits.idle : limits.first;
    const left = Math.min(lastByte + silence, lastEvent + limits.quiet) - now;
    if (left > 0) timer = setTimeout(look, Math.min(Math.ceil(left), MAX_TIMER));
    else {
      const waited = Math.round((now - Math.min(lastByte, lastEvent)) / 100) / 10;
      expired = `nothing was said for ${waited} s`;
      stop.abort();
    }
  };
  timer = setTimeout(look, Math.min(limits.first, limits.quiet, MAX_TIMER));
  return {
    signal: stop.signal,
    byte: () => {
      lastByte = performance.now();
    },
    event: () => {
      lastEvent = lastByte;
      if (seen) return;
      seen = true;
      clearTimeout(timer);
      look();
    },
    over: () => {
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(), limits.close);
    },
    expired: () => expired,
    stop: () => {
      clearTimeout(timer);
      stop.abort();
    },
  };
}
