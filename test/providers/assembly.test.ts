import { expect, test } from 'vitest';
import type { Json } from '../../src/core/types.ts';
import { newCallId } from '../../src/providers/index.ts';
import { callsOf, chunk, DIALECTS, RECORDED, read, sse, textOf } from './support.ts';

type Fragment = { index?: number; id?: string | null; name?: string; args?: Json };

const fragment = ({ index, id, name, args }: Fragment): Json =>
  chunk({
    tool_calls: [
      {
        ...(index === undefined ? {} : { index }),
        ...(id === undefined ? {} : { id }),
        function: {
          ...(name === undefined ? {} : { name }),
          ...(args === undefined ? {} : { arguments: args }),
        },
      },
    ],
  });

const chat = (fragments: readonly Fragment[], stop = 'tool_calls') =>
  read('openai-chat', sse(...fragments.map(fragment), chunk({}, stop), '[DONE]'));

const calls = async (...fragments: Fragment[]) =>
  callsOf(await chat(fragments)).map((call) => [call.name, call.input, call.broken ?? '']);

const anthropicCall = (...deltas: string[]) =>
  read(
    'anthropic',
    sse(
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't1', name: 'list', input: {} } },
      ...deltas.map((partial_json) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ),
  );

const a = { path: 'a' };
const b = { path: 'b' };

test('A16 A17 each call gets an own id, whatever the vendor sent', async () => {
  const twice = await chat([
    { index: 0, id: '', name: 'read', args: '{"path":"a"}' },
    { index: 1, id: '', name: 'read', args: '{"path":"b"}' },
  ]);
  expect(callsOf(twice).map((call) => [call.id, call.vendorId, call.input])).toEqual([
    ['own1', '', a],
    ['own2', '', b],
  ]);
  const same = await calls(
    { index: 0, id: 'x', name: 'read', args: '{"path":"a"}' },
    { index: 1, id: 'x', name: 'read', args: '{"path":"b"}' },
  );
  expect(same).toEqual([
    ['read', a, ''],
    ['read', b, ''],
  ]);
  expect(newCallId()).toMatch(/^call_[a-z0-9]{16}$/);
  expect(new Set(Array.from({ length: 1000 }, newCallId)).size).toBe(1000);
});

test('B13 no arguments, in every spelling, are an empty object', async () => {
  for (const args of ['', ' ', 'null', null, undefined, '{}']) {
    const reply = await chat([{ index: 0, id: 'x', name: 'list', ...(args === undefined ? {} : { args }) }]);
    expect(callsOf(reply)).toMatchObject([{ name: 'list', input: {} }]);
    expect(callsOf(reply)[0]?.broken).toBeUndefined();
    expect(JSON.stringify(reply.raw)).toContain('"arguments":"{}"');
  }
  const bare = await anthropicCall();
  expect(callsOf(bare)).toMatchObject([{ input: {} }]);
  expect(callsOf(await anthropicCall(''))[0]?.broken).toBeUndefined();
});

test('B14 A22 broken arguments are kept as a complaint, never run as {}', async () => {
  for (const args of ['{"path": "src", }x', '{"path": "a.txt"', '[1]', '7']) {
    const reply = await chat([{ index: 0, id: 'x', name: 'list', args }]);
    expect(callsOf(reply)[0]?.broken).toContain(args);
    expect(JSON.stringify(reply.raw)).toContain('"arguments":"{}"');
    expect(callsOf(await anthropicCall(args))[0]?.broken).toContain(args);
  }
});

test('arguments nested deeper than anything can walk through are broken ones, in every form they come in', async () => {
  const nested = (levels: number) => `{"path": ${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  const made = async (args: string) => [
    await chat([{ index: 0, id: 'x', name: 'list', args }]),
    await chat([{ index: 0, id: 'x', name: 'list', args: JSON.stringify(args) }]),
    await anthropicCall(args),
  ];
  for (const reply of await made(nested(100))) expect(callsOf(reply)[0]?.broken).toBeUndefined();
  for (const levels of [101, 5000, 300_000]) {
    for (const reply of await made(nested(levels))) {
      expect(callsOf(reply)).toMatchObject([{ input: {}, broken: expect.stringContaining('more than 100 levels') }]);
      expect(JSON.stringify(reply.raw).length).toBeLessThan(500);
    }
  }
  const whole = await read('openai-chat', nested(400).replace(/^/, WHOLE).concat('}}]},"finish_reason":"stop"}]}'));
  expect(callsOf(whole)[0]?.broken).toContain('more than 100 levels');
});

/** A reply that was not streamed, up to its arguments, which are an object here. */
const WHOLE = '{"choices":[{"message":{"tool_calls":[{"id":"x","function":{"name":"list","arguments":';

test('what a server nests deeper than can be written again is a broken stream, whatever field it is in', async () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  const extra = `{"choices":[{"delta":{"content":"x","extra_content":{"a":${deep}}},"finish_reason":"stop"}]}`;
  const block = `{"type":"content_block_start","index":0,"content_block":{"type":"odd","a":${deep}}}`;
  const item = `{"type":"response.output_item.done","output_index":0,"item":{"type":"odd","a":${deep}}}`;
  for (const [dialect, event] of [
    ['openai-chat', extra],
    ['anthropic', block],
    ['openai-responses', item],
  ] as const) {
    const { failure, raw } = await read(dialect, sse(event));
    expect([failure?.kind, raw]).toEqual(['stream', undefined]);
    expect(failure?.message).toContain('nested too deeply');
  }
});

test('B15 parallel calls that all have index 0 stay apart', async () => {
  const three = ['a', 'b', 'c'].map((path) => ({ index: 0, id: path, name: 'read', args: `{"path":"${path}"}` }));
  expect(await calls(...three)).toEqual([
    ['read', a, ''],
    ['read', b, ''],
    ['read', { path: 'c' }, ''],
  ]);
  const unnamed = ['a', 'b'].map((path) => ({ index: 0, id: '', name: 'read', args: `{"path":"${path}"}` }));
  expect(await calls(...unnamed)).toEqual([
    ['read', a, ''],
    ['read', b, ''],
  ]);
});

test('B16 calls without an index stay apart, and their fragments together', async () => {
  expect(
    await calls(
      { id: 'x', name: 'read', args: '{"path":"a"}' },
      { id: 'y', name: 'read', args: '{"path":"b"}' },
      { id: 'z', name: 'read', args: '{"pa' },
      { args: 'th":"c' },
      { args: '"}' },
    ),
  ).toEqual([
    ['read', a, ''],
    ['read', b, ''],
    ['read', { path: 'c' }, ''],
  ]);
});

test('B17 interleaved fragments are assembled by index', async () => {
  expect(
    await calls(
      { index: 0, id: 'x', name: 'read', args: '{"pa' },
      { index: 1, id: 'y', name: 'read', args: '{"pa' },
      { index: 0, args: 'th":"a"}' },
      { index: 1, args: 'th":"b"}' },
    ),
  ).toEqual([
    ['read', a, ''],
    ['read', b, ''],
  ]);
});

test('B18 a repeated, split or emptied name is one name', async () => {
  const expected = [['bash', { command: 'x' }, '']];
  const parts = ['{"com', 'mand":', '"x"}'];
  const repeated = parts.map((args) => ({ index: 0, id: 'i', name: 'bash', args }));
  expect(await calls(...repeated)).toEqual(expected);
  expect(
    await calls(
      { index: 0, id: 'i', name: 'ba', args: '' },
      { index: 0, name: 'sh', args: '' },
      { index: 0, args: '{"command":"x"}' },
    ),
  ).toEqual(expected);
  const emptied = parts.map((args, at) => ({ index: 0, id: at ? null : 'i', name: at ? '' : 'bash', args }));
  expect(await calls(...emptied)).toEqual(expected);
  const after = [...repeated, { index: 0, id: 'i', name: 'bash', args: '' }];
  expect(await calls(...after)).toEqual(expected);
});

test('B19 a call cut off by the output limit is answered with why, not run', async () => {
  const reply = await chat(
    [{ index: 0, id: 'x', name: 'write', args: '{"path":"a.txt","content":"line 1\\nli' }],
    'length',
  );
  expect(reply.stop).toBe('length');
  expect(callsOf(reply)[0]?.broken).toMatch(/cut off by the output limit/);
});

test('B20 a cut call declared as a normal stop is broken, not repaired', async () => {
  const reply = await chat([{ index: 0, id: 'x', name: 'write', args: '{"path":"a.txt","content":"line 1\\nli' }]);
  expect(callsOf(reply)[0]?.broken).toMatch(/not valid JSON/);
});

test('B21 arguments encoded twice are decoded once, as a whole only', async () => {
  expect(await calls({ index: 0, id: 'x', name: 'read', args: '"{\\"path\\":\\"a\\"}"' })).toEqual([['read', a, '']]);
  expect(callsOf(await chat([{ index: 0, id: 'x', name: 'read', args: '"a.txt"' }]))[0]?.broken).toBeTruthy();
  const inner = { path: 'p', edits: '[{"old":"x"}]' };
  expect(await calls({ index: 0, id: 'x', name: 'read', args: JSON.stringify(inner) })).toEqual([['read', inner, '']]);
});

test('B22 strings that look like JSON stay strings', async () => {
  const input = { path: 'p.json', content: '[ "a" ]\n', other: '007' };
  expect(await calls({ index: 0, id: 'x', name: 'write', args: JSON.stringify(input) })).toEqual([
    ['write', input, ''],
  ]);
});

test('B16 arguments sent as an object are read', async () => {
  expect(await calls({ index: 0, id: 'x', name: 'read', args: a })).toEqual([['read', a, '']]);
});

test('B23 the content decides, not the stop reason', async () => {
  const call = [{ index: 0, id: 'x', name: 'read', args: '{"path":"a"}' }];
  for (const stop of ['stop', 'end_turn', 'eos', 'function_call']) expect((await chat(call, stop)).stop).toBe('calls');
  const unstopped = await read('openai-chat', sse(...call.map(fragment), chunk({}, ''), '[DONE]'));
  expect(unstopped.stop).toBe('calls');
  for (const stop of ['tool_calls', 'eos']) {
    const reply = await read('openai-chat', sse(chunk({ content: 'text' }), chunk({}, stop)));
    expect([reply.stop, textOf(reply)]).toEqual(['done', 'text']);
  }
  const refused = await read('openai-chat', sse(chunk({ content: 'no' }), chunk({}, 'content_filter')));
  expect(refused.stop).toBe('refused');
});

test('A13 B28 a reply that says nothing is a failure, one cut by its limit is not', async () => {
  const thought = await read('openai-chat', sse(chunk({ reasoning_content: 'hm' }), chunk({}, 'stop')));
  expect(thought.failure?.kind).toBe('empty');
  expect(thought.raw).toBeUndefined();
  const only = await read('anthropic', sse(...RECORDED.anthropic.slice(0, 7), ...RECORDED.anthropic.slice(-2)));
  expect(only.failure?.kind).toBe('empty');
  const malformed = await read('openai-chat', sse(chunk({ content: 'x' }), chunk({}, 'malformed_function_call')));
  expect(malformed.failure?.kind).toBe('empty');
  expect((await read('openai-chat', sse(chunk({}, 'stop')))).failure?.kind).toBe('empty');
  expect((await read('openai-chat', sse(chunk({ reasoning: 'hm' }), chunk({}, 'length')))).stop).toBe('length');
});

test('B29 a call written as text is text', async () => {
  const said = '<tool_call>{"name":"bash","arguments":{"command":"touch pwned"}}</tool_call>';
  const reply = await read('openai-chat', sse(chunk({ content: said }), chunk({}, 'stop')));
  expect([reply.stop, callsOf(reply), textOf(reply)]).toEqual(['done', [], said]);
});

test('B27 usage: running totals, late, cached, and absent', async () => {
  const say = chunk({ content: 'x' }, 'stop');
  const total = (usage: Json): Json => ({ choices: [], usage });
  const of = async (...events: Json[]) => (await read('openai-chat', sse(...events, '[DONE]'))).usage;
  const running = [10, 20, 30].map((completion_tokens) => total({ prompt_tokens: 5, completion_tokens }));
  expect(await of(say, ...running)).toMatchObject({ input: 5, output: 30 });
  const cached = { prompt_tokens: 1000, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 900 } };
  expect(await of(say, total(cached))).toMatchObject({ input: 100, cacheRead: 900 });
  expect(await of(say, { choices: [], usage: null })).toBeUndefined();
  expect(await of(say)).toBeUndefined();
  const claude = await read('anthropic', sse(...RECORDED.anthropic));
  expect(claude.usage).toMatchObject({ input: 100, cacheRead: 900, output: 42 });
});

test('of what a server says it used, only finite numbers from 0 count, in every dialect', async () => {
  const usage = (n: string) =>
    `{"prompt_tokens":${n},"completion_tokens":${n},"input_tokens":${n},"output_tokens":${n},"cost":${n}}`;
  const bodies = (n: string) =>
    ({
      'openai-chat': sse(chunk({ content: 'x' }, 'stop'), `{"choices":[],"usage":${usage(n)}}`, '[DONE]'),
      anthropic: sse(
        `{"type":"message_start","message":{"usage":${usage(n)}}}`,
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'x' } },
        `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":${usage(n)}}`,
      ),
      'openai-responses': sse(
        { type: 'response.output_text.delta', output_index: 0, delta: 'x' },
        `{"type":"response.completed","response":{"status":"completed","output":[],"usage":${usage(n)}}}`,
      ),
    }) as const;
  for (const dialect of DIALECTS) {
    for (const n of ['-1000', '1e999', '-1e999', '1e308', '"7"', 'null']) {
      const reply = await read(dialect, bodies(n)[dialect]);
      expect([textOf(reply), reply.usage]).toEqual(['x', { ...NOTHING, cost: 0 }]);
    }
    expect((await read(dialect, bodies('7')[dialect])).usage).toMatchObject({ input: 7, output: 7 });
  }
});

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

test('thinking and text in lists, and reasoning in pieces, come together', async () => {
  const reply = await read(
    'openai-chat',
    sse(
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
      chunk({ content: [{ type: 'text', text: 'yes' }] }),
      chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'a' }] }),
      chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'b', signature: 's' }] }),
      chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'd' }] }),
      chunk({}, 'stop'),
    ),
  );
  expect(reply.content).toEqual([
    { type: 'thinking', text: 'hm' },
    { type: 'text', text: 'yes' },
  ]);
  expect(reply.raw?.content).toMatchObject({
    reasoning_details: [
      { type: 'reasoning.text', index: 0, text: 'ab', signature: 's' },
      { type: 'reasoning.encrypted', index: 1, data: 'd' },
    ],
  });
});
