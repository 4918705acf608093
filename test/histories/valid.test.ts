/** Group A: whatever happened before, each provider is sent a history that it accepts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Assistant, Content, Message, Result, Tool, User } from '../../src/core/types.ts';
import {
  type Asked,
  type Recorded,
  renderReply,
  type ScriptedCall,
  type Thought,
  type Turn,
} from '../../src/testing/index.ts';
import { bash, bodyOf, lastSaid, onGo, runs, until } from '../support/rein.ts';
import {
  createWorld,
  dialectOf,
  entriesOf,
  everywhere,
  FLAVOURS,
  type Flavour,
  hangsAfter,
  inOrder,
  MODELS,
  pairsOf,
  saidOf,
  turnsOf,
  type World,
} from './world.ts';

const said = (text: string) => ({ type: 'text', text }) as const;
const user = (text: string): User => ({ role: 'user', origin: 'person', content: [said(text)] });
const call = (id: string, name = 'read_file', input = { path: `${id}.txt` }) =>
  ({ type: 'call', id, vendorId: id, name, input }) as const;
const calls = (...content: Assistant['content']): Assistant => ({
  role: 'assistant',
  content,
  stop: 'calls',
  model: 'a/b',
});
const answer = (text: string): Assistant => ({ role: 'assistant', content: [said(text)], stop: 'done', model: 'a/b' });
const result = (id: string, text: string, name = 'read_file'): Result => ({
  role: 'result',
  call: id,
  name,
  content: [said(text)],
  failed: false,
  how: 'ran',
});
const read = (...paths: readonly string[]): Turn => ({
  calls: paths.map((path) => ({ name: 'read_file', input: { path } })),
});
const SLEEP = 'echo half > done.txt; echo begun; touch started; sleep 60';

// ── Interrupted, killed, steered ─────────────────────────────────────────────────────────────────────────────────────

everywhere(
  'A01 A04 A05',
  'an interrupted batch keeps what it has, says what was stopped, and goes on',
  async (make, flavour) => {
    const world = await make(onGo({ calls: [{ name: 'read_file', input: { path: 'a.txt' } }, bash(SLEEP)] }));
    world.put('a.txt', 'alpha\n');
    const { session, say, path } = await world.open();
    session.send('go');
    await world.appears('started');
    await until(() => readFileSync(path, 'utf8').includes('alpha'), 'the first result is in the log');
    const began = Date.now();
    await session.stop('SIGINT');
    expect(Date.now() - began).toBeLessThan(3000);
    expect((await session.settled()).stop).toBe('aborted');
    expect(await say('go on')).toMatchObject({ stop: 'done' });
    const [first, second] = pairsOf(world.server.requests[1]);
    expect(first).toMatchObject({ failed: false, text: expect.stringContaining('alpha') });
    expect(second?.text).toMatch(/stopped.*after it had started/s);
    expect(second?.text).toContain('begun');
    expect(
      entriesOf(path).find(
        (entry) => entry.type === 'message' && entry.message.role === 'result' && entry.message.how === 'stopped',
      ),
    ).toMatchObject({ message: { failed: true } });
    // The one dialect that has a mark for it.
    if (flavour === 'anthropic') expect(second?.failed).toBe(true);
    expect(world.file('done.txt')).toBe('half\n');
    // Refused before it began, and lost with its program, are told in other words.
    const { say: sayRefused } = await world.open({ settings: { permissionMode: 'ask' } });
    await sayRefused('go');
    const refused = pairsOf(world.server.requests.at(-1))[1]?.text ?? '';
    expect(refused).toMatch(/^ERROR: /);
    expect(refused).not.toMatch(/stopped|after it had started|no result was recorded/);
  },
);

everywhere(
  'A02',
  'an abort in the middle of a streamed call keeps the text, drops the call and runs nothing',
  async (make, flavour) => {
    const cut = { text: 'Reading', calls: [{ name: 'bash', arguments: ['{"command":"touch r', 'an"}'] }] };
    const whole = renderReply(dialectOf(flavour), cut);
    const half = whole.slice(0, whole.lastIndexOf('\n\n', whole.indexOf('an\\"}')) + 2);
    const world = await make(onGo(hangsAfter(half)));
    const { session, say, seen } = await world.open();
    session.send('go');
    await until(() => seen.some((one) => 'live' in one && one.live === 'calling'), 'the call begins');
    await session.stop('SIGINT');
    expect(await say('hello')).toMatchObject({ stop: 'done' });
    const replies = saidOf(world.server.requests[1]).filter(({ role }) => role === 'assistant');
    expect(replies).toEqual([{ role: 'assistant', text: 'Reading', calls: [] }]);
    expect(seen.some((one) => 'live' in one && one.live === 'started')).toBe(false);
    expect(world.file('ran')).toBeUndefined();
  },
);

everywhere(
  'A03',
  'killed while a tool ran: the lost call is answered in its place, compacted or not; the log only grows',
  async (make) => {
    const words = 'many words '.repeat(3_000);
    const world = await make((asked) => ({ text: asked.tools.length === 0 ? 'Notes of the work.' : 'done' }));
    for (const compactFirst of [false, true]) {
      const path = await world.craft([
        user('hi'),
        answer(words),
        user('and now'),
        calls(call('t1', 'bash'), call('t2')),
        result('t2', 'beta'),
      ]);
      const before = readFileSync(path);
      const { session, say } = await world.open({ resume: path });
      if (compactFirst) expect(await session.compact()).toMatch(/^Summed up/);
      expect(await say('next')).toMatchObject({ stop: 'done' });
      expect(pairsOf(world.server.requests.at(-1))).toMatchObject([
        { name: 'bash', failed: true, text: expect.stringMatching(/no result was recorded/) },
        { name: 'read_file', text: 'beta' },
      ]);
      expect(readFileSync(path).subarray(0, before.length).equals(before)).toBe(true);
    }
  },
);

everywhere(
  'A06 A26',
  'what is said while tools run comes after their results, as the roles allow it',
  async (make, flavour) => {
    const world = await make(onGo(runs('touch started; until [ -e on ]; do sleep 0.05; done; echo ok', 'echo two')));
    const { session } = await world.open();
    session.send('go');
    await world.appears('started');
    session.send('also check b');
    world.put('on', '');
    expect((await session.settled()).stop).toBe('done');
    const request = world.server.requests[1];
    const after = saidOf(request).slice(-(flavour === 'mistral' ? 4 : 3));
    expect(after.map(({ role }) => role)).toEqual([
      'result',
      'result',
      ...(flavour === 'mistral' ? ['assistant'] : []),
      'user',
    ]);
    expect(after.at(-1)?.text).toBe('also check b');
    expect(pairsOf(request).map(({ text }) => text.split('\n')[0])).toEqual(['ok', 'two']);
  },
);

// ── Made smaller ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** `pairs` replies with calls and results of 600 characters; every third reply holds two calls. */
function worked(pairs: number): Message[] {
  const messages: Message[] = [user('Never touch b.txt. Find the fault.')];
  for (let at = 1; at <= pairs; at++) {
    const ids = at % 3 === 0 ? [`t${at}a`, `t${at}b`] : [`t${at}`];
    messages.push(
      calls(...ids.map((id) => call(id))),
      ...ids.map((id) => result(id, `${id} ${'line of text\n'.repeat(46)}`)),
    );
  }
  return messages;
}

const small = (flavour: Flavour, window: number) => ({
  models: { [MODELS[flavour]]: { window, output: window / 4 } },
  tools: ['read_file'],
});
const sums = (asked: Asked): Turn => ({ text: asked.tools.length === 0 ? 'Notes of the work.' : 'done' });

everywhere('A07', 'compacted twice, a log of every length from 1 to 30 pairs is valid', async (make, flavour) => {
  const world = await make(sums);
  let compacted = 0;
  // Every length in two dialects, every third in the others: where it is cut does not depend on them.
  const step = flavour === 'anthropic' || flavour === 'chat' ? 1 : 3;
  for (let length = 1; length <= 30; length += step) {
    const path = await world.craft(worked(length));
    const { session, say } = await world.open({ resume: path, settings: small(flavour, 4_000) });
    await session.compact();
    expect([length, (await say('next')).stop]).toEqual([length, 'done']);
    await session.compact();
    expect([length, (await say('and then?')).stop]).toEqual([length, 'done']);
    compacted += entriesOf(path).filter(({ type }) => type === 'compaction').length;
    await session.close();
  }
  expect(compacted).toBeGreaterThan(25 / step);
});

everywhere(
  'A08',
  'what is pruned is replaced, never removed: the same calls, results and ids as before',
  async (make, flavour) => {
    const world = await make(sums);
    const facts = [
      ...worked(5),
      calls(call('big')),
      result('big', 'x'.repeat(80_000)),
      answer('Seen.'),
      ...worked(8).slice(1),
    ].map((message, at) => (at > 13 ? renamed(message) : message));
    const path = await world.craft(facts);
    const wide = await world.open({ resume: path, fork: true, settings: small(flavour, 200_000) });
    await wide.say('next');
    const narrow = await world.open({ resume: path, settings: small(flavour, 32_000) });
    await narrow.say('next');
    expect(
      entriesOf(path)
        .filter(({ type }) => type === 'trim' || type === 'compaction')
        .map(({ type }) => type),
    ).toEqual(['trim']);
    const [before, after] = world.server.requests.map(pairsOf);
    expect(after?.map(({ id }) => id)).toEqual(before?.map(({ id }) => id));
    expect(before).toHaveLength(17);
    expect(after?.find((_, at) => (before?.[at]?.text.length ?? 0) > 70_000)?.text).toMatch(
      /^\[80000 characters of output left out/,
    );
  },
);

/** The same turn later on, under other ids. */
function renamed(message: Message): Message {
  if (message.role === 'result') return { ...message, call: `u${message.call}` };
  if (message.role !== 'assistant') return message;
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === 'call' ? { ...part, id: `u${part.id}`, vendorId: `u${part.id}` } : part,
    ),
  };
}

everywhere('A09', 'a message that stands between results is no place to cut', async (make, flavour) => {
  const world = await make(sums);
  const big = 'word '.repeat(500);
  for (const window of [3_000, 4_000, 5_000, 6_000]) {
    const path = await world.craft([
      user('first'),
      calls(call('t1')),
      result('t1', big),
      calls(call('t2'), call('t3')),
      result('t2', big),
      user('also look at c'),
      result('t3', big),
      calls(call('t4')),
      result('t4', big),
      answer('so far'),
    ]);
    const { session, say } = await world.open({ resume: path, settings: small(flavour, window) });
    await session.compact();
    expect(await say('next')).toMatchObject({ stop: 'done' });
    const text = saidOf(world.server.requests.at(-1))
      .map((one) => one.text)
      .join('\n');
    expect(text).toContain('also look at c');
  }
});

everywhere('A10', 'a reply of thinking and an unanswered call is answered, never left half', async (make) => {
  const thinking = [{ text: 'hm', signature: 'c2ln' }];
  const world = await make(onGo({ thinking, calls: [bash('touch started; sleep 60')] }));
  const { session, path } = await world.open();
  session.send('go');
  await world.appears('started');
  // What a program that was killed at this moment leaves.
  const killed = readFileSync(path, 'utf8');
  await session.close();
  writeFileSync(path, killed);
  expect(await (await world.open({ resume: path })).say('hello')).toMatchObject({ stop: 'done' });
  const request = world.server.requests.at(-1);
  expect(pairsOf(request)).toMatchObject([{ failed: true, text: expect.stringContaining('no result') }]);
  for (const turn of turnsOf(request)) expect(JSON.stringify(turn)).not.toMatch(/"content":(\[\]|""|null\})/);
});

// ── Blank, silent, thinking only ─────────────────────────────────────────────────────────────────────────────────────

const silent = (name: string, content: readonly Content[]): Tool => ({
  name,
  description: name,
  input: { type: 'object', properties: {} },
  prepare: async () => ({
    access: { show: name },
    run: async function* () {
      yield* [];
      return { content };
    },
  }),
});

everywhere('A11 A12', 'blank text is not sent back, and silence gets a word', async (make) => {
  const one = (name: string): ScriptedCall => ({ name, input: {} });
  const world = await make(
    onGo(
      { text: ['\n\n'], ...runs('true') },
      { text: [''], calls: [one('mute')] },
      { text: ['  '], calls: [one('blank')] },
    ),
  );
  const { say } = await world.open({ tools: [silent('mute', []), silent('blank', [said('')])] });
  expect(await say('go')).toMatchObject({ stop: 'done', text: 'done' });
  const pairs = pairsOf(world.server.requests.at(-1));
  expect(pairs.map(({ name }) => name)).toEqual(['bash', 'mute', 'blank']);
  for (const { text } of pairs) expect(text.trim()).not.toBe('');
});

everywhere('A13', 'a reply of thinking alone is asked for once more, then said; the session goes on', async (make) => {
  const world = await make((asked) => (lastSaid(asked) === 'go' ? { thinking: 'hm' } : { text: 'done' }));
  const { say } = await world.open();
  const ending = await say('go');
  expect(ending).toMatchObject({ stop: 'error', failure: { kind: 'empty' }, text: '' });
  expect(ending.message).toContain('no answer');
  expect(world.server.requests).toHaveLength(2);
  expect(await say('again')).toMatchObject({ stop: 'done', text: 'done' });
});

// ── What belongs to one provider ─────────────────────────────────────────────────────────────────────────────────────

/** The reply of a request that has calls, as it stands in the body. */
const replyIn = (request: Recorded | undefined): readonly string[] => {
  const turns = turnsOf(request);
  const prompt = turns.findIndex((turn) => JSON.stringify(turn).includes('"go"'));
  const rest = turns.slice(prompt + 1);
  const end = rest.findIndex((turn) => /"tool_result"|"role":"tool"|function_call_output/.test(JSON.stringify(turn)));
  return rest.slice(0, end).map((turn) => JSON.stringify(turn));
};

const THOUGHTS: readonly Thought[] = [{ text: '  step 1\n', signature: 'c2ln' }, { redacted: 'AAA=' }];

everywhere('A14', 'what a provider said goes back as it came, live and after a resume', async (make, flavour) => {
  const call = { name: 'bash', arguments: ['{ "command" :', ' "true"}'] };
  const thinking = flavour === 'anthropic' ? THOUGHTS : '  step 1\n';
  const world = await make(onGo({ thinking, text: ' I look. ', calls: [call] }));
  const { session, say, path } = await world.open();
  expect(await say('go')).toMatchObject({ stop: 'done' });
  await session.close();
  await (await world.open({ resume: path })).say('more');
  const [, live, resumed] = world.server.requests.map(replyIn);
  expect(live?.length).toBeGreaterThan(0);
  expect(resumed).toEqual(live);
  const text = live?.join('') ?? '';
  expect(text).toContain(' I look. ');
  if (flavour !== 'anthropic') return expect(text).toContain(JSON.stringify('{ "command" : "true"}').slice(1, -1));
  expect(text).toContain(
    '{"type":"thinking","thinking":"  step 1\\n","signature":"c2ln"},{"type":"redacted_thinking","data":"AAA="},{"type":"text"',
  );
});

everywhere('A15', 'thinking that is switched on while a tool runs waits for the next prompt', async (make, flavour) => {
  const model = flavour === 'anthropic' ? 'anthropic/claude-sonnet-4-5' : MODELS[flavour];
  const world = await make(onGo(runs('touch started; until [ -e on ]; do sleep 0.05; done')));
  const { session, say } = await world.open({ settings: { model, effort: 'off' } });
  session.send('go');
  await world.appears('started');
  session.setModel(model, 'high');
  world.put('on', '');
  expect((await session.settled()).stop).toBe('done');
  expect(await say('next')).toMatchObject({ stop: 'done' });
  if (flavour !== 'anthropic') return;
  const thinks = world.server.requests.map((request) => bodyOf(request).includes('"thinking":{"type":"enabled"'));
  expect(thinks).toEqual([false, false, true]);
});

test.concurrent('A15 a server that is asked to think in the middle of a tool loop would refuse it', async () => {
  const { strictAnthropic } = await import('../../src/testing/index.ts');
  const body = {
    model: 'm',
    max_tokens: 9000,
    thinking: { type: 'enabled', budget_tokens: 2000 },
    messages: [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'bash', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] },
    ],
  };
  expect(strictAnthropic(body).join()).toContain('must start with a thinking block');
});

everywhere('A16 A17 A18 A19', 'ids of any kind keep call and result together, with every provider', async (make) => {
  const long = `call_x|fc_${'a'.repeat(430)}`;
  const echo = (id: string, text: string): ScriptedCall => ({ ...bash(`echo ${text}`), id });
  const world = await make(
    onGo(
      { calls: [echo('bash:0', 'one')] },
      { calls: [echo('bash:0', 'two')] },
      { calls: [echo('', 'three'), echo('', 'four')] },
      { calls: [echo(long, 'five'), echo(`${long}b`, 'six'), echo('A|1', 'seven'), echo('A|2', 'eight')] },
      { calls: [echo(`${'b'.repeat(64)}1`, 'nine'), echo(`${'b'.repeat(64)}2`, 'ten')] },
    ),
  );
  const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
  const { session, say, seen, path } = await world.open();
  expect(await say('go')).toMatchObject({ stop: 'done' });
  expect(seen.filter((one) => 'live' in one && one.live === 'started')).toHaveLength(10);
  await session.close();
  for (const other of FLAVOURS) {
    const next = await world.open({ resume: path, flavour: other });
    expect(await next.say('next')).toMatchObject({ stop: 'done' });
    const pairs = pairsOf(world.server.requests.at(-1));
    expect(pairs.map(({ text }) => text.split('\n')[0])).toEqual(words);
    expect(new Set(pairs.map(({ id }) => id)).size).toBe(10);
    await next.session.close();
  }
  // The log keeps what was sent.
  expect(readFileSync(path, 'utf8')).toContain(long);
});

// ── Well-formed text ─────────────────────────────────────────────────────────────────────────────────────────────────

/** A half of a surrogate pair or a NUL, raw or as an escape that is none of a doubled backslash. */
const BAD =
  /(?<!\\)(?:\\\\)*\\u(?:0000|d[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2}\\u)d[c-f][0-9a-f]{2})/i;

everywhere(
  'A20 A21',
  'half characters and NULs never leave, wherever an output is cut and whatever an old log holds',
  async (make, flavour) => {
    const step = flavour === 'anthropic' ? 1 : 4;
    const limits = Array.from({ length: Math.ceil(21 / step) }, (_, at) => 29_990 + at * step);
    const world = await make(
      onGo({ calls: limits.map((limit) => bash(`cat ${limit}.txt`)) }, read(...limits.map((limit) => `${limit}.txt`)), {
        calls: [{ name: 'bash', arguments: '{"command":"echo \\ud83d"}' }, bash("printf 'a\\000b\\033[31mred\\001'")],
      }),
    );
    for (const limit of limits) world.put(`${limit}.txt`, 'x'.repeat(limit - 1) + '😀'.repeat(9_000));
    const { say } = await world.open();
    expect(await say('go')).toMatchObject({ stop: 'done' });
    const old = await world.craft([
      user('half \ud83d and NUL \0'),
      calls(call('t1', 'read\0', { path: 'x\udc00' })),
      result('t1', 'a\0\udfffb', 'read\0'),
    ]);
    expect(await (await world.open({ resume: old })).say('next')).toMatchObject({ stop: 'done' });
    expect(pairsOf(world.server.requests.at(-1))[0]?.name).toMatch(/^[A-Za-z0-9_-]+$/);
    for (const body of world.server.requests.map(bodyOf)) {
      expect(body).not.toMatch(BAD);
      expect(body.isWellFormed()).toBe(true);
    }
  },
);

everywhere('A22', 'arguments that do not parse are answered with the complaint, and go back as JSON', async (make) => {
  const world = await make(onGo({ calls: [{ name: 'bash', arguments: '{"command": "touch ran"' }] }));
  const { say, seen } = await world.open();
  expect(await say('go')).toMatchObject({ stop: 'done' });
  expect(pairsOf(world.server.requests[1])).toMatchObject([
    { failed: true, text: expect.stringMatching(/^ERROR: .*nothing was run/) },
  ]);
  expect(seen.some((one) => 'live' in one && one.live === 'started')).toBe(false);
  expect(world.file('ran')).toBeUndefined();
});

// ── Reasoning that must be echoed, or must not ───────────────────────────────────────────────────────────────────────

everywhere(
  'A23',
  'reasoning stays with what it led to, whole and encrypted, or both are dropped',
  async (make, flavour) => {
    const whole = renderReply(dialectOf(flavour), { thinking: 'hm', calls: [bash('touch started; sleep 60')] });
    const sealed = whole.indexOf('response.output_item.done');
    const world = await make((asked) => {
      if (lastSaid(asked) === 'go') return { thinking: 'hm', calls: [bash('touch started; sleep 60')] };
      return lastSaid(asked) === 'cut'
        ? hangsAfter(whole.slice(0, whole.lastIndexOf('\n\n', sealed) + 2))
        : { text: 'done' };
    });
    const { session, say, seen } = await world.open();
    session.send('go');
    await world.appears('started');
    await session.stop();
    expect(await say('hi')).toMatchObject({ stop: 'done' });
    expect(JSON.stringify(turnsOf(world.server.requests[1]))).toMatch(/"type":"reasoning".*"type":"function_call"/);
    session.send('cut');
    await until(() => seen.filter((one) => 'live' in one && one.live === 'thinking').length > 1, 'thinking is shown');
    await session.stop();
    expect(await say('and now')).toMatchObject({ stop: 'done' });
    expect(JSON.stringify(turnsOf(world.server.requests.at(-1))).split('"type":"reasoning"')).toHaveLength(2);
  },
  ['responses'],
);

everywhere(
  'A24',
  'reasoning text is echoed to the server that wants it, also after a resume, and to no other',
  async (make) => {
    const world = await make(onGo({ thinking: 'think', calls: [bash('true')] }));
    const { session, say, path } = await world.open();
    expect(await say('go')).toMatchObject({ stop: 'done' });
    await session.close();
    expect(await (await world.open({ resume: path, fork: true })).say('again')).toMatchObject({ stop: 'done' });
    for (const at of [1, 2]) expect(bodyOf(world.server.requests[at])).toContain('"reasoning_content":"think"');
    for (const flavour of FLAVOURS.filter((other) => other !== 'deepseek')) {
      const other = await world.open({ resume: path, fork: true, flavour });
      expect(await other.say('elsewhere')).toMatchObject({ stop: 'done' });
      expect(bodyOf(world.server.requests.at(-1))).not.toContain('reasoning_content');
    }
  },
  ['deepseek'],
);

everywhere(
  'A25',
  'a thought signature stays on its part, leaves with no other model, and is there when one comes back',
  async (make) => {
    const world = await make(onGo({ calls: [{ ...bash('echo a'), signature: 'SIG-1' }, bash('echo b')] }));
    const { session, say } = await world.open();
    expect(await say('go')).toMatchObject({ stop: 'done' });
    for (const flavour of FLAVOURS.filter((other) => other !== 'gemini')) {
      session.setModel(MODELS[flavour]);
      expect(await say('elsewhere')).toMatchObject({ stop: 'done' });
      expect(bodyOf(world.server.requests.at(-1))).not.toContain('SIG-1');
    }
    session.setModel(MODELS.gemini);
    expect(await say('back')).toMatchObject({ stop: 'done' });
    for (const request of [world.server.requests[1], world.server.requests.at(-1)]) {
      expect(bodyOf(request).split('SIG-1')).toHaveLength(2);
      expect(JSON.stringify(turnsOf(request))).toMatch(/"thought_signature":"SIG-1".*"id":"call_[^"]*"/);
    }
  },
  ['gemini'],
);

everywhere(
  'A26',
  'no two messages of one role follow each other, and Mistral has an assistant after results',
  async (make) => {
    const world = await make(() => ({ text: 'done' }));
    const path = await world.craft([
      user('one'),
      user('two'),
      calls(call('t1')),
      result('t1', 'x'),
      user('three'),
      user('four'),
    ]);
    expect(await (await world.open({ resume: path })).say('five')).toMatchObject({ stop: 'done' });
    const text = saidOf(world.server.requests[0])
      .map((one) => one.text)
      .join('\n');
    for (const word of ['one', 'two', 'three', 'four', 'five']) expect(text).toContain(word);
  },
  FLAVOURS,
);

// ── Images and size ──────────────────────────────────────────────────────────────────────────────────────────────────

/** A PNG of about so many bytes that does not shrink. */
function png(bytes: number): Buffer {
  const side = Math.max(1, Math.floor(Math.sqrt(bytes / 3)));
  const rows = Buffer.alloc(side * (side * 3 + 1));
  let seed = 7;
  for (let at = 0; at < rows.length; at++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    rows[at] = at % (side * 3 + 1) === 0 ? 0 : seed >> 16;
  }
  const chunk = (type: string, data: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  return Buffer.concat([
    magic,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The least JPEG that has a size. */
const JPEG = Buffer.from('ffd8ffc0000b080001000101011100ffd9', 'hex');

const sees = (flavour: Flavour): boolean => flavour !== 'deepseek';
const imagesIn = (request: Recorded | undefined): readonly string[] =>
  [...bodyOf(request).matchAll(/image\/(?:png|jpeg|bmp)(?=[;"])/g)].map(([type]) => type);

everywhere(
  'A27',
  'an image is what its bytes say; what would poison the session becomes text',
  async (make, flavour) => {
    const world = await make(onGo(read('shot.png', 'x.png', 'big.png', 'p.bmp')));
    world.put('shot.png', JPEG);
    world.put('x.png', '');
    world.put('big.png', png(6_000_000));
    world.put('p.bmp', Buffer.from(`BM${'\0'.repeat(60)}`));
    const { say } = await world.open();
    expect(await say('go')).toMatchObject({ stop: 'done' });
    expect(imagesIn(world.server.requests[1])).toEqual(sees(flavour) ? ['image/jpeg'] : []);
    const [, empty, big, bmp] = pairsOf(world.server.requests[1]);
    expect(empty?.text).toMatch(/empty/);
    expect(big?.text).toMatch(/^ERROR: .*too large to look at.*Shrink/s);
    expect(bmp?.text).toMatch(/^ERROR: .*BMP/s);
    expect(await say('and now')).toMatchObject({ stop: 'done' });
  },
);

everywhere(
  'A27',
  'an image that the provider refuses becomes text, with one request more, and stays text',
  async (make) => {
    const world = await make((asked, index) => {
      if (index === 1) return { status: 400, message: 'Could not process image' };
      return onGo(read('a.png'))(asked);
    });
    world.put('a.png', png(2_000));
    const { say, seen } = await world.open();
    expect(await say('go')).toMatchObject({ stop: 'done', text: 'done' });
    expect(world.server.requests.map((request) => imagesIn(request).length)).toEqual([0, 1, 0]);
    expect(bodyOf(world.server.requests[2])).toContain('Image left out');
    expect(await say('and now')).toMatchObject({ stop: 'done' });
    expect(imagesIn(world.server.requests.at(-1))).toEqual([]);
    expect(seen.some((one) => 'live' in one && one.live === 'retrying')).toBe(false);
  },
  FLAVOURS.filter(sees),
);

everywhere(
  'A28',
  'a request with too many bytes (413) is made smaller and asked once more',
  async (make) => {
    const LIMIT = 2_000_000;
    const files = Array.from({ length: 10 }, (_, at) => `${at}.png`);
    let world: World | undefined;
    const tooLarge: Turn = { status: 413, headers: { 'content-type': 'text/html' }, body: '<html><h1>413</h1></html>' };
    world = await make((asked) =>
      (world?.server.requests.at(-1)?.raw.length ?? 0) > LIMIT ? tooLarge : onGo(read(...files))(asked),
    );
    for (const name of files) world.put(name, png(400_000));
    const { say } = await world.open();
    expect(await say('go')).toMatchObject({ stop: 'done', text: 'done' });
    const sizes = world.server.requests.map(({ raw }) => raw.length);
    expect(sizes.map((size) => size > LIMIT)).toEqual([false, true, false]);
    expect(await say('and now')).toMatchObject({ stop: 'done' });
  },
  FLAVOURS.filter(sees),
);

everywhere('A28', 'where nothing can be made smaller, a 413 is a clear error', async (make) => {
  const world = await make(() => ({ status: 413, body: '<html>too large</html>' }));
  const { say } = await world.open();
  const ending = await say('go');
  expect(ending).toMatchObject({ stop: 'overflow' });
  expect(ending.message).toMatch(/too long/);
  expect(world.server.requests.length).toBeLessThanOrEqual(2);
});

everywhere('A29', 'a tool that is not there is answered with those that are', async (make) => {
  const names = ['Read_File', 'functions.bash', ''];
  const world = await make(onGo({ calls: names.map((name) => ({ name, input: { command: 'touch ran' } })) }));
  const { say } = await world.open();
  expect(await say('go')).toMatchObject({ stop: 'done' });
  const pairs = pairsOf(world.server.requests[1]);
  expect(pairs).toHaveLength(3);
  for (const { text } of pairs) expect(text).toMatch(/^ERROR: there is no tool .*bash, read_file/);
  expect(world.file('ran')).toBeUndefined();
});

// ── Between providers ────────────────────────────────────────────────────────────────────────────────────────────────

const FIVE: readonly Flavour[] = ['anthropic', 'responses', 'chat', 'gemini', 'deepseek'];

for (const [turn, origin] of FIVE.entries()) {
  for (const target of [...FIVE, 'mistral' as const]) {
    const what = target === 'mistral' ? 'and Mistral beside them' : 'of the 25 combinations';
    test.concurrent(`A30 a log of five providers that begins with ${origin} goes on with ${target} (${what})`, async ({
      onTestFinished,
    }) => {
      const world = await createWorld(onTestFinished, origin, (asked) => {
        if (lastSaid(asked).startsWith('turn') && asked.rounds.length === 0) {
          const thinking = asked.dialect === 'anthropic' ? THOUGHTS : 'I think of it';
          return {
            thinking,
            text: 'I look.',
            calls: [
              { ...bash(`echo ${lastSaid(asked)}`), ...(asked.vendor === 'gemini' ? { signature: 'SIG-1' } : {}) },
            ],
          };
        }
        return { text: 'done' };
      });
      const order = [...FIVE.slice(turn), ...FIVE.slice(0, turn)];
      const { session, say, path } = await world.open();
      for (const flavour of order) {
        session.setModel(MODELS[flavour]);
        expect(await say(`turn ${flavour}`)).toMatchObject({ stop: 'done' });
      }
      await session.close();
      const { say: goOn } = await world.open({ resume: path, flavour: target });
      expect(await goOn('go on')).toMatchObject({ stop: 'done', text: 'done' });
      const last = world.server.requests.at(-1);
      expect(pairsOf(last).map(({ text }) => text.split('\n')[0])).toEqual(order.map((flavour) => `turn ${flavour}`));
      // What is private went to its origin alone.
      const body = bodyOf(last);
      expect(body.includes('c2ln')).toBe(target === 'anthropic');
      expect(body.includes('encrypted_content":"')).toBe(target === 'responses');
      expect(body.includes('SIG-1')).toBe(target === 'gemini');
      expect(body.includes('reasoning_content')).toBe(target === 'deepseek');
    });
  }
}

everywhere('A31', 'a request ends with the user or a result, whatever broke off before it', async (make, flavour) => {
  const half = renderReply(dialectOf(flavour), { text: ['partial  ', 'never'] });
  const cut = half.slice(0, half.lastIndexOf('\n\n', half.indexOf('never')) + 2);
  const world = await make((asked) => {
    if (lastSaid(asked) === 'go') return hangsAfter(cut);
    return { text: asked.tools.length === 0 ? 'Notes of the work.' : 'done' };
  });
  const path = await world.craft([user('first'), answer('many words '.repeat(3_000))]);
  const { session, say, seen } = await world.open({ resume: path });
  session.send('go');
  await until(() => seen.some((one) => 'live' in one && one.live === 'text'), 'text is shown');
  await session.stop();
  expect(await session.compact()).toMatch(/^Summed up/);
  expect(await say('next')).toMatchObject({ stop: 'done' });
  const roles = world.server.requests.map((request) => saidOf(request).at(-1)?.role);
  expect(roles.every((role) => role === 'user' || role === 'result')).toBe(true);
});

everywhere('A31', 'a retry after a reply that was cut says nothing twice and ends with the user', async (make) => {
  const world = await make(inOrder({ text: ['partial  ', 'x'], cut: { after: 3, how: 'reset' } }, { text: 'done' }));
  const { say } = await world.open();
  expect(await say('go')).toMatchObject({ stop: 'done', text: 'done' });
  expect(world.server.requests.map((request) => saidOf(request).map(({ role }) => role))).toEqual([['user'], ['user']]);
});
