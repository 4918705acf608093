import { expect, test } from 'vitest';
import type { Event, Failure } from '../../src/core/types.ts';
import { withFallback, withRetry } from '../../src/providers/index.ts';
import { type Canned, canned, chunk, fakeClock, modelOf, RECORDED, run, sse, textOf, VENDOR } from './support.ts';

const good: Canned = { body: sse(chunk({ content: 'Plan: done' }, 'stop'), '[DONE]') };
const status = (code: number, message = 'no', headers: Record<string, string> = {}): Canned => ({
  status: code,
  headers,
  type: 'application/json',
  body: JSON.stringify({ error: { message } }),
});

async function tried(answers: readonly (Canned | Error)[], options: { maxWait?: number; tries?: number } = {}) {
  const clock = fakeClock();
  const fetch = canned(...answers);
  const model = withRetry(modelOf(VENDOR['openai-chat'], fetch, { clock }), { clock, random: () => 0.5, ...options });
  return { ...(await run(model)), waits: clock.waits, requests: fetch.sent.length };
}

const kinds = (events: readonly Event[]) => events.map((event) => ('live' in event ? event.live : event.type));

test('B09 what is wrong for good fails at once, with the text of the server', async () => {
  for (const code of [400, 401, 403, 404, 422]) {
    const { reply, requests } = await tried([status(code, 'the very words')]);
    expect(requests).toBe(1);
    expect(reply.failure?.message).toContain('the very words');
  }
  const inside = await tried([{ body: sse({ error: { type: 'invalid_request_error', message: 'the very words' } }) }]);
  expect([inside.requests, inside.reply.failure?.kind]).toEqual([1, 'request']);
});

test('B10 retry-after is honoured in seconds, as a date and in milliseconds; else the wait doubles', async () => {
  const date = new Date(Date.UTC(2026, 10, 30) + 60_000).toUTCString();
  const { reply, waits, requests } = await tried([
    status(429, 'slow', { 'retry-after': '2' }),
    status(529),
    status(429, 'slow', { 'retry-after': date }),
    status(429, 'slow', { 'retry-after-ms': '500' }),
    good,
  ]);
  expect(textOf(reply)).toBe('Plan: done');
  expect(requests).toBe(5);
  expect(waits[0]).toBe(2100);
  expect(waits[1]).toBe(1000);
  expect(waits[2]).toBeGreaterThan(56_000);
  expect(waits[3]).toBe(525);
});

test('B11 a wait of hours ends the request and is told', async () => {
  for (const seconds of ['86400', '9999999']) {
    const { reply, requests, waits } = await tried([status(429, 'quota', { 'retry-after': seconds })]);
    expect([requests, waits.length]).toEqual([1, 0]);
    expect(reply.failure?.message).toMatch(/\d+ h/);
  }
  const patient = await tried([status(429, 'quota', { 'retry-after': '300' }), good], { maxWait: 600_000 });
  expect(patient.requests).toBe(2);
});

test('B12 a retry retracts what was shown and starts from nothing', async () => {
  const cut = sse(
    chunk({ content: 'Plan: ' }),
    chunk({
      tool_calls: [{ index: 0, id: 't1', function: { name: 'bash', arguments: '{"command":"echo x >> log"' } }],
    }),
  );
  const { reply, events } = await tried([{ body: cut }, good]);
  expect(reply.content).toEqual([{ type: 'text', text: 'Plan: done' }]);
  expect(kinds(events)).toEqual(['text', 'calling', 'retracted', 'retrying', 'text']);
});

test('B08 an overload inside a 200 is retried, and what it cost is told', async () => {
  const busy = sse(...RECORDED['openai-chat'].slice(0, 3), {
    choices: [],
    usage: { prompt_tokens: 7, completion_tokens: 2 },
    error: { message: 'busy', code: 503 },
  });
  const { events, requests } = await tried([{ body: busy }, good]);
  expect(requests).toBe(2);
  expect(events).toContainEqual({
    type: 'usage',
    usage: expect.objectContaining({ input: 7, output: 2 }),
    model: VENDOR['openai-chat'],
    why: 'failed try: overloaded',
  });
});

test('B06 B04 a broken stream that stays broken ends with what was said, and a reason', async () => {
  const { reply, requests } = await tried([{ body: sse(chunk({ content: 'half' })) }], { tries: 3 });
  expect(requests).toBe(3);
  expect([reply.stop, textOf(reply)]).toEqual(['error', 'half']);
  expect(reply.failure?.message).toMatch(/closed before the end.*3 tries/);
});

test('A13 an empty answer is asked for once more', async () => {
  const empty: Canned = { body: sse(chunk({ reasoning_content: 'hm' }), chunk({}, 'stop')) };
  expect((await tried([empty, good])).requests).toBe(2);
  const { reply, requests } = await tried([empty]);
  expect([requests, reply.failure?.kind, reply.stop]).toEqual([2, 'empty', 'error']);
});

test('B25 a 429 is a rate limit whatever it says', async () => {
  const { reply, requests } = await tried([status(429, 'Too many tokens, please wait before trying again'), good]);
  expect([requests, reply.stop]).toEqual([2, 'done']);
});

test('B35 a lost connection is tried again; a refused one names code and host', async () => {
  const failed = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(`connect ${code}`), { code }) });
  expect((await tried([failed('ECONNRESET'), good])).requests).toBe(2);
  const { reply, requests } = await tried([failed('ECONNREFUSED')]);
  expect(requests).toBe(4);
  expect(reply.failure?.message).toMatch(/api\.groq\.com.*ECONNREFUSED/);
});

test('B10 a wait ends at once when the request is aborted', async () => {
  const stop = new AbortController();
  const clock = { ...fakeClock(), sleep: async () => stop.abort() };
  const model = withRetry(modelOf(VENDOR['openai-chat'], canned(status(529))), { clock });
  const { reply } = await run(model, undefined, stop.signal);
  expect([reply.stop, reply.content]).toEqual(['aborted', []]);
});

test('B36 one budget holds for the model and its fallback', async () => {
  const clock = fakeClock();
  const busy = canned(status(429));
  const options = { clock };
  const first = modelOf(VENDOR['openai-chat'], busy, options);
  const second = modelOf(VENDOR.anthropic, busy, options);
  const { reply, events } = await run(withRetry(withFallback(first, second), { clock }));
  expect(reply.failure?.kind).toBe('rate');
  expect(busy.sent.length).toBeLessThanOrEqual(12);
  expect(busy.sent.at(-1)?.url).toContain('api.anthropic.com');
  expect(kinds(events)).toContain('notice');
});

test('B36 the fallback answers when the first is away, at once where it would be long', async () => {
  const clock = fakeClock();
  const answer = canned({ body: sse(...RECORDED.anthropic) });
  const second = modelOf(VENDOR.anthropic, answer);
  const long = canned(status(429, 'quota', { 'retry-after': '7200' }));
  const model = withRetry(withFallback(modelOf(VENDOR['openai-chat'], long), second), { clock });
  expect((await run(model)).reply.model).toBe(VENDOR.anthropic);
  expect([long.sent.length, clock.waits.length]).toEqual([1, 0]);
  const wrong = canned(status(401));
  const kept = withRetry(withFallback(modelOf(VENDOR['openai-chat'], wrong), second), { clock });
  expect((await run(kept)).reply.failure?.kind).toBe('auth');
});

test('A28 413 is an overflow, whatever its body', async () => {
  const { reply, requests } = await tried([{ status: 413, type: 'text/html', body: '<html><title>Too large</title>' }]);
  expect([requests, reply.stop, reply.failure?.kind]).toEqual([1, 'overflow', 'overflow']);
});

const OVERFLOWS = [
  'prompt is too long: 210000 tokens > 200000 maximum',
  "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
  'the request exceeds the available context size. try increasing the context size',
  'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  'Requested token count exceeds the model maximum',
  'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000',
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  'Please reduce the length of the messages or completion.',
  'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
];

for (const words of OVERFLOWS) {
  test(`B24 overflow in these words: ${words}`, async () => {
    const { reply, requests } = await tried([status(400, words)]);
    expect([requests, reply.stop]).toEqual([1, 'overflow']);
  });
}

test('B24 an overflow by its code', async () => {
  const body = JSON.stringify({ error: { code: 'context_length_exceeded', message: 'no' } });
  expect((await tried([{ status: 400, body }])).reply.stop).toBe('overflow');
});

test('kinds of failure, and the key in none of them', async () => {
  const key = 'sk-live-abcdefghijklmnop';
  const cases: [Canned, Failure['kind']][] = [
    [status(401, `Incorrect API key provided: ${key}`), 'auth'],
    [status(402, 'Insufficient balance'), 'auth'],
    [status(429, 'You exceeded your current quota: insufficient_quota'), 'auth'],
    [status(404, 'The model `x` does not exist'), 'model'],
    [status(400, 'model `x` not found'), 'model'],
    [status(400, 'messages.0: bad'), 'request'],
    [status(500, 'oops'), 'overloaded'],
    [{ status: 503, type: 'text/html', body: '<html><title>Down</title></html>' }, 'overloaded'],
  ];
  for (const [answer, kind] of cases) {
    const { reply } = await run(modelOf(VENDOR['openai-chat'], canned(answer), { key }));
    expect(reply.failure?.kind).toBe(kind);
    expect(reply.failure?.message).not.toContain(key);
  }
});
