import type { Agent, AgentOptions, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';

/** Structurally the `Fetch` of `core/types.ts`. Redirects are answers: a key never travels to another address. */
export type HttpFetch = (url: string, init: HttpInit) => Promise<HttpResponse>;

export type HttpInit = {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
};

export type HttpResponse = {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Throws an `AbortError` after an abort, a `ConnectionError` when the stream is cut. Null where there is none. */
  readonly body: AsyncIterable<Uint8Array> | null;
};

/** `code` is the system's (ECONNREFUSED, ENOTFOUND, …), `host` is where the request went. */
export type ConnectionError = Error & { readonly code: string; readonly host: string };

export type HttpOptions = {
  /** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, for Node 24.5 and newer; an older Node connects directly. */
  readonly proxy?: Readonly<Record<string, string | undefined>>;
};

type Transport = {
  readonly send: (url: URL, options: RequestOptions) => ClientRequest;
  readonly pool: Agent;
  /** An agent that never reuses a socket. */
  readonly once: () => Agent;
};

/** `fetch` over node:http: 8 ms less than the global one for the first request, and nothing that a model's API lacks. */
export const createFetch = ({ proxy }: HttpOptions = {}): HttpFetch => {
  const options: AgentOptions = proxy ? { proxyEnv: { ...proxy } } : {};
  const transports = new Map<string, Promise<Transport>>();
  const transportFor = (protocol: string) => {
    const transport = transports.get(protocol) ?? openTransport(protocol, options);
    transports.set(protocol, transport);
    return transport;
  };
  return async (url, init) => {
    const target = new URL(url);
    const transport = await transportFor(target.protocol);
    const first = await exchange(transport, transport.pool, target, init);
    if (first !== 'stale') return first;
    const second = await exchange(transport, transport.once(), target, init);
    if (second !== 'stale') return second;
    throw connectionError(new Error('the connection was closed before any answer'), target.host, 'ECONNRESET');
  };
};

const openTransport = async (protocol: string, options: AgentOptions): Promise<Transport> => {
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`Not an http or https address: ${protocol}`);
  // An import reads every export of the module, among them a lazy one that loads undici: 30 ms.
  const { request, Agent } = process.getBuiltinModule(protocol === 'http:' ? 'node:http' : 'node:https');
  return {
    send: request,
    pool: new Agent({ keepAlive: true, ...options }),
    once: () => new Agent({ ...options, keepAlive: false }),
  };
};

/** `stale`: a kept-alive socket was closed by the peer and nothing came, so the request can go out once more. */
const exchange = ({ send }: Transport, agent: Agent, target: URL, init: HttpInit): Promise<HttpResponse | 'stale'> =>
  new Promise((resolve, reject) => {
    const { method, headers, signal } = init;
    const request = send(target, { method, headers, signal, agent });
    let readBefore = 0;
    request.once('socket', (socket) => {
      readBefore = socket.bytesRead;
    });
    request.once('response', (incoming) => resolve(respond(incoming, target.host, signal)));
    request.on('error', (error) => {
      const silent = request.reusedSocket && request.socket?.bytesRead === readBefore;
      if (silent && !signal.aborted) resolve('stale');
      else reject(explain(error, target.host, signal));
    });
    request.end(init.body);
  });

const respond = (incoming: IncomingMessage, host: string, signal: AbortSignal): HttpResponse => {
  const status = incoming.statusCode ?? 0;
  // A body that nobody reads must not end the process when its socket breaks.
  incoming.on('error', () => {});
  const empty = status === 204 || status === 304;
  if (empty) incoming.resume();
  return {
    status,
    headers: { get: (name) => [incoming.headers[name.toLowerCase()] ?? []].flat().join(', ') || null },
    body: empty ? null : readBody(incoming, host, signal),
  };
};

async function* readBody(incoming: IncomingMessage, host: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* incoming;
  } catch (error) {
    throw explain(error, host, signal);
  }
}

const explain = (error: unknown, host: string, signal: AbortSignal): Error => {
  if (signal.aborted) return new DOMException('The request was aborted', { name: 'AbortError', cause: signal.reason });
  return connectionError(error instanceof Error ? error : new Error(String(error)), host, 'ECONNFAILED');
};

const connectionError = (cause: Error, host: string, otherwise: string): ConnectionError => {
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : otherwise;
  const said = cause.message.includes(code) ? cause.message : `${cause.message} ${code}`.trim();
  return Object.assign(new Error(`${host}: ${said}`, { cause }), { code, host });
};
