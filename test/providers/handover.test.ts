import { expect, test } from 'vitest';
import type { Assistant, Content, Json, Message, Raw, Request, Result, User } from '../../src/core/types.ts';
import { createCatalog, resolveModel } from '../../src/providers/index.ts';
import {
  strictAnthropic,
  strictDeepseek,
  strictGemini,
  strictMistral,
  strictOpenai,
  strictResponses,
  type Validator,
} from '../../src/testing/index.ts';
import { ask, canned, chunk, modelOf, RECORDED, run, sse, user } from './support.ts';

const TARGETS: readonly (readonly [string, Validator])[] = [
  ['anthropic/claude-sonnet-5-5', strictAnthropic],
  ['openai/gpt-5.6-sol', strictResponses],
  ['xai/grok-4.7', strictOpenai],
  ['mistral/mistral-large-latest', strictMistral],
  ['deepseek/deepseek-v4-pro', strictDeepseek],
  ['gemini/gemini-3.8-flash', strictGemini],
];

/** What is sent for a request: the body's text, parsed. */
async function sentFor(name: string, request: Request, more: { effort?: string } = {}) {
  const fetch = canned({ body: '' });
  await run(modelOf(name, fetch, more), request);
  const body = fetch.sent[0]?.body ?? '';
  const json: { messages: Json[]; input: Json[]; [key: string]: Json } = JSON.parse(body);
  return { body, json };
}

const reply = (content: Assistant['content'], more: Partial<Assistant> = {}): Assistant => ({
  role: 'assistant',
  content,
  stop: content.some((part) => part.type === 'call') ? 'calls' : 'done',
  model: 'other/model',
  ...more,
});
const call = (id: string, vendorId = id, name = 'read', input: Json = { path: id }) =>
  ({ type: 'call', id, vendorId, name, input }) as const;
const result = (id: string, content: readonly Content[] = [{ type: 'text', text: `result of ${id}` }]): Result => ({
  role: 'result',
  call: id,
  name: 'read',
  content,
  failed: false,
  how: 'ran',
});
const said = (text: string) => ({ type: 'text', text }) as const;

async function passes(messages: readonly Message[], inspect: (body: string, name: string) => void = () => {}) {
  for (const [name, validate] of TARGETS) {
    const { body, json } = await sentFor(name, ask(...messages));
    expect(validate(json), name).toEqual([]);
    inspect(body, name);
  }
}

/** Where an id stands in a body, in order of appearance: each call once, then its result. */
const idsIn = (body: string): string[] =>
  [...body.matchAll(/"(?:id|tool_use_id|tool_call_id|call_id)":"([^"]*)"/g)].map((match) => match[1] ?? '');

test('A11 A12 blank text is left out, an empty result gets a word', async () => {
  const raw: Raw = {
    dialect: 'anthropic',
    vendor: 'anthropic',
    model: 'claude-sonnet-5-5',
    content: [
      { type: 'text', text: '\n\n' },
      { type: 'tool_use', id: 't1', name: 'read', input: {} },
    ],
  };
  for (const content of [[], [said('')], [said('  \n')]]) {
    const messages = [user('x'), reply([said('\n\n'), call('own', 't1')], { raw }), result('own', content)];
    await passes(messages, (body) => expect(body).toContain('(no output)'));
  }
});

test('A16 A17 A18 A19 ids are mapped for each dialect, distinct, and each result keeps its call', async () => {
  const long = `call_x|fc_${'a'.repeat(430)}`;
  const ids = ['bash:0', '', 'A|1', 'A|2', long, `${'b'.repeat(64)}1`, `${'b'.repeat(64)}2`, 'fine_1', 'bash:0'];
  const calls = ids.map((vendorId, at) => call(`own${at}`, vendorId));
  const messages = [user('x'), reply(calls), ...calls.map(({ id }) => result(id))];
  await passes(messages, (body) => {
    const found = idsIn(body);
    expect(new Set(found).size).toBe(ids.length);
    for (const [at, id] of found.slice(0, ids.length).entries()) {
      expect(body.slice(body.lastIndexOf(`"${id}"`))).toContain(`result of own${at}`);
    }
  });
  await passes([user('x'), reply([call(long, long)]), result(long)]);
});

test('A16 an id reused in a later turn gives way to rein’s own, also in raw content', async () => {
  const turn = (own: string): Message[] => {
    const content: Json = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'bash:0', type: 'function', function: { name: 'bash', arguments: `{"a": "${own}"}` } }],
    };
    const raw: Raw = { dialect: 'openai-chat', vendor: 'xai', model: 'grok-4.7', content };
    return [reply([call(own, 'bash:0', 'bash')], { raw }), result(own)];
  };
  const { json, body } = await sentFor('xai/grok-4.7', ask(user('x'), ...turn('own1'), ...turn('own2')));
  expect(strictOpenai(json)).toEqual([]);
  expect(idsIn(body)).toEqual(['bash:0', 'bash:0', 'own2', 'own2']);
  expect(body).toContain('{\\"a\\": \\"own1\\"}');
});

test('a longer history begins with the same bytes', async () => {
  const history: Message[] = [user('x')];
  for (let at = 0; at < 30; at++) history.push(reply([call(`own${at}`, `id:${at % 3}`)]), result(`own${at}`));
  for (const [name] of TARGETS) {
    const items = async (length: number) => {
      const { json } = await sentFor(name, ask(...history.slice(0, length)));
      return JSON.stringify(json.messages ?? json.input).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
    };
    const whole = await items(history.length);
    for (const length of [1, 3, 9, 31]) expect(whole.startsWith((await items(length)).slice(0, -1))).toBe(true);
  }
});

test('A01 A06 A10 every call is answered once, right after it, whatever the log holds', async () => {
  const messages: Message[] = [
    result('orphan'),
    reply([said('first')]),
    user('x'),
    reply([call('a'), call('b'), call('c')]),
    result('b'),
    user('steering'),
    result('a'),
    result('a', [said('again')]),
    reply([said('partial  ')], { stop: 'aborted' }),
  ];
  await passes(messages, (body) => {
    expect(body.indexOf('result of a')).toBeLessThan(body.indexOf('result of b'));
    expect(body.indexOf('result of b')).toBeLessThan(body.indexOf('steering'));
    expect(body).toContain('was lost');
    expect(body).not.toContain('again');
    expect(body).not.toContain('orphan');
  });
});

test('A13 A31 failed and empty replies are left out, and a request ends with the user', async () => {
  const failure = { kind: 'stream', message: 'x' } as const;
  const messages: Message[] = [
    user('one'),
    reply([{ type: 'thinking', text: 'only thought' }], { stop: 'error', failure }),
    user('two'),
    reply([], { stop: 'overflow' }),
    reply([said('half'), call('never')], { stop: 'error', failure }),
  ];
  await passes(messages, (body) => {
    expect(body).toContain('half');
    expect(body).not.toContain('only thought');
    expect(body).not.toContain('never');
  });
});

test('A20 A21 half characters and NULs leave no request, and nothing else changes', async () => {
  const args = '{"content":"x\\ud83d", "n":1}';
  const content: Json = {
    role: 'assistant',
    content: 'a\0\ud83db',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read\0', arguments: args } }],
  };
  const raw: Raw = { dialect: 'openai-chat', vendor: 'xai', model: 'grok-4.7', content };
  const input = { content: 'x\ud83d', n: 1 };
  const messages = [
    user('a\ud83d\0'),
    reply([said('a\0\ud83db'), call('own', 'c1', 'read\0', input)], { raw }),
    result('own', [said('\udc00 literal \\ud83d \\u0000')]),
  ];
  await passes(messages, (body) => {
    expect(body).not.toMatch(/(^|[^\\])(\\\\)*\\u(d[89a-f]|0000)/i);
    expect(JSON.stringify(JSON.parse(body))).toContain('literal \\\\ud83d \\\\u0000');
  });
  const reread = await run(
    modelOf(
      'xai/grok-4.7',
      canned({
        body: sse(chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'read', arguments: args } }] }, 'stop')),
      }),
    ),
  );
  expect(JSON.stringify(reread.reply.raw)).not.toContain('ud83d');
});

test('A29 a name that no dialect takes is made legal', async () => {
  for (const name of ['functions.bash', '', 'Read File', 'ä'.repeat(80)]) {
    await passes([user('x'), reply([call('own', 'v', name)]), result('own')]);
  }
});

test('A14 signed and redacted thinking goes back byte for byte, to its own model only', async () => {
  const { reply: first } = await run(
    modelOf('anthropic/claude-sonnet-5-5', canned({ body: sse(...RECORDED.anthropic) })),
  );
  const stored: Assistant = JSON.parse(JSON.stringify(first));
  const request = ask(user('x'), stored, result('own1'));
  const { json } = await sentFor('anthropic/claude-sonnet-5-5', request);
  expect(json.messages[1]).toEqual({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: '  step 1\n', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'AAA=' },
      { type: 'text', text: 'I write 日本😀.' },
      { type: 'tool_use', id: 'toolu_1', name: 'write', input: { path: 'a.txt', content: '日本😀 {}\n' } },
    ],
  });
  for (const name of ['anthropic/claude-opus-5-5', 'openai/gpt-5.6-sol', 'deepseek/deepseek-v4-pro']) {
    expect((await sentFor(name, request)).body).not.toMatch(/c2ln|AAA=/);
  }
});

test('A15 thinking is not switched on for the request that carries results of an unthinking call', async () => {
  const name = 'anthropic/claude-sonnet-4-5';
  const middle = ask(user('x'), reply([call('own', 't1')]), result('own'));
  const request = await sentFor(name, middle, { effort: 'high' });
  expect(strictAnthropic(request.json)).toEqual([]);
  expect(request.json['thinking']).toBeUndefined();
  const fresh = await sentFor(name, ask(user('x')), { effort: 'high' });
  expect(fresh.json['thinking']).toEqual({ type: 'enabled', budget_tokens: 20_480 });
  expect(strictAnthropic(fresh.json)).toEqual([]);
});

test('A23 reasoning items go back encrypted and with what they led to, or not at all', async () => {
  const name = 'openai/gpt-5.6-sol';
  const stop = async (events: readonly (Json | string)[]) =>
    (await run(modelOf(name, canned({ body: sse(...events) })))).reply;
  const whole = await stop(RECORDED['openai-responses']);
  const back = await sentFor(name, ask(user('x'), whole, result('own1')));
  expect(strictResponses(back.json)).toEqual([]);
  expect(back.json.input[1]).toMatchObject({ type: 'reasoning', id: 'rs_1', encrypted_content: 'ENC' });
  expect(back.json['store']).toBe(false);
  const bare = JSON.parse(JSON.stringify(whole).replace('"encrypted_content":"ENC"', '"x":1'));
  const kept = await sentFor(name, ask(user('x'), bare, result('own1')));
  expect(strictResponses(kept.json)).toEqual([]);
  expect(kept.body).not.toMatch(/rs_1|fc_1|"msg_1"/);
  for (const length of [5, 9, 12]) {
    const cut: Assistant = { ...(await stop(RECORDED['openai-responses'].slice(0, length))), stop: 'aborted' };
    expect(strictResponses((await sentFor(name, ask(user('x'), cut, user('hi')))).json)).toEqual([]);
  }
});

test('A24 reasoning text is echoed where it must be, and nowhere else', async () => {
  const { reply: first } = await run(
    modelOf('deepseek/deepseek-v4-pro', canned({ body: sse(...RECORDED['openai-chat']) })),
  );
  const request = ask(user('x'), first, result('own1'));
  const own = await sentFor('deepseek/deepseek-v4-pro', request);
  expect(own.json.messages[2]).toMatchObject({ reasoning_content: '  step 1\n' });
  const other = await sentFor('xai/grok-4.7', request);
  expect(other.body).not.toContain('reasoning_content');
  expect(strictOpenai(other.json)).toEqual([]);
});

test('A25 a thought signature stays on its own part and with its own vendor', async () => {
  const signature = { extra_content: { google: { thought_signature: 'S1' } } };
  const body = sse(
    chunk({ tool_calls: [{ index: 0, id: 'a', ...signature, function: { name: 'read', arguments: '{}' } }] }),
    chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'list', arguments: '{}' } }] }, 'tool_calls'),
  );
  const { reply: first } = await run(modelOf('gemini/gemini-3.8-flash', canned({ body })));
  const request = ask(user('x'), first, result('own1'), result('own2'));
  const back = await sentFor('gemini/gemini-3.8-flash', request);
  expect(back.json.messages[2]).toMatchObject({ tool_calls: [{ id: 'a', ...signature }, { id: 'b' }] });
  expect(back.body.split('S1').length).toBe(2);
  for (const [name, validate] of TARGETS.slice(0, 5)) {
    const sent = await sentFor(name, request);
    expect(sent.body).not.toContain('S1');
    expect(validate(sent.json)).toEqual([]);
  }
});

test('A30 one log with a turn of each vendor goes to each of them', async () => {
  const history: Message[] = [];
  let made = 0;
  for (const [name] of TARGETS) {
    const { dialect } = resolved(name);
    const newId = () => `own_${++made}`;
    const { reply: one } = await run(modelOf(name, canned({ body: sse(...RECORDED[dialect]) }), { newId }));
    history.push(user('go on'), one, result(`own_${made}`));
  }
  await passes(history, (body) => expect(body.split('result of own_').length - 1).toBe(TARGETS.length));
});

const resolved = (name: string) => {
  const spec = resolveModel(name, createCatalog());
  if (typeof spec === 'string') throw new Error(spec);
  return spec;
};

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('A27 images go where the dialect takes them; what would poison the session becomes text', async () => {
  const image = (mediaType: string, data: string): Content => ({ type: 'image', mediaType, data });
  const shown = [said('see'), image('image/png', PNG)];
  const messages = [user('x'), reply([call('own')]), result('own', shown)];
  await passes(messages, (body, name) => expect(body.includes(PNG)).toBe(resolved(name).images !== false));
  const bad = [image('image/bmp', PNG), image('image/png', ''), image('image/png', 'A'.repeat(6_000_000))];
  const prompt: User = { role: 'user', content: bad };
  await passes([prompt], (body) => expect(body.length).toBeLessThan(5000));
  const many: Message[] = Array.from({ length: 25 }, () => ({ role: 'user', content: [image('image/png', PNG)] }));
  expect((await sentFor('anthropic/claude-sonnet-5-5', ask(...many))).body.split(PNG).length - 1).toBe(15);
});

test('A26 Mistral is given a short assistant message between results and a text', async () => {
  const { json } = await sentFor(
    'mistral/mistral-large-latest',
    ask(user('x'), reply([call('own')]), result('own'), user('y')),
  );
  const roles = json.messages.map((message) => JSON.stringify(message).match(/"role":"(\w+)"/)?.[1]);
  expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  expect(strictMistral(json)).toEqual([]);
});
