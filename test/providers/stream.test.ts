import { expect, test } from 'vitest';
import type { Fetch } from '../../src/core/types.ts';
import {
  callsOf,
  chunk,
  DIALECTS,
  type Dialect,
  INPUT,
  modelOf,
  RECORDED,
  read,
  run,
  sse,
  textOf,
  VENDOR,
} from './support.ts';

const TEXT = 'I write 日本😀.';
const encoder = new TextEncoder();
const whole = (dialect: Dialect) => sse(...RECORDED[dialect]);

for (const dialect of DIALECTS) {
  test(`${dialect}: a recorded stream becomes thinking, text and a call`, async () => {
    const reply = await read(dialect, whole(dialect));
    expect(reply.content).toEqual([
      { type: 'thinking', text: '  step 1\n' },
      { type: 'text', text: TEXT },
      expect.objectContaining({ type: 'call', id: 'own1', name: 'write', input: INPUT }),
    ]);
    expect(reply.stop).toBe('calls');
    expect(reply.usage).toMatchObject({ input: 100, output: 42, cacheRead: 900, cacheWrite: 0 });
  });

  test(`B01 ${dialect}: cut in two at any byte, a stream gives the same message`, async () => {
    const bytes = encoder.encode(whole(dialect));
    const expected = await read(dialect, whole(dialect));
    for (let at = 1; at < bytes.length; at++) {
      expect(await read(dialect, [bytes.slice(0, at), bytes.slice(at)])).toEqual(expected);
    }
  });

  test(`B06 ${dialect}: ended at any byte, a stream is whole or a failure, and never a cut call`, async () => {
    const bytes = encoder.encode(whole(dialect));
    const expected = await read(dialect, whole(dialect));
    for (let at = 0; at < bytes.length; at++) {
      const reply = await read(dialect, [bytes.slice(0, at)]);
      if (reply.failure) {
        expect(reply.stop).toBe('error');
        expect(reply.failure.kind).toBe('stream');
        expect(callsOf(reply)).toEqual([]);
        expect(TEXT.startsWith(textOf(reply))).toBe(true);
      } else expect(reply.content).toEqual(expected.content);
    }
  });

  test(`B02 ${dialect}: every line end, blank and byte order mark of the format gives the same message`, async () => {
    const plain = whole(dialect);
    const expected = await read(dialect, plain);
    const tight = plain.replaceAll('data: ', 'data:');
    const variants = [plain, tight, plain.replaceAll('\n', '\r\n'), plain.replaceAll('\n', '\r'), `\uFEFF${plain}`];
    for (const body of variants) expect(await read(dialect, body)).toEqual(expected);
    const halves = plain.replaceAll('\n', '\r\n').split('\r');
    const cut = halves.map((part, at) => (at < halves.length - 1 ? `${part}\r` : part));
    expect(await read(dialect, cut)).toEqual(expected);
  });

  test(`B03 ${dialect}: comments, pings and unknown events are passed over`, async () => {
    const expected = await read(dialect, whole(dialect));
    const noise =
      ': keep-alive\n\nevent: ping\ndata: {"type":"ping"}\n\ndata:\n\nevent: future_thing\ndata: {"x":1}\n\n' +
      'id: 7\nretry: 1000\n\ndata: null\n\ndata: [1]\n\n';
    const body = RECORDED[dialect].map((event) => sse(event) + noise).join('');
    expect(await read(dialect, body)).toEqual(expected);
  });

  test(`B34 ${dialect}: a page, an empty answer and foreign JSON are named, not read`, async () => {
    const page = await read(dialect, '<!doctype html><title>Login</title>', { type: 'text/html' });
    expect(page.failure?.message).toMatch(/text\/html/);
    expect(page.failure?.message).toMatch(/status 200/);
    const none = await read(dialect, null, { status: 204 });
    expect(none.failure?.message).toMatch(/204/);
    const foreign = await read(dialect, '{"hello":1}', { type: 'application/json' });
    expect(foreign.failure?.message).toMatch(/JSON that is no answer/);
    const inside = await read(dialect, '{"error":{"message":"busy","type":"overloaded_error"}}');
    expect(inside.failure).toMatchObject({ kind: 'overloaded' });
  });
}

const WHOLE: Readonly<Record<Dialect, unknown>> = {
  anthropic: {
    type: 'message',
    content: [
      { type: 'text', text: 'done' },
      { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a' } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 3, output_tokens: 4 },
  },
  'openai-chat': {
    choices: [
      {
        message: {
          role: 'assistant',
          content: 'done',
          tool_calls: [{ id: 't1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
  },
  'openai-responses': {
    object: 'response',
    status: 'completed',
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
      { type: 'function_call', call_id: 't1', name: 'read', arguments: '{"path":"a"}' },
    ],
    usage: { input_tokens: 3, output_tokens: 4 },
  },
};

for (const dialect of DIALECTS) {
  test(`B34 ${dialect}: a whole answer that was not streamed is accepted`, async () => {
    const reply = await read(dialect, JSON.stringify(WHOLE[dialect]), { type: 'application/json' });
    expect(textOf(reply)).toBe('done');
    expect(callsOf(reply)[0]).toMatchObject({ vendorId: 't1', name: 'read', input: { path: 'a' } });
    expect(reply.usage).toMatchObject({ input: 3, output: 4 });
    expect(reply.stop).toBe('calls');
  });
}

test('B32 glued objects are taken apart and data lines are joined', async () => {
  const one = '{"choices":[{"delta":{"content":"a}{"}}]}';
  const two = '{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}';
  expect(textOf(await read('openai-chat', sse(one + two, '[DONE]')))).toBe('a}{b');
  const split = `data: {"choices":\ndata: [{"delta":{"content":"c"},"finish_reason":"stop"}]}\n\n`;
  expect(textOf(await read('openai-chat', split))).toBe('c');
});

test('B32 data that is no JSON is a failure that names the bytes, never silence', async () => {
  const reply = await read('openai-chat', sse('{"choices":[}', RECORDED['openai-chat'].at(-3) ?? '', '[DONE]'));
  expect(reply.failure?.kind).toBe('stream');
  expect(reply.failure?.message).toContain('{"choices":[}');
});

test('B07 a stream without [DONE], without finish reason, or without its last blank line is whole', async () => {
  const say = '{"choices":[{"delta":{"content":"done"}}]}';
  const end = '{"choices":[{"delta":{},"finish_reason":"stop"}]}';
  for (const body of [sse(say, end), sse(say, '[DONE]'), sse(say, end, '[DONE]').trimEnd()]) {
    const reply = await read('openai-chat', body);
    expect([textOf(reply), reply.stop, reply.failure]).toEqual(['done', 'done', undefined]);
  }
});

test('B08 an error inside a stream is the failure, whatever follows it', async () => {
  const said = RECORDED.anthropic.slice(0, 10);
  const busy = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n';
  const reply = await read('anthropic', sse(...said) + busy);
  expect(reply.failure).toMatchObject({ kind: 'overloaded', message: expect.stringContaining('busy') });
  const upstream = '{"error":{"message":"upstream","code":502}}';
  const chat = await read('openai-chat', sse('{"choices":[{"delta":{"content":"x"}}]}', upstream, '[DONE]'));
  expect(chat.failure).toMatchObject({ kind: 'overloaded', status: 502 });
  const failed = { type: 'response.failed', response: { error: { code: 'context_length_exceeded', message: 'no' } } };
  expect((await read('openai-responses', sse(failed))).stop).toBe('overflow');
});

/** A body without an end, in pieces of 64 kB; `left` is how many of them nobody has taken yet. */
const endless = (head: string, piece: (number: number) => string) => {
  const left = { pieces: 4096, closed: false };
  async function* body() {
    try {
      yield encoder.encode(head);
      for (; left.pieces > 0; left.pieces--) yield encoder.encode(piece(left.pieces).repeat(2));
    } finally {
      left.closed = true;
    }
  }
  const headers = { get: () => 'text/event-stream' };
  const fetch: Fetch = async () => ({ status: 200, headers, body: body() });
  return { fetch, left };
};

test('what has no end is a broken stream in bounded time and memory, and the words before it stay', async () => {
  const x = 'x'.repeat(32_768);
  const calls = (from: number) =>
    Array.from({ length: 300 }, (_, at) => ({ index: 300 * from + at, id: '', function: { name: 'bash' } }));
  const said = sse(chunk({ content: 'said' }));
  const cases: readonly [string, (number: number) => string, string][] = [
    [`${said}data: `, () => x, 'one event of it is larger than 16 MB'],
    [`${said}: `, () => x, 'one event of it is larger than 16 MB'],
    [said, () => `data: ${x}\n`, 'one event of it is larger than 16 MB'],
    [said, () => sse(chunk({ content: x })), 'longer than 16 million characters'],
    [said, () => sse(chunk({ tool_calls: [{ function: { arguments: x } }] })), 'longer than 16 million characters'],
    [said, () => sse({ id: x }), 'it is larger than 128 MB'],
    [said, (number) => sse(chunk({ tool_calls: calls(number) })), 'more than 10000 parts'],
    [said, () => sse(chunk({ reasoning_details: calls(0) })), 'more than 10000 pieces'],
    ['{"a": "', () => x, 'it is larger than 128 MB'],
    [' ', () => ' '.repeat(32_768), 'it is larger than 128 MB'],
  ];
  for (const [head, piece, why] of cases) {
    const { fetch, left } = endless(head, piece);
    const { reply } = await run(modelOf(VENDOR['openai-chat'], fetch));
    expect([reply.failure?.kind, reply.stop, callsOf(reply)]).toEqual(['stream', 'error', []]);
    expect(reply.failure?.message).toMatch(new RegExp(`^The reply of api.groq.com broke off: .*${why}`));
    if (head.startsWith(said)) expect(textOf(reply).slice(0, 4)).toBe('said');
    expect(left).toMatchObject({ closed: true, pieces: expect.any(Number) });
    expect(left.pieces).toBeGreaterThan(0);
  }
});
