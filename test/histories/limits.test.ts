/** Group B, limits: waits, windows and budgets, as each provider words and counts them. */
import { expect, test } from 'vitest';
import type { Assistant, Json, Message } from '../../src/core/types.ts';
import { type Asked, renderReply, startServer, type Turn } from '../../src/testing/index.ts';
import { bash, bodyOf, createWorld as createProgram, lastSaid, onGo, resultLine } from '../support/rein.ts';
import {
  CHATS,
  createWorld,
  dialectOf,
  entriesOf,
  everywhere,
  FLAVOURS,
  type Flavour,
  inOrder,
  MODELS,
  type Open,
  PROTOCOLS,
  saidOf,
  turnsOf,
} from './world.ts';

const retries = ({ seen }: Open): number => seen.filter((one) => 'live' in one && one.live === 'retrying').length;
const busy = (status = 429, headers: Readonly<Record<string, string>> = { 'retry-after-ms': '1' }): Turn => ({
  status,
  headers,
  message: 'busy',
});
const user = (text: string): Message => ({ role: 'user', origin: 'person', content: [{ type: 'text', text }] });
const answer = (text: string): Assistant => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
  stop: 'done',
  model: 'a/b',
});
const isSummary = ({ tools }: Asked): boolean => tools.length === 0;
/** A conversation that a summary makes much shorter. */
const LONG = [user('RULE: tabs only.'), answer('many words '.repeat(3_000)), user('step'), answer('so far')];
const changesIn = (path: string): readonly string[] =>
  entriesOf(path).flatMap(({ type }) => (type === 'compaction' || type === 'trim' ? [type] : []));

// ── Failures and waits ───────────────────────────────────────────────────────────────────────────────────────────────

everywhere('B09', 'what is wrong for good fails at once, with the text of the server', async (make) => {
  const inStream =
    'data: {"type":"error","error":{"type":"invalid_request_error","message":"said so in the stream"}}\n\n';
  const forms: readonly (readonly [Turn, RegExp])[] = [
    [{ status: 401, message: 'said so' }, /said so.*Check [A-Z_]+/],
    [{ status: 404, message: 'model_not_found: said so' }, /does not know the model.*said so/],
    [{ status: 400, message: 'said so' }, /refused the request.*said so/],
    [{ raw: [inStream] }, /said so in the stream/],
  ];
  for (const [turn, words] of forms) {
    const world = await make(() => turn);
    const began = Date.now();
    const ending = await (await world.open()).say('go');
    expect(ending.stop).toBe('error');
    expect(ending.message).toMatch(words);
    expect(world.server.requests).toHaveLength(1);
    expect(Date.now() - began).toBeLessThan(3000);
  }
});

everywhere(
  'B10',
  'waits are as long as the server asks, in seconds, as a date and in milliseconds; else they back off',
  async (make) => {
    let date = '';
    const world = await make((_, index) => {
      // The form has whole seconds: two from now are more than one.
      if (index === 2) date = new Date(Date.now() + 2000).toUTCString();
      const turns = [
        busy(429, { 'retry-after': '2' }),
        busy(529, {}),
        busy(429, { 'retry-after': date }),
        busy(429, { 'retry-after-ms': '500' }),
      ];
      return turns[index] ?? { text: 'done' };
    });
    const open = await world.open();
    expect(await open.say('go')).toMatchObject({ stop: 'done' });
    const times = world.server.requests.map(({ time }) => time);
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    expect(gaps.map((gap, at) => gap >= ([1900, 300, 1000, 450][at] ?? 0))).toEqual([true, true, true, true]);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThan(20_000);
    expect(retries(open)).toBe(4);
  },
  PROTOCOLS,
);

everywhere('B11', 'a wait of hours ends the prompt at once, and is told', async (make) => {
  for (const [seconds, words] of [
    ['86400', '24 h'],
    ['9999999', '2778 h'],
  ] as const) {
    const world = await make(() => busy(429, { 'retry-after': seconds }));
    const began = Date.now();
    const ending = await (await world.open()).say('go');
    expect(ending).toMatchObject({ stop: 'error', failure: { kind: 'rate' } });
    expect(ending.message).toContain(words);
    expect(world.server.requests).toHaveLength(1);
    expect(Date.now() - began).toBeLessThan(5000);
  }
});

everywhere('B25', 'a rate limit is no overflow, whatever it says: the same request goes again', async (make) => {
  const words = 'Too many tokens, please wait before trying again';
  const world = await make(inOrder({ status: 429, headers: { 'retry-after': '1' }, message: words }, { text: 'done' }));
  const path = await world.craft(LONG);
  expect(await (await world.open({ resume: path })).say('go')).toMatchObject({ stop: 'done' });
  const [first, second] = world.server.requests;
  expect(bodyOf(second)).toBe(bodyOf(first));
  expect(world.server.requests).toHaveLength(2);
  expect(changesIn(path)).toEqual([]);
});

everywhere(
  'B35',
  'a connection that is closed before any byte is tried again; a refused one is named',
  async (make) => {
    const world = await make(inOrder({ fail: 'close' }, { text: 'done' }));
    const open = await world.open();
    expect(await open.say('go')).toMatchObject({ stop: 'done', text: 'done' });
    expect(world.server.requests.length).toBeLessThanOrEqual(2);
  },
);

test.concurrent('B35 a server that is not there is named with code and host', async ({ onTestFinished }) => {
  const gone = await startServer([]);
  await gone.close();
  const world = await createWorld(onTestFinished, 'anthropic', []);
  const ending = await (await world.open({ settings: { baseUrl: gone.url } })).say('go');
  expect(ending).toMatchObject({ stop: 'error', failure: { kind: 'network' } });
  expect(ending.message).toMatch(/127\.0\.0\.1:\d+ .*ECONNREFUSED/);
});

// ── The window ───────────────────────────────────────────────────────────────────────────────────────────────────────

const WORDINGS: Readonly<Record<string, Turn>> = {
  'prompt is too long': { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  'its code': { status: 400, body: { error: { code: 'context_length_exceeded', message: 'no' } } },
  'maximum context length': { status: 400, message: "This model's maximum context length is 8192 tokens." },
  'available context size': { status: 400, message: 'the request exceeds the available context size' },
  'input token count': { status: 400, message: 'The input token count (1200000) exceeds the maximum number of tokens' },
  'requested token count': { status: 400, message: 'Requested token count exceeds the model maximum' },
  'a failed response in a 200': {
    raw: [
      'data: {"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"no"}}}\n\n',
    ],
  },
};

everywhere('B24', 'an overflow in any words: one compaction, one retry, then a clear error', async (make, flavour) => {
  for (const [name, turn] of Object.entries(WORDINGS)) {
    // This form is the Responses dialect's own.
    if ('raw' in turn && flavour !== 'responses') continue;
    for (const heals of [true, false]) {
      let failed = false;
      const world = await make((asked) => {
        if (isSummary(asked)) return { text: 'Notes of the work.' };
        if (failed && heals) return { text: 'done' };
        failed = true;
        return turn;
      });
      const path = await world.craft(LONG);
      const ending = await (await world.open({ resume: path })).say('go');
      const order = world.server.requests.map(({ asked }) => (asked && isSummary(asked) ? 'summary' : 'turn'));
      expect([name, order]).toEqual([name, ['turn', 'summary', 'turn']]);
      expect(changesIn(path)).toEqual(['compaction']);
      expect(bodyOf(world.server.requests[2])).toContain('RULE: tabs only.');
      if (heals) expect(ending).toMatchObject({ stop: 'done', text: 'done' });
      else {
        expect(ending.stop).toBe('overflow');
        expect(ending.message).toMatch(/too long/);
      }
    }
  }
});

/** What a server counts of a request, by the characters of its body; and what it was asked to say at most. */
const demand = (request: { readonly json: Json | undefined; readonly raw: Uint8Array } | undefined) => {
  const body: { max_tokens?: number; max_completion_tokens?: number; max_output_tokens?: number } = JSON.parse(
    JSON.stringify(request?.json ?? {}),
  );
  const most = body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens ?? 0;
  return { input: Math.ceil((request?.raw.length ?? 0) / 4), most };
};

everywhere(
  'B26',
  'input and answer fit the window together, or the history is made smaller first',
  async (make, flavour) => {
    const WINDOW = 10_000;
    for (const [characters, first] of [
      [12_000, 'turn'],
      [34_000, 'summary'],
    ] as const) {
      const asked: Asked[] = [];
      const world = await make((one) => {
        asked.push(one);
        const { input, most } = demand(world.server.requests.at(-1));
        if (input + most > WINDOW)
          return {
            status: 400,
            message: `input length and max_tokens exceed context limit: ${input} + ${most} > ${WINDOW}`,
          };
        return { text: isSummary(one) ? 'Notes of the work.' : 'done' };
      });
      const path = await world.craft([
        user('RULE'),
        answer('ab cd '.repeat(characters / 6)),
        user('step'),
        answer('ok'),
      ]);
      const settings = { models: { [MODELS[flavour]]: { window: WINDOW, output: WINDOW } }, tools: ['read_file'] };
      expect(await (await world.open({ resume: path, settings })).say('go')).toMatchObject({
        stop: 'done',
        text: 'done',
      });
      const order = asked.map((one) => (isSummary(one) ? 'summary' : 'turn'));
      expect([characters, order]).toEqual([characters, first === 'turn' ? ['turn'] : ['summary', 'turn']]);
    }
  },
);

const chunk = (delta: object, finish: string | null, usage?: object | null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], ...(usage === undefined ? {} : { usage }) })}\n\n`;
const tail = (usage: object): string => `data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\ndata: [DONE]\n\n`;

everywhere(
  'B27',
  '(a) running totals are not summed, (b) usage after the last choice is read, (c) cached tokens count once',
  async (make) => {
    const cached = { prompt_tokens: 1000, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 900 } };
    const world = await make(
      inOrder(
        {
          raw: [
            chunk({ content: 'a' }, null, { prompt_tokens: 7, completion_tokens: 10 }),
            chunk({ content: 'b' }, null, { prompt_tokens: 7, completion_tokens: 20 }),
            chunk({}, 'stop', { prompt_tokens: 7, completion_tokens: 30 }),
            'data: [DONE]\n\n',
          ],
        },
        { raw: [chunk({ content: 'b' }, 'stop', null), tail({ prompt_tokens: 40, completion_tokens: 3 })] },
        { raw: [chunk({ content: 'c' }, 'stop'), tail(cached)] },
      ),
    );
    const { session, say } = await world.open();
    await say('a');
    expect(session.totals().usage).toMatchObject({ input: 7, output: 30 });
    await say('b');
    expect(session.totals().usage).toMatchObject({ input: 47, output: 33 });
    await say('c');
    expect(session.totals().usage).toMatchObject({ input: 147, output: 38, cacheRead: 900 });
    // What is in the window: the prompt, and the one word that was answered.
    expect(session.fill().tokens).toBeGreaterThanOrEqual(1000);
    expect(session.fill().tokens).toBeLessThan(1020);
  },
  CHATS,
);

everywhere(
  'B27',
  '(d) what was read from the cache is part of the context and not of the input',
  async (make) => {
    const world = await make(() => ({ text: 'ok', usage: { input: 100, cacheRead: 900, output: 5 } }));
    const { session, say } = await world.open();
    await say('go');
    expect(session.totals().usage).toMatchObject({ input: 100, cacheRead: 900, output: 5 });
    expect(session.fill().tokens).toBeGreaterThanOrEqual(1000);
    expect(session.fill().tokens).toBeLessThan(1020);
  },
  FLAVOURS,
);

everywhere(
  'B27',
  '(e) without any usage compaction still begins where it should, by an estimate',
  async (make, flavour) => {
    const plain = (text: string): Turn => ({
      raw: [renderReply(dialectOf(flavour), { text }).replaceAll(/"usage":/g, '"unknown":')],
    });
    const world = await make((asked) => plain(isSummary(asked) ? 'Notes of the work.' : 'many words '.repeat(700)));
    const settings = { models: { [MODELS[flavour]]: { window: 16_000, output: 2_000 } }, tools: ['read_file'] };
    const { session, say, path } = await world.open({ settings });
    for (let turn = 0; turn < 8; turn++) expect(await say(`step ${turn}`)).toMatchObject({ stop: 'done' });
    expect(session.fill().tokens).toBeGreaterThan(1_000);
    expect(changesIn(path).length).toBeGreaterThan(0);
    for (const { raw } of world.server.requests) expect(raw.length / 4).toBeLessThan(16_000);
  },
);

test.concurrent('B30 a server that cuts the prompt in silence is named, once, with both numbers', async ({
  onTestFinished,
}) => {
  const usage = { input: 4_095, output: 5 };
  const world = await createWorld(onTestFinished, 'chat', () => ({ text: 'ok', usage }));
  const path = await world.craft([user('go'), answer('word '.repeat(14_000))], 'ollama/qwen3:8b');
  const open = await world.open({ resume: path, settings: { model: 'ollama/qwen3:8b' } });
  for (const prompt of ['one', 'two', 'three']) expect(await open.say(prompt)).toMatchObject({ stop: 'done' });
  const warnings = open.notices().filter((text) => text.includes('4095'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/4095 tokens for a request of about 2\d{4}/);
});

// ── What a server refuses ────────────────────────────────────────────────────────────────────────────────────────────

/** Top-level fields that no request can do without. */
const NEEDED = new Set([
  'model',
  'messages',
  'input',
  'tools',
  'system',
  'instructions',
  'stream',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
]);

everywhere('B31', 'an optional field that the server refuses is left out, and stays out', async (make) => {
  const probe = await make(() => ({ text: 'ok' }));
  await (await probe.open({ settings: { effort: 'high' } })).say('go');
  const sent = bodyOf(probe.server.requests[0]);
  const nested = ['cache_control', 'strict'].filter((key) => sent.includes(`"${key}":`));
  const fields = [...Object.keys(JSON.parse(sent)).filter((key) => !NEEDED.has(key)), ...nested];
  for (const field of fields) {
    const world = await make(() => {
      const refused = `"${field}":`;
      return bodyOf(world.server.requests.at(-1)).includes(refused)
        ? { status: 400, message: `Unsupported parameter: '${field}'` }
        : { text: 'ok' };
    });
    const { say } = await world.open({ settings: { effort: 'high' } });
    for (const prompt of ['one', 'two']) expect([field, (await say(prompt)).stop]).toEqual([field, 'done']);
    const had = world.server.requests.map((request) => bodyOf(request).includes(`"${field}":`));
    expect([field, had]).toEqual([field, [true, false, false]]);
  }
  expect(fields.length).toBeGreaterThan(0);
});

everywhere('B31', 'a tool without properties gets them', async (make) => {
  const tool = {
    name: 'ping',
    description: 'Pings.',
    input: { type: 'object' },
    prepare: async () => 'no',
  };
  const world = await make(() => ({ text: 'ok' }));
  expect(await (await world.open({ tools: [tool] })).say('go')).toMatchObject({ stop: 'done' });
  expect(world.server.requests[0]?.asked?.tools.at(-1)).toMatchObject({
    name: 'ping',
    input: { type: 'object', properties: {} },
  });
});

// ── A fallback ───────────────────────────────────────────────────────────────────────────────────────────────────────

const nextOf = (flavour: Flavour): Flavour => FLAVOURS[(FLAVOURS.indexOf(flavour) + 1) % FLAVOURS.length] ?? flavour;
const byModel = (world: { readonly server: { readonly requests: readonly { readonly asked: Asked | undefined }[] } }) =>
  world.server.requests.map(({ asked }) => asked?.model ?? '');
const idOf = (flavour: Flavour): string => MODELS[flavour].slice(MODELS[flavour].indexOf('/') + 1);

everywhere(
  '--fallback-model',
  'another provider answers while the first is away, tools and history included',
  async (make, flavour) => {
    const second = nextOf(flavour);
    const world = await make((asked) =>
      asked.model === idOf(flavour) && lastSaid(asked) !== 'back'
        ? busy(503)
        : onGo({ thinking: 'hm', calls: [bash('echo from the second')] })(asked),
    );
    const open = await world.open({ settings: { fallbackModel: MODELS[second] } });
    expect(await open.say('go')).toMatchObject({ stop: 'done', text: 'done' });
    expect(byModel(world).filter((model) => model === idOf(second))).toHaveLength(2);
    expect(open.notices().join()).toContain('Asking the fallback model instead');
    expect(Object.keys(open.session.totals().models)).toEqual([MODELS[second]]);
    // It answered one request; the first is asked again, and sees what the other did.
    expect(await open.say('back')).toMatchObject({ stop: 'done' });
    expect(byModel(world).at(-1)).toBe(idOf(flavour));
    expect(JSON.stringify(saidOf(world.server.requests.at(-1)))).toContain('from the second');
  },
);

everywhere('--fallback-model', 'a wait of minutes is no wait where another model can answer', async (make, flavour) => {
  const second = nextOf(flavour);
  const world = await make((asked) =>
    asked.model === idOf(flavour) ? busy(429, { 'retry-after': '300' }) : { text: 'done' },
  );
  const open = await world.open({ settings: { fallbackModel: MODELS[second] } });
  expect(await open.say('go')).toMatchObject({ stop: 'done', text: 'done' });
  expect(byModel(world)).toEqual([idOf(flavour), idOf(second)]);
});

everywhere('B36', 'one budget for the main turn, whatever models there are', async (make, flavour) => {
  const second = nextOf(flavour);
  const world = await make(() => busy());
  const open = await world.open({ settings: { fallbackModel: MODELS[second] } });
  const ending = await open.say('go');
  expect(ending).toMatchObject({ stop: 'error', failure: { kind: 'rate' } });
  expect(ending.message).toMatch(/Gave up after \d+ tries/);
  expect(world.server.requests.length).toBeLessThanOrEqual(12);
  expect(new Set(byModel(world))).toEqual(new Set([idOf(flavour), idOf(second)]));
});

everywhere('B36', 'a summary that nobody answers ends with a note, and the turn goes on', async (make, flavour) => {
  const second = nextOf(flavour);
  const world = await make((asked) => (isSummary(asked) ? busy() : { text: 'done' }));
  const path = await world.craft(LONG);
  const settings = {
    models: { [MODELS[flavour]]: { window: 12_000, output: 2_000 } },
    fallbackModel: MODELS[second],
    tools: ['read_file'],
  };
  const open = await world.open({ resume: path, settings });
  expect(await open.say('go')).toMatchObject({ stop: 'done', text: 'done' });
  expect(world.server.requests.length).toBeLessThanOrEqual(12);
  expect(open.notices().join('\n')).toMatch(/stays as it is: it could not be summed up/);
  expect(changesIn(path)).toEqual([]);
  expect(turnsOf(world.server.requests.at(-1)).length).toBeGreaterThanOrEqual(LONG.length);
});

test('B36 a sub-agent that nobody answers ends with a note, and the turn goes on', async () => {
  const world = await createProgram((asked) =>
    lastSaid(asked) === 'go' || asked.rounds.length > 0
      ? onGo({ calls: [{ name: 'task', input: { prompt: 'look into it' } }] })(asked)
      : busy(),
  );
  const ran = await world.rein(['-p', 'go', '--yolo', '--fallback-model', 'openai/gpt-5.6-sol', '-o', 'json']);
  expect(ran.code).toBe(0);
  expect(resultLine(ran.stdout)).toMatchObject({ subtype: 'success', result: 'done' });
  expect(world.server.requests.length).toBeLessThanOrEqual(12);
  expect(JSON.stringify(world.server.requests.at(-1)?.asked?.rounds)).toMatch(/Gave up after/);
});
