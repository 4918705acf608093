import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Fetch } from '../../src/core/types.ts';
import { createFetch } from '../../src/env/http.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const listen = async (server: net.Server): Promise<number> => {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return port;
};

const init = (signal = new AbortController().signal, body = '{"a":"é"}') => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
  signal,
});

const readAll = async (body: AsyncIterable<Uint8Array> | null): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

/** The first whole request of each connection is answered by `answers[n]`, n counting requests over all of them. */
const rawServer = (answers: ((socket: net.Socket) => void)[]) => {
  const seen: string[] = [];
  const server = net.createServer((socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      text += data;
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 0 || Buffer.byteLength(text) < end + 4 + length) return;
      seen.push(text);
      text = '';
      answers[seen.length - 1]?.(socket);
    });
  });
  return { server, seen };
};

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive\r\n\r\nok';

test('sends the body with its length, asks for no compression, and keeps the socket for the next request', async () => {
  const { server, seen } = rawServer([(socket) => socket.write(ok), (socket) => socket.write(ok)]);
  let connections = 0;
  server.on('connection', () => connections++);
  const port = await listen(server);
  const fetch: Fetch = createFetch();
  for (let round = 0; round < 2; round++) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/x`, init());
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Length')).toBe('2');
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await readAll(response.body)).toBe('ok');
  }
  expect(connections).toBe(1);
  expect(seen[0]).toMatch(/content-length: 10\r\n/i);
  expect(seen[0]).not.toMatch(/accept-encoding/i);
  expect(seen[0]).toContain('\r\n\r\n{"a":"é"}');
});

test('the body arrives as it is written, and an abort in the middle throws an AbortError and closes the socket', async () => {
  const closed = Promise.withResolvers<void>();
  const port = await listen(
    http.createServer((_, response) => {
      response.on('close', () => closed.resolve());
      response.write('first');
    }),
  );
  const stopper = new AbortController();
  const response = await createFetch()(`http://127.0.0.1:${port}/`, init(stopper.signal));
  const got: string[] = [];
  const reading = (async () => {
    for await (const chunk of response.body ?? []) {
      got.push(Buffer.from(chunk).toString());
      stopper.abort();
    }
  })();
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  expect(got).toEqual(['first']);
  await closed.promise;
});

test('an abort before the answer, or before the call, throws an AbortError', async () => {
  const arrived = Promise.withResolvers<void>();
  const port = await listen(http.createServer(() => arrived.resolve()));
  const stopper = new AbortController();
  const waiting = createFetch()(`http://127.0.0.1:${port}/`, init(stopper.signal));
  await arrived.promise;
  stopper.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  await expect(createFetch()(`http://127.0.0.1:${port}/`, init(AbortSignal.abort()))).rejects.toMatchObject({
    name: 'AbortError',
  });
});

test('a reader that leaves early closes the connection', async () => {
  const closed = Promise.withResolvers<void>();
  const port = await listen(
    http.createServer((_, response) => {
      response.on('close', () => closed.resolve());
      response.write('first');
    }),
  );
  const response = await createFetch()(`http://127.0.0.1:${port}/`, init());
  for await (const _ of response.body ?? []) break;
  await closed.promise;
});

test('B35 a refused connection says its code and host', async () => {
  const server = net.createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  const failed = createFetch()(`http://127.0.0.1:${port}/`, init());
  await expect(failed).rejects.toMatchObject({ code: 'ECONNREFUSED', host: `127.0.0.1:${port}` });
  await expect(failed).rejects.toThrow(/ECONNREFUSED/);
});

test('B35 a kept-alive socket that the peer closed before any byte is replaced once, without a trace', async () => {
  const { server, seen } = rawServer([
    (socket) => socket.write(ok),
    (socket) => socket.destroy(),
    (socket) => socket.write(ok),
  ]);
  const port = await listen(server);
  const fetch = createFetch();
  expect(await readAll((await fetch(`http://127.0.0.1:${port}/`, init())).body)).toBe('ok');
  expect(await readAll((await fetch(`http://127.0.0.1:${port}/`, init())).body)).toBe('ok');
  expect(seen).toHaveLength(3);
});

test('nothing is sent twice on a fresh socket, nor after a byte of the answer', async () => {
  const fresh = rawServer([(socket) => socket.destroy()]);
  const failed = createFetch()(`http://127.0.0.1:${await listen(fresh.server)}/`, init());
  await expect(failed).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(fresh.seen).toHaveLength(1);

  const begun = rawServer([(socket) => socket.write(ok), (socket) => socket.end('HTTP/1.1 20')]);
  const port = await listen(begun.server);
  const fetch = createFetch();
  await readAll((await fetch(`http://127.0.0.1:${port}/`, init())).body);
  await expect(fetch(`http://127.0.0.1:${port}/`, init())).rejects.toThrow();
  expect(begun.seen).toHaveLength(2);
});

test('a body that is cut throws with a code; one that nobody reads ends nothing', async () => {
  const cut = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n';
  const { server } = rawServer([(socket) => socket.end(cut), (socket) => socket.end(cut)]);
  const port = await listen(server);
  const response = await createFetch()(`http://127.0.0.1:${port}/`, init());
  await expect(readAll(response.body)).rejects.toMatchObject({ code: 'ECONNRESET', host: `127.0.0.1:${port}` });
  await createFetch()(`http://127.0.0.1:${port}/`, init());
});

test('an answer without a body has none; a redirect is an answer', async () => {
  const port = await listen(
    http.createServer((request, response) => {
      response.writeHead(request.url === '/gone' ? 307 : 204, { location: 'http://127.0.0.1:1/' }).end();
    }),
  );
  expect(await createFetch()(`http://127.0.0.1:${port}/`, init())).toMatchObject({ status: 204, body: null });
  expect((await createFetch()(`http://127.0.0.1:${port}/gone`, init())).status).toBe(307);
  await expect(createFetch()('ftp://127.0.0.1/', init())).rejects.toThrow(/http or https/);
});

test('a proxy given as data is used, and NO_PROXY is honoured', async () => {
  const asked: (string | undefined)[] = [];
  const proxy = await listen(
    http.createServer((request, response) => {
      asked.push(request.url);
      response.end('by proxy');
    }),
  );
  const port = await listen(http.createServer((_, response) => response.end('direct')));
  const HTTP_PROXY = `http://127.0.0.1:${proxy}`;
  const through = createFetch({ proxy: { HTTP_PROXY } });
  expect(await readAll((await through('http://api.example.test/v1', init())).body)).toBe('by proxy');
  expect(asked).toEqual(['http://api.example.test/v1']);
  const around = createFetch({ proxy: { HTTP_PROXY, NO_PROXY: '127.0.0.1' } });
  expect(await readAll((await around(`http://127.0.0.1:${port}/`, init())).body)).toBe('direct');
});
