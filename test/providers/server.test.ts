import { createServer, type Server } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock, Message } from '../../src/core/types.ts';
import { createCatalog, createModel, type ModelOptions, resolveModel, withRetry } from '../../src/providers/index.ts';
import { type Scenario, type ServerOptions, startServer } from '../../src/testing/index.ts';
import { ask, callsOf, chunk, DIALECTS, run, sse, textOf, user, VENDOR } from './support.ts';

const clock: Clock = {
  now: () => performance.now(),
  time: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

async function serve(scenario: Scenario, options: ServerOptions = {}) {
  const server = await startServer(scenario, options);
  onTestFinished(() => server.close());
  return server;
}

function at(name: string, baseUrl: string, more: Partial<ModelOptions> = {}) {
  const spec = resolveModel(name, createCatalog());
  if (typeof spec === 'string') throw new Error(spec);
  return createModel({ spec, fetch, clock, baseUrl, key: 'k'.repeat(12), ...more });
}

const base = (dialect: (typeof DIALECTS)[number], url: string) => (dialect === 'anthropic' ? url : `${url}/v1`);
const LIMITS = { first: 2000, idle: 150, quiet: 1000, close: 50 };

for (const dialect of DIALECTS) {
  test(`${dialect}: a tool loop over a strict server, byte by byte`, async () => {
    const server = await serve(
      [
        {
          thinking: 'hm',
          text: '日本😀',
          calls: [
            { name: 'read', input: { path: 'a' } },
            { name: 'list', input: {} },
          ],
        },
        { text: 'done' },
      ],
      { chunking: { every: 1 } },
    );
    const model = at(VENDOR[dialect], base(dialect, server.url));
    const first = (await run(model)).reply;
    expect([first.failure?.message, textOf(first)]).toEqual([undefined, '日本😀']);
    const results = callsOf(first).map(
      ({ id, name }): Message => ({
        role: 'result',
        call: id,
        name,
        content: [],
        failed: false,
        how: 'ran',
      }),
    );
    const second = (await run(model, ask(user('hi'), first, ...results))).reply;
    expect([second.failure?.message, textOf(second), second.stop]).toEqual([undefined, 'done', 'done']);
    expect(server.violations).toEqual([]);
  });

  test(`B04 ${dialect}: a stream that stalls ends in the idle limit with what was said`, async () => {
    const server = await serve([{ text: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], cut: { after: 6, how: 'hang' } }]);
    const { reply } = await run(at(VENDOR[dialect], base(dialect, server.url), { limits: LIMITS }));
    expect(reply.failure).toMatchObject({ kind: 'stream', message: expect.stringMatching(/nothing was said/) });
    expect('abcdefgh'.startsWith(textOf(reply))).toBe(true);
  });

  test(`B04 ${dialect}: an abort in a stalled stream ends it at once and keeps the text`, async () => {
    const server = await serve([{ text: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], cut: { after: 6, how: 'hang' } }]);
    const stop = new AbortController();
    const model = withRetry(at(VENDOR[dialect], base(dialect, server.url)), { clock });
    const going = model(ask(), stop.signal);
    let next = await going.next();
    stop.abort();
    while (!next.done) next = await going.next();
    expect(next.value.stop).toBe('aborted');
    expect(callsOf(next.value)).toEqual([]);
    expect(next.value.failure).toBeUndefined();
  });

  test(`B06 ${dialect}: a reset in mid-answer is a broken stream`, async () => {
    const server = await serve([{ text: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], cut: { after: 6, how: 'reset' } }]);
    const { reply } = await run(at(VENDOR[dialect], base(dialect, server.url)));
    expect(['stream', 'network']).toContain(reply.failure?.kind);
  });
}

/** A server of raw bytes: a number is a pause in milliseconds. */
async function raw(...pieces: readonly (string | number)[]): Promise<string> {
  const server: Server = createServer(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    for (const piece of pieces) {
      if (typeof piece === 'string') response.write(piece);
      else await new Promise((resolve) => setTimeout(resolve, piece));
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${portOf(server)}/v1`;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

const DONE = sse(chunk({ content: 'done' }, 'stop'), '[DONE]');
const name = VENDOR['openai-chat'];

test('B05 a slow first token and comments before it are within their limits', async () => {
  expect(textOf((await run(at(name, await raw(400, DONE), { limits: LIMITS }))).reply)).toBe('done');
  const comments = [': wait\n\n', 100, ': wait\n\n', 100, ': wait\n\n', 100, DONE];
  const tight = { ...LIMITS, first: 250 };
  expect(textOf((await run(at(name, await raw(...comments), { limits: tight }))).reply)).toBe('done');
});

test('B05 pings alone do not hold a request for ever', async () => {
  const pings = Array.from({ length: 400 }, () => ['event: ping\ndata: {"type":"ping"}\n\n', 50]).flat();
  const { reply } = await run(at(name, await raw(...pings), { limits: LIMITS }));
  expect(reply.failure?.message).toMatch(/nothing was said/);
});

test('a server that holds the connection after its last event does not hold the reply', async () => {
  const { reply } = await run(at(name, await raw(DONE, 20_000), { limits: LIMITS }));
  expect([textOf(reply), reply.stop]).toEqual(['done', 'done']);
});

test('B35 a connection closed before any byte is tried again', async () => {
  const server = await serve([{ fail: 'close' }, { text: 'done' }]);
  const { reply, events } = await run(withRetry(at(VENDOR.anthropic, server.url), { clock, base: 1 }));
  expect([textOf(reply), events.some((event) => 'live' in event && event.live === 'retrying')]).toEqual(['done', true]);
});

test('B35 a refused connection names the code and the host', async () => {
  const server = await startServer([]);
  await server.close();
  const { reply } = await run(withRetry(at(VENDOR.anthropic, server.url), { clock, base: 1 }));
  expect(reply.failure?.kind).toBe('network');
  expect(reply.failure?.message).toMatch(/127\.0\.0\.1:\d+ .*ECONNREFUSED/);
});

test('leaving a reply early closes its connection', async () => {
  const server = await serve([{ text: ['a', 'b', 'c', 'd', 'e', 'f'], pause: 50 }]);
  for await (const event of at(VENDOR.anthropic, server.url)(ask(), new AbortController().signal)) {
    expect(event).toBeDefined();
    break;
  }
  await expect.poll(() => server.requests[0]?.outcome()).toBe('left');
});
