/** Group F, where the provider has a say: circles, windows that are too small, sessions that were cut off anywhere. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Assistant, Content, Message, Tool } from '../../src/core/types.ts';
import type { Answer } from '../../src/harness/index.ts';
import type { Asked, ScriptedCall, Turn } from '../../src/testing/index.ts';
import { bash, bodyOf, createWorld as createProgram, lastSaid, onGo, resultsOf } from '../support/rein.ts';
import { createWorld, entriesOf, everywhere, type Flavour, MODELS, type Open, pairsOf, saidOf } from './world.ts';

const said = (text: string) => ({ type: 'text', text }) as const;
const user = (text: string): Message => ({ role: 'user', origin: 'person', content: [said(text)] });
const answer = (text: string): Assistant => ({ role: 'assistant', content: [said(text)], stop: 'done', model: 'a/b' });
const read = (path: string): ScriptedCall => ({ name: 'read_file', input: { path } });
const isSummary = ({ tools }: Asked): boolean => tools.length === 0;
const small = (flavour: Flavour, window: number, tools: readonly string[] = ['read_file']) => ({
  models: { [MODELS[flavour]]: { window, output: window / 4 } },
  tools: [...tools],
});
const toolOf = (name: string, description: string, content: readonly Content[]): Tool => ({
  name,
  description,
  input: { type: 'object', properties: {} },
  prepare: async () => ({
    access: { show: name },
    run: async function* () {
      yield* [];
      return { content };
    },
  }),
});
const changesIn = (path: string): number =>
  entriesOf(path).filter(({ type }) => type === 'compaction' || type === 'trim').length;

// ── Too small a window ───────────────────────────────────────────────────────────────────────────────────────────────

everywhere(
  'F08',
  'where system text and tools alone fill the window, no summary is tried and it is said why',
  async (make, flavour) => {
    const world = await make((asked) => ({ text: isSummary(asked) ? 'Notes.' : 'hello' }));
    const huge = toolOf('huge', 'word '.repeat(4_400), []);
    const open = await world.open({ settings: small(flavour, 8_000), tools: [huge] });
    for (const prompt of ['hi', 'and', 'so on'])
      expect(await open.say(prompt)).toMatchObject({ stop: 'done', text: 'hello' });
    expect(world.server.requests.filter(({ asked }) => asked && isSummary(asked))).toEqual([]);
    expect(open.notices().join('\n')).toContain('The system text and the tools alone take about');
    expect(changesIn(open.path)).toBe(0);
  },
);

everywhere(
  'F09',
  'a summary that overflows, is empty, calls a tool or comes late harms nothing',
  async (make, flavour) => {
    const forms: Readonly<Record<string, (tries: number) => Turn>> = {
      overflow: () => ({ status: 400, message: 'prompt is too long: 9000 tokens > 8000 maximum' }),
      empty: () => ({ text: '' }),
      'a tool call': () => ({ calls: [read('a.txt')] }),
      'three times 500': (tries) =>
        tries <= 3 ? { status: 500, headers: { 'retry-after-ms': '1' } } : { text: 'Notes.' },
    };
    for (const [name, form] of Object.entries(forms)) {
      let tries = 0;
      const world = await make((asked) => (isSummary(asked) ? form(++tries) : onGo({ calls: [read('a.txt')] })(asked)));
      world.put('a.txt', 'alpha');
      const path = await world.craft([
        user('RULE'),
        answer('many words '.repeat(2_400)),
        user('step'),
        answer('so far'),
      ]);
      const open = await world.open({ resume: path, settings: small(flavour, 12_000) });
      expect(await open.say('go')).toMatchObject({ stop: 'done', text: 'done' });
      expect([name, tries <= 4]).toEqual([name, true]);
      const last = bodyOf(world.server.requests.at(-1));
      if (name === 'three times 500') expect([changesIn(path), last.includes('Notes.')]).toEqual([1, true]);
      else {
        expect([name, changesIn(path), last.includes('many words many words')]).toEqual([name, 0, true]);
        expect(open.notices().join('\n')).toMatch(/stays as it is: it could not be summed up/);
      }
    }
  },
);

everywhere(
  'F32',
  'one result or prompt that is larger than the window does not end the session',
  async (make, flavour) => {
    const WINDOW = 8_000;
    const world = await make((asked) =>
      (world.server.requests.at(-1)?.raw.length ?? 0) / 4 > WINDOW
        ? { status: 400, message: 'prompt is too long' }
        : onGo({ calls: [{ name: 'flood', input: {} }] })(asked),
    );
    const flood = toolOf('flood', 'Floods.', [said('word '.repeat(60_000))]);
    const open = await world.open({ settings: small(flavour, WINDOW), tools: [flood] });
    expect(await open.say('go')).toMatchObject({ stop: 'done', text: 'done' });
    expect(pairsOf(world.server.requests[1])[0]?.text).toMatch(/characters left out/);
    const entries = entriesOf(open.path).length;
    expect(() => open.session.send('word '.repeat(60_000))).toThrow(
      /more than the \d+ that the model's window of 8000 leaves/,
    );
    expect(entriesOf(open.path)).toHaveLength(entries);
    expect(await open.say('and now')).toMatchObject({ stop: 'done', text: 'done' });
  },
);

// ── Circles ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a model that never stops calling comes to: how it ended, after how many requests, and how often it was told. */
async function goOnFor(open: Open, requests: () => number) {
  const ending = await open.say('go');
  const told = open.seen.filter(
    (one) => 'type' in one && one.type === 'message' && one.message.role === 'user' && one.message.origin === 'harness',
  ).length;
  return { ending, requests: requests(), told };
}

everywhere('F10', 'the same call again and again, or two by turns, is pointed out, then ended', async (make) => {
  for (const calls of [[read('a.txt')], [read('a.txt'), read('b.txt')]]) {
    const world = await make((_, index) => ({ calls: [calls[index % calls.length] ?? read('')] }));
    for (const name of ['a.txt', 'b.txt']) world.put(name, name);
    const ran = await goOnFor(await world.open(), () => world.server.requests.length);
    expect(ran.ending.stop).not.toBe('done');
    expect(ran.ending.message).toMatch(/goes in circles: read_file was called 5 times with the same result/);
    expect([ran.told, ran.requests <= 12]).toEqual([calls.length, true]);
  }
});

everywhere(
  'F11',
  'a loop of successes is ended; many files and polling that changes are not',
  async (make, flavour) => {
    const loops: Readonly<Record<string, (at: number) => ScriptedCall>> = {
      same: () => ({ name: 'write_file', input: { path: 'x.txt', content: 'x' } }),
      files: (at) => read(`${at}.txt`),
      polling: () => bash('echo x >> state; cat state | wc -l'),
    };
    for (const [name, next] of Object.entries(loops)) {
      const most = name === 'polling' ? 12 : flavour === 'anthropic' ? 60 : 20;
      const world = await make((asked) => {
        const at = asked.messages.filter(({ role }) => role === 'result').length;
        return at < most ? { calls: [next(at)] } : { text: 'done' };
      });
      if (name === 'files') for (let at = 0; at < most; at++) world.put(`${at}.txt`, 'the same');
      const ran = await goOnFor(await world.open(), () => world.server.requests.length);
      if (name === 'same') expect([ran.ending.stop, ran.requests <= 6]).toEqual(['max_turns', true]);
      else expect([name, ran.ending.stop, ran.requests, ran.told]).toEqual([name, 'done', most + 1, 0]);
    }
  },
);

test.concurrent('F10 a person is asked, and may let it go on', async ({ onTestFinished }) => {
  const world = await createWorld(onTestFinished, 'anthropic', () => ({ calls: [read('a.txt')] }));
  world.put('a.txt', 'alpha');
  const answers: Answer[] = [{ allow: true }, { allow: false }];
  const questions: string[] = [];
  const open = await world.open({
    ask: async ({ access }) => {
      questions.push(access.show);
      return answers.shift() ?? { allow: false };
    },
  });
  expect((await open.say('go')).stop).toBe('max_turns');
  expect(questions).toEqual([
    expect.stringMatching(/called 5 times.*Go on\?/),
    expect.stringMatching(/called 10 times.*Go on\?/),
  ]);
  expect(world.server.requests).toHaveLength(10);
});

test('F10 F33 a sub-agent in a circle ends too, and what nobody can approve is refused to it at once', async () => {
  const write = { name: 'write_file', input: { path: 'x.txt', content: 'x' } };
  const task = (prompt: string) => ({ name: 'task', input: { prompt } });
  const world = await createProgram((asked) => {
    if (asked.prompt === 'circle') return { calls: [{ name: 'list_files', input: {} }] };
    if (asked.prompt === 'write') return asked.rounds.length === 0 ? { calls: [write] } : { text: 'refused' };
    return onGo({ calls: [task('circle'), task('write')] })(asked);
  });
  expect(await world.rein(['-p', 'go', '--allowed-tools', 'task'])).toMatchObject({ code: 0, stdout: 'done\n' });
  const [circle] = resultsOf(world.server.requests.findLast(({ asked }) => asked?.prompt === 'go'));
  expect(circle).toMatch(/^ERROR: .*goes in circles/);
  const refused = world.server.requests.findLast(({ asked }) => asked?.prompt === 'write');
  expect(resultsOf(refused)[0]).toMatch(/^ERROR: /);
  expect(world.file('x.txt')).toBeUndefined();
  expect(world.server.requests.length).toBeLessThan(16);
});

// ── Cut off anywhere ─────────────────────────────────────────────────────────────────────────────────────────────────

everywhere(
  'F24 F34',
  'stopped while a question is open: the call is answered as not approved, and the session goes on',
  async (make) => {
    const world = await make(onGo({ text: 'I would run it.', calls: [bash('touch ran')] }));
    let asked = () => {};
    const open = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { session, path } = await world.open({
      settings: { permissionMode: 'ask' },
      ask: (_, signal) => {
        asked();
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ allow: false, end: true }), { once: true });
        });
      },
    });
    session.send('go');
    await open;
    await session.close('SIGTERM');
    expect(await (await world.open({ resume: path })).say('hi')).toMatchObject({ stop: 'done' });
    expect(pairsOf(world.server.requests.at(-1))).toMatchObject([
      { failed: true, text: expect.stringMatching(/^ERROR: /) },
    ]);
    expect(saidOf(world.server.requests.at(-1))[1]?.text).toBe('I would run it.');
    expect(world.file('ran')).toBeUndefined();
  },
);

everywhere(
  'kill',
  'a log that ends behind any of its entries is gone on with, and its history is valid',
  async (make) => {
    const world = await make(
      onGo(
        { thinking: 'hm', text: 'one', calls: [bash('echo a'), bash('echo b')] },
        { text: 'two', calls: [bash('exit 3'), { name: 'no_such', input: {} }] },
        { text: ['\n'], calls: [{ name: 'bash', arguments: '{"command": "echo' }] },
      ),
    );
    const { session, say, path } = await world.open();
    await say('go');
    await say('more');
    await session.close();
    const lines = readFileSync(path, 'utf8').split(/(?<=\n)/);
    expect(lines.length).toBeGreaterThan(14);
    for (let end = 3; end <= lines.length; end++) {
      const id = `20260202-1200${String(10 + end)}-abcdef`;
      const cut = join(dirname(path), `${id}.jsonl`);
      mkdirSync(dirname(cut), { recursive: true });
      const header = JSON.parse(lines[0] ?? '{}');
      writeFileSync(cut, `${JSON.stringify({ ...header, session: id })}\n${lines.slice(1, end).join('')}`);
      const next = await world.open({ resume: cut });
      expect([end, (await next.say('what happened?')).stop]).toEqual([end, 'done']);
      await next.session.close();
    }
  },
);

everywhere('F33', 'headless, what nobody can approve is refused at once with the way to allow it', async (make) => {
  const world = await make(onGo({ calls: [{ name: 'write_file', input: { path: 'x.txt', content: 'x' } }] }));
  const began = Date.now();
  const open = await world.open({ settings: { permissionMode: 'ask' } });
  expect(await open.say('go')).toMatchObject({ stop: 'done' });
  expect(pairsOf(world.server.requests[1])).toMatchObject([
    { failed: true, text: expect.stringContaining('--allowed-tools') },
  ]);
  expect([world.file('x.txt'), Date.now() - began < 5000]).toEqual([undefined, true]);
});

everywhere('F03', 'line separators inside a prompt come back as they were', async (make) => {
  const prompt = 'a\u2028b\u2029c\u0085d\re';
  const world = await make((asked) => ({ text: lastSaid(asked) === prompt ? 'x\u2028y' : 'done' }));
  const { session, say, path } = await world.open();
  await say(prompt);
  await session.close();
  expect(await (await world.open({ resume: path })).say('more')).toMatchObject({ stop: 'done' });
  expect(saidOf(world.server.requests[1]).map(({ text }) => text)).toEqual([prompt, 'x\u2028y', 'more']);
});

everywhere('F25', 'entries count in the order of the file, whatever their times say', async (make) => {
  const world = await make(() => ({ text: 'done' }));
  const path = await world.craft([user('one'), answer('1'), user('two'), answer('2')]);
  const back = readFileSync(path, 'utf8').replaceAll(
    /"time":(\d+)/g,
    (_, time) => `"time":${2e12 - Number(time) * 3.6e6}`,
  );
  writeFileSync(path, back);
  const ending = await (await world.open({ resume: path })).say('three');
  expect(saidOf(world.server.requests[0]).map(({ text }) => text)).toEqual(['one', '1', 'two', '2', 'three']);
  expect([ending.duration >= 0, ending.durationApi >= 0]).toEqual([true, true]);
});

test.concurrent('two sessions of one process that run their first commands at once share one grammar', async ({
  onTestFinished,
}) => {
  const world = await createWorld(
    onTestFinished,
    'anthropic',
    onGo({ calls: [bash("echo 'a b' | tr a-z A-Z && true")] }),
  );
  const rules = {
    permissionMode: 'ask' as const,
    permissions: { allow: ['bash(echo:*)', 'bash(tr:*)', 'bash(true)'], ask: [], deny: [] },
  };
  const open = await Promise.all(Array.from({ length: 6 }, () => world.open({ settings: rules })));
  const endings = await Promise.all(open.map(({ say }) => say('go')));
  expect(endings.map(({ stop }) => stop)).toEqual(open.map(() => 'done'));
  const results = world.server.requests.flatMap((request) => pairsOf(request).map(({ text }) => text.split('\n')[0]));
  expect(new Set(results)).toEqual(new Set(['A B']));
});
