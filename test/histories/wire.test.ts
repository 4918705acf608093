/** Group B, streams: what arrives is what was sent, or a failure with a name; nothing broken runs. */
import { expect } from 'vitest';
import type { Model } from '../../src/core/types.ts';
import { createCatalog, createModel, type Limits, resolveModel, withRetry } from '../../src/providers/index.ts';
import { type Reply, renderReply, type ScriptedServer, type Turn } from '../../src/testing/index.ts';
import { callsOf, canned, modelOf, run } from '../providers/support.ts';
import { bash, bodyOf, lastSaid, onGo, until } from '../support/rein.ts';
import {
  CHATS,
  dialectOf,
  everywhere,
  type Flavour,
  hangsAfter,
  inOrder,
  MODELS,
  type Open,
  pairsOf,
} from './world.ts';

const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });
const started = ({ seen }: Open): number => seen.filter((one) => 'live' in one && one.live === 'started').length;
const retries = ({ seen }: Open): number => seen.filter((one) => 'live' in one && one.live === 'retrying').length;

/** A model of this flavour with limits of its own on silence. */
function impatient(server: ScriptedServer, flavour: Flavour, limits: Partial<Limits>): Model {
  const spec = resolveModel(MODELS[flavour], createCatalog());
  if (typeof spec === 'string') throw new Error(spec);
  const { url } = server;
  const baseUrl = {
    anthropic: url,
    responses: `${url}/v1`,
    chat: `${url}/openai/v1`,
    gemini: `${url}/v1beta/openai`,
    mistral: `${url}/mistral/v1`,
    deepseek: `${url}/deepseek`,
  }[flavour];
  const clock = {
    now: () => performance.now(),
    time: () => Date.now(),
    sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)),
  };
  return withRetry(createModel({ spec, fetch, clock, baseUrl, key: 'k', limits }), { clock, base: 1, tries: 3 });
}

everywhere('B01', 'characters cut at every byte arrive whole, in words and in files', async (make) => {
  const world = await make(onGo({ text: '日本😀', calls: [write('a.txt', '日本😀')] }), { chunking: { every: 1 } });
  expect(await (await world.open()).say('go')).toMatchObject({ stop: 'done', text: 'done' });
  expect(Buffer.from(world.file('a.txt') ?? '').toString('hex')).toBe('e697a5e69cacf09f9880');
  expect(bodyOf(world.server.requests[1])).toContain('日本😀');
});

everywhere('B02 B03', 'line ends, marks, comments, pings and unknown events change nothing', async (make, flavour) => {
  const plain = renderReply(dialectOf(flavour), { text: ['one ', 'two'] });
  const crlf = plain.replaceAll('\n', '\r\n');
  const noise =
    ': keep-alive\n\nevent: ping\ndata: {"type":"ping"}\n\ndata:\n\nevent: future_thing\ndata: {"x":1}\n\nid: 7\nretry: 1000\n\n';
  const forms: readonly Turn[] = [
    { raw: [plain] },
    { raw: [crlf] },
    { raw: crlf.split(/(?<=\r)/) },
    { raw: [plain.replaceAll('\n', '\r')] },
    { raw: [`\uFEFF${plain.replaceAll('data: ', 'data:')}`] },
    { raw: [plain.replaceAll('\n\n', `\n\n${noise}`)] },
  ];
  const world = await make(inOrder(...forms));
  const open = await world.open();
  for (const _ of forms) expect(await open.say('again')).toMatchObject({ stop: 'done', text: 'one two' });
  expect([world.server.requests.length, retries(open)]).toEqual([forms.length, 0]);
});

everywhere(
  'B04',
  'a stream that stalls ends in the idle limit, and at once when a person stops it',
  async (make, flavour) => {
    const half = renderReply(dialectOf(flavour), { text: ['a first ', 'never'] });
    const cut = half.slice(0, half.lastIndexOf('\n\n', half.indexOf('never')) + 2);
    const world = await make(() => hangsAfter(cut));
    const open = await world.open({ model: impatient(world.server, flavour, { idle: 100, first: 2_000, close: 20 }) });
    const ending = await open.say('go');
    expect(ending).toMatchObject({ stop: 'error', failure: { kind: 'stream' }, text: 'a first' });
    expect(ending.message).toMatch(/nothing was said for/);
    expect(world.server.requests).toHaveLength(3);
    const patient = await world.open();
    patient.session.send('go');
    await until(() => patient.seen.some((one) => 'live' in one && one.live === 'text'), 'text is shown');
    const began = Date.now();
    await patient.session.stop();
    expect(Date.now() - began).toBeLessThan(1000);
    expect((await patient.session.settled()).text).toBe('a first');
  },
);

everywhere('B05', 'a slow first word and comments are life, pings alone are not for ever', async (make, flavour) => {
  const reply = renderReply(dialectOf(flavour), { text: 'here' });
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
  const forms: Readonly<Record<string, Turn>> = {
    slow: { raw: [400, reply] },
    comments: { raw: [': wait\n\n', 250, ': wait\n\n', 250, ': wait\n\n', 250, reply] },
    pings: { raw: Array.from({ length: 60 }, () => [ping, 40]).flat() },
  };
  const world = await make((asked) => forms[lastSaid(asked)] ?? { text: '' });
  const limits = { first: 600, idle: 150, quiet: 900, close: 20 };
  const open = await world.open({ model: impatient(world.server, flavour, limits) });
  expect(await open.say('slow')).toMatchObject({ stop: 'done', text: 'here' });
  expect(await open.say('comments')).toMatchObject({ stop: 'done', text: 'here' });
  expect(world.server.requests).toHaveLength(2);
  const once = withoutRetry(impatient(world.server, flavour, limits));
  const ending = await (await world.open({ model: once })).say('pings');
  expect(ending.message).toMatch(/nothing was said for/);
});

/** Its first failure is its answer. */
const withoutRetry = (model: Model): Model =>
  async function* (request, signal) {
    const stop = new AbortController();
    const going = model(request, AbortSignal.any([signal, stop.signal]));
    for (;;) {
      const step = await going.next();
      if (step.done) return step.value;
      if ('live' in step.value && step.value.live === 'retrying') {
        const { failure } = step.value;
        await going.return({ role: 'assistant', content: [], stop: 'error', model: '' });
        return { role: 'assistant', content: [], stop: 'error', model: '', failure };
      }
      yield step.value;
    }
  };

everywhere('B06', 'a stream that closes inside a call runs nothing, and is asked for again', async (make, flavour) => {
  const half = renderReply(dialectOf(flavour), {
    calls: [{ name: 'write_file', arguments: ['{"path":"a.txt","content":"line 1\\nli', 'ne 2"}'] }],
  });
  const cut = half.slice(0, half.lastIndexOf('\n\n', half.indexOf('ne 2')) + 2);
  const world = await make(inOrder({ raw: [cut] }, { text: 'done' }));
  const open = await world.open();
  expect(await open.say('go')).toMatchObject({ stop: 'done' });
  expect([world.server.requests.length, started(open)]).toEqual([2, 0]);
  expect(world.file('a.txt')).toBeUndefined();
});

everywhere(
  'B07',
  'a missing marker after a whole answer is no error',
  async (make) => {
    const reply = renderReply('openai-chat', { text: 'good' });
    const forms = [
      reply.replace('data: [DONE]\n\n', ''),
      reply.replace('"finish_reason":"stop"', '"finish_reason":null'),
      reply.trimEnd(),
    ];
    const world = await make(inOrder(...forms.map((raw): Turn => ({ raw: [raw] }))));
    const open = await world.open();
    for (const _ of forms) expect(await open.say('again')).toMatchObject({ stop: 'done', text: 'good' });
    expect(world.server.requests).toHaveLength(3);
  },
  CHATS,
);

everywhere('B08', 'an overload inside a 200 is retried once, and nothing is said twice', async (make, flavour) => {
  const whole = renderReply(dialectOf(flavour), { text: ['Plan', ': never'] });
  const cut = whole.slice(0, whole.lastIndexOf('\n\n', whole.indexOf(': never')) + 2);
  const errors = [
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n',
    'data: {"error":{"message":"upstream","code":502}}\n\ndata: [DONE]\n\n',
  ];
  for (const error of errors) {
    const world = await make(inOrder({ raw: [cut, error] }, { text: 'Plan: one' }));
    const open = await world.open();
    expect(await open.say('go')).toMatchObject({ stop: 'done', text: 'Plan: one' });
    expect([world.server.requests.length, retries(open)]).toEqual([2, 1]);
    await open.say('more');
    expect(bodyOf(world.server.requests[2]).split('Plan')).toHaveLength(2);
  }
});

everywhere('B12', 'a retry after visible output runs the call once and keeps the text once', async (make, flavour) => {
  const reply: Reply = { text: 'Plan: ', calls: [{ name: 'bash', arguments: ['{"command":"echo x >> log"', '}'] }] };
  const whole = renderReply(dialectOf(flavour), reply);
  const cut = whole.slice(
    0,
    whole.lastIndexOf('\n\n', whole.indexOf(flavour === 'anthropic' ? '"partial_json":"}"' : '":"}"')) + 2,
  );
  const world = await make(inOrder(hangsUp(cut), reply));
  const open = await world.open();
  expect(await open.say('go')).toMatchObject({ stop: 'done' });
  expect([started(open), world.file('log')]).toEqual([1, 'x\n']);
  expect(bodyOf(world.server.requests[2]).split('Plan: ')).toHaveLength(2);
  expect(pairsOf(world.server.requests[2])).toHaveLength(1);
});

// biome-ignore lint/suspicious/noThenProperty: the scripted server's own word for what follows the bytes
const hangsUp = (raw: string): Turn => ({ raw: [raw], then: 'reset' });

// ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────

everywhere('B13', 'no arguments, in any spelling, are an empty object, sent back as {}', async (make, flavour) => {
  const spellings = ['', ...(flavour === 'anthropic' ? [] : ['null'])];
  for (const text of spellings) {
    const world = await make(onGo({ calls: [{ name: 'list_files', arguments: text }] }));
    world.put('seen.txt', '');
    expect(await (await world.open()).say('go')).toMatchObject({ stop: 'done' });
    expect(pairsOf(world.server.requests[1])[0]?.text).toContain('seen.txt');
    expect(bodyOf(world.server.requests[1])).toMatch(/"(arguments":"\{\}"|input":\{\})/);
  }
});

everywhere('B14 B20', 'broken or cut arguments are never run as something else', async (make) => {
  const world = await make(
    onGo({
      calls: [
        { name: 'list_files', arguments: '{"path": "src", }x' },
        { name: 'write_file', arguments: '{"path":"a.txt","content":"line 1\\nline 2' },
      ],
    }),
  );
  world.put('a.txt', 'as it was');
  const open = await world.open();
  expect(await open.say('go')).toMatchObject({ stop: 'done' });
  for (const { text } of pairsOf(world.server.requests[1]))
    expect(text).toMatch(/^ERROR: the arguments .* nothing was run/);
  expect([started(open), world.file('a.txt')]).toEqual([0, 'as it was']);
});

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const calling = (...calls: readonly object[]): string => chunk({ tool_calls: calls });
const begun = (index: number | undefined, id: string | null, name: string, text: string) => ({
  ...(index === undefined ? {} : { index }),
  id,
  type: 'function',
  function: { name, arguments: text },
});
const rest = (index: number | undefined, text: string) => ({
  ...(index === undefined ? {} : { index }),
  function: { arguments: text },
});
const touch = (name: string) => JSON.stringify({ command: `echo ${name} >> order; echo ${name}` });

const FORMS: Readonly<Record<string, readonly (readonly [string, string])[] | readonly string[]>> = {
  'B15 every index is 0': [
    calling(begun(0, 'i1', 'bash', touch('a'))),
    calling(begun(0, 'i2', 'bash', touch('b'))),
    calling(begun(0, 'i3', 'bash', touch('c'))),
  ],
  'B16 no index, whole and in fragments': [
    calling(begun(undefined, 'i1', 'bash', touch('a'))),
    calling(begun(undefined, 'i2', 'bash', touch('b'))),
    calling(begun(undefined, 'i3', 'bash', touch('c').slice(0, 7))),
    calling(rest(undefined, touch('c').slice(7))),
  ],
  'B17 interleaved': [
    calling(begun(0, 'i1', 'bash', touch('a').slice(0, 5))),
    calling(begun(1, 'i2', 'bash', touch('b').slice(0, 5))),
    calling(rest(0, touch('a').slice(5))),
    calling(rest(1, touch('b').slice(5))),
  ],
  'B18 name and id on each fragment': [
    calling(begun(0, 'i1', 'bash', '{"command":')),
    calling(begun(0, 'i1', 'bash', '"echo a ')),
    calling(begun(0, 'i1', 'bash', '>> order; echo a"}')),
  ],
  'B18 a name in two pieces': [calling(begun(0, 'i1', 'ba', '')), calling(begun(0, 'i1', 'sh', touch('a')))],
  'B18 emptied name and id': [
    calling(begun(0, 'i1', 'bash', touch('a').slice(0, 9))),
    calling(begun(0, null, '', touch('a').slice(9))),
  ],
};

for (const [form, fragments] of Object.entries(FORMS)) {
  everywhere(
    form,
    'each call runs once, as it was meant',
    async (make) => {
      const names = ['a', 'b', 'c'].slice(0, form.startsWith('B18') ? 1 : form.startsWith('B17') ? 2 : 3);
      const turn: Turn = { raw: [...fragments.flat(), chunk({}, 'tool_calls'), 'data: [DONE]\n\n'] };
      const world = await make(onGo(turn));
      const open = await world.open();
      expect(await open.say('go')).toMatchObject({ stop: 'done' });
      expect(started(open)).toBe(names.length);
      expect(world.file('order')?.trim().split('\n').sort()).toEqual(names);
      expect(pairsOf(world.server.requests[1]).map(({ text }) => text.split('\n')[0])).toEqual(names);
    },
    CHATS,
  );
}

everywhere('B19', 'a call cut by the output limit is not run, and two such rounds are enough', async (make) => {
  const cut: Turn = {
    calls: [{ name: 'write_file', arguments: '{"path":"a.txt","content":"line 1\\nline 2' }],
    stop: 'length',
  };
  const world = await make(() => cut);
  const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`).join('\n');
  world.put('a.txt', lines);
  const open = await world.open();
  const ending = await open.say('go');
  expect(ending.stop).toBe('length');
  expect(ending.message).toMatch(/output limit/);
  expect(world.server.requests).toHaveLength(3);
  expect(pairsOf(world.server.requests[1])[0]?.text).toMatch(/^ERROR: .*cut.*smaller steps/);
  expect([started(open), world.file('a.txt')]).toEqual([0, lines]);
});

everywhere('B21 B22', 'what is encoded twice is decoded where the schema wants it, and nowhere else', async (make) => {
  const world = await make(
    onGo(
      { calls: [{ name: 'read_file', arguments: JSON.stringify(JSON.stringify({ path: 'a.txt' })) }] },
      { calls: [{ name: 'edit_file', input: { path: 'a.txt', edits: JSON.stringify([{ old: 'x', new: 'y' }]) } }] },
      {
        calls: [write('p.json', '[ "a" ]\n'), write('n.txt', '007'), write('t.txt', 'true'), write('o.txt', '{"x":1}')],
      },
    ),
  );
  world.put('a.txt', 'x\n');
  expect(await (await world.open()).say('go')).toMatchObject({ stop: 'done' });
  expect(pairsOf(world.server.requests.at(-1))[0]?.text).toContain('x');
  const files = ['a.txt', 'p.json', 'n.txt', 't.txt', 'o.txt'];
  expect(files.map(world.file)).toEqual(['y\n', '[ "a" ]\n', '007', 'true', '{"x":1}']);
});

everywhere('B23', 'the content decides, not the stop reason', async (make) => {
  const turns: Readonly<Record<string, Turn>> = {
    go: { calls: [bash('touch ran')], stop: 'done' },
    calls: { text: 'text', stop: 'calls' },
    eos: { text: 'text', stop: 'eos' },
    blank: { text: 'text', stop: '' },
  };
  const world = await make((asked) =>
    asked.rounds.length > 0 ? { text: 'text' } : (turns[lastSaid(asked)] ?? { text: '' }),
  );
  const open = await world.open();
  for (const prompt of ['go', 'calls', 'eos'])
    expect(await open.say(prompt)).toMatchObject({ stop: 'done', text: 'text' });
  expect(world.file('ran')).toBe('');
  expect(world.server.requests).toHaveLength(4);
});

everywhere('B29', 'a call that is only written as text, or thought of, is not run', async (make) => {
  const call = '{"name":"bash","arguments":{"command":"touch pwned"}}';
  const forms: readonly Turn[] = [
    { text: `<tool_call>${call}</tool_call>` },
    { text: `\`\`\`json\n${call}\n\`\`\`` },
    { thinking: `<tool_call>${call}</tool_call>`, text: 'So be it.' },
  ];
  const world = await make(inOrder(...forms));
  const open = await world.open();
  for (const _ of forms) expect(await open.say('go')).toMatchObject({ stop: 'done' });
  expect([started(open), world.file('pwned')]).toEqual([0, undefined]);
});

everywhere(
  'B28',
  'a malformed call or an empty stop is asked for once more, then it is an error',
  async (make) => {
    for (const bad of [chunk({}, 'malformed_function_call'), chunk({ role: 'assistant' }, 'stop')]) {
      const turn: Turn = { raw: [bad, 'data: [DONE]\n\n'] };
      const healed = await make(inOrder(turn, { text: 'good' }));
      expect(await (await healed.open()).say('go')).toMatchObject({ stop: 'done', text: 'good' });
      expect(healed.server.requests).toHaveLength(2);
      const world = await make(() => turn);
      expect(await (await world.open()).say('go')).toMatchObject({ stop: 'error', failure: { kind: 'empty' } });
      expect(world.server.requests.length).toBeLessThanOrEqual(3);
    }
  },
  CHATS,
);

/** What vendors of the chat dialect add to it: signatures, reasoning of their own, thinking in lists. */
const NASTY: Readonly<Record<string, readonly string[]>> = {
  gemini: [
    chunk({ role: 'assistant', content: 'Ich schreibe 日' }),
    chunk({ content: '本😀.' }),
    chunk({
      tool_calls: [
        {
          ...begun(0, 'c1', 'write', '{"path":"a.txt","con'),
          extra_content: { google: { thought_signature: 'c2ln/+=' } },
        },
      ],
    }),
    chunk({ tool_calls: [rest(0, 'tent":"日本😀 {}\\n"}')] }),
    chunk({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ],
  mistral: [
    chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: '  step 日\n' }] }] }),
    chunk({ content: [{ type: 'text', text: 'Ich schreibe 日' }] }),
    chunk({ content: '本😀.' }),
    chunk({ tool_calls: [begun(0, 'abcdefghi', 'write', '{"path":"a.txt","content":"日本😀"}')] }, 'tool_calls'),
    'data: [DONE]\n\n',
  ],
  deepseek: [
    chunk({ reasoning_content: '  step 日\n' }),
    chunk({ reasoning_content: '😀' }),
    chunk({ content: 'Ich schreibe 日本😀.' }),
    chunk({ tool_calls: [begun(0, 'c1', 'write', '{"path":"a.t')] }),
    chunk({ tool_calls: [rest(0, 'xt","content":"日本😀"}')] }),
    chunk({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ],
};

everywhere(
  'B01 B06',
  'cut in two at any byte the same message; ended at any byte a named failure that runs nothing',
  async (_, flavour) => {
    const bytes = new TextEncoder().encode((NASTY[flavour] ?? []).join(''));
    const reply = async (...chunks: readonly Uint8Array[]) =>
      (await run(modelOf(MODELS[flavour], canned({ body: chunks })))).reply;
    const whole = await reply(bytes);
    expect(whole.content.at(-1)).toMatchObject({ type: 'call', name: 'write', input: { path: 'a.txt' } });
    for (let at = 0; at <= bytes.length; at++) {
      expect(await reply(bytes.slice(0, at), bytes.slice(at))).toEqual(whole);
      const ended = await reply(bytes.slice(0, at));
      if (ended.failure) expect([ended.failure.kind, callsOf(ended)]).toEqual(['stream', []]);
      else expect(ended.content).toEqual(whole.content);
    }
  },
  ['gemini', 'mistral', 'deepseek'],
);

// ── Odd bodies ───────────────────────────────────────────────────────────────────────────────────────────────────────

everywhere(
  'B32',
  'objects glued into one event are taken apart, data over several lines is joined',
  async (make, flavour) => {
    const plain = renderReply(dialectOf(flavour), { text: ['one ', 'two ', 'three'] });
    const events = plain.split('\n\n').filter((event) => event !== '');
    const dataOf = (event: string) => event.slice(event.indexOf('data: ') + 6);
    const at = events.findIndex((event) => event.includes('"one '));
    const glued = [...events.slice(0, at), `${events[at]}${dataOf(events[at + 1] ?? '')}`, ...events.slice(at + 2)];
    const long = events.map((event) => {
      const data = dataOf(event);
      if (data === '[DONE]') return event;
      return JSON.stringify(JSON.parse(data), null, 1)
        .split('\n')
        .map((line) => `data: ${line}`)
        .join('\n');
    });
    const world = await make(inOrder({ raw: [`${glued.join('\n\n')}\n\n`] }, { raw: [`${long.join('\n\n')}\n\n`] }));
    const open = await world.open();
    for (const _ of [1, 2]) expect(await open.say('go')).toMatchObject({ stop: 'done', text: 'one two three' });
  },
);

const WHOLE: Readonly<Record<ReturnType<typeof dialectOf>, object>> = {
  anthropic: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'whole' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 1 },
  },
  'openai-chat': {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 1 },
  },
  'openai-responses': {
    id: 'r',
    object: 'response',
    status: 'completed',
    output: [{ id: 'msg', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'whole' }] }],
    usage: { input_tokens: 10, output_tokens: 1 },
  },
};

everywhere(
  'B34',
  'a page or nothing in the place of a stream is named; a whole answer is taken',
  async (make, flavour) => {
    const json = { 'content-type': 'application/json' };
    const world = await make(
      inOrder(
        { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Login</title>' },
        { status: 204, headers: { 'retry-after-ms': '1' } },
        { status: 200, headers: json, body: JSON.stringify(WHOLE[dialectOf(flavour)]) },
      ),
    );
    const open = await world.open();
    const page = await open.say('page');
    expect(page).toMatchObject({ stop: 'error', failure: { kind: 'request' } });
    expect(page.message).toMatch(/127\.0\.0\.1:\d+ sent a web page.*status 200, text\/html/);
    expect(world.server.requests).toHaveLength(1);
    expect(await open.say('nothing, then the whole')).toMatchObject({ stop: 'done', text: 'whole' });
  },
);
