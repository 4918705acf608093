import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Fetch } from '../../src/core/types.ts';
import { recordCassette, replayCassette, type Scenario, startServer } from '../../src/testing/index.ts';

const live: Fetch = (url, init) => fetch(url, init);

const init = (body: string, signal = new AbortController().signal) => ({
  method: 'POST',
  headers: { authorization: 'Bearer sk-secret-1', 'content-type': 'application/json' },
  body,
  signal,
});

const body = (content: string) => JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content }] });

const read = async (response: Awaited<ReturnType<Fetch>>) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
};

const record = async (scenario: Scenario) => {
  const server = await startServer(scenario, { chunking: { every: 5 } });
  onTestFinished(() => server.close());
  const file = join(mkdtempSync(join(tmpdir(), 'cassette-')), 'a.jsonl');
  return { file, url: `${server.url}/v1/chat/completions`, fetch: recordCassette(live, file), server };
};

test('a cassette gives back status, headers and every byte, without a network and whatever the port', async () => {
  const { file, url, fetch, server } = await record([
    { text: '日本😀' },
    { status: 429, headers: { 'retry-after': '7' } },
  ]);
  const first = await read(await fetch(url, init(body('a'))));
  const second = await read(await fetch(url, init(body('b'))));
  await server.close();
  const replay = replayCassette(file);
  const elsewhere = 'http://127.0.0.1:1/v1/chat/completions';
  const again = await replay(elsewhere, init(body('a')));
  expect([again.status, again.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
  expect((await read(again)).equals(first)).toBe(true);
  const limited = await replay(elsewhere, init(body('b')));
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
  expect((await read(limited)).equals(second)).toBe(true);
  await expect(replay(elsewhere, init(body('c')))).rejects.toThrow('holds only 2 exchanges');
});

test('keys are masked wherever they stand, and the file is private', async () => {
  const { file, url, fetch } = await record([{ text: 'ok' }]);
  await read(await fetch(`${url}?key=sk-secret-1`, init(body('my key is sk-secret-1'))));
  expect(readFileSync(file, 'utf8')).not.toContain('sk-secret');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const replay = replayCassette(file);
  const other = { ...init(body('my key is other-key-2')), headers: { authorization: 'Bearer other-key-2' } };
  expect((await replay(`${url}?key=other-key-2`, other)).status).toBe(200);
});

test('a request that differs is an error that says which and where', async () => {
  const { file, url, fetch } = await record([{ text: 'ok' }]);
  await read(await fetch(url, init(body('hello world'))));
  await expect(replayCassette(file)(url, init(body('hello there')))).rejects.toThrow(
    /exchange 1: the body differs from character \d+.*world.*there/,
  );
  await expect(replayCassette(file)(`${url}/x`, init(body('hello world')))).rejects.toThrow(
    /recorded POST .*asked POST/,
  );
});

test('a failed connection and a reader that leaves are recorded too', async () => {
  const { file, url, fetch } = await record([{ fail: 'reset' }, { text: 'a b c d e f', pause: 5 }]);
  await expect(fetch(url, init(body('a')))).rejects.toThrow();
  for await (const _ of (await fetch(url, init(body('b')))).body ?? []) break;
  const [, line = ''] = readFileSync(file, 'utf8').split('\n');
  expect(JSON.parse(line)).toMatchObject({ response: { complete: false } });
  const replay = replayCassette(file);
  await expect(replay(url, init(body('a')))).rejects.toThrow();
  const aborted = await replay(url, init(body('b'), AbortSignal.abort()));
  await expect(read(aborted)).rejects.toThrow(/abort/i);
});
