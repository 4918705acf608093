import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loop } from '../../src/core/loop.ts';
import type { Assistant, Message } from '../../src/core/types.ts';
import { project } from '../../src/session/index.ts';
import { allowAll } from '../support/agent.ts';
import {
  call,
  modelThat,
  overflow,
  reads,
  result,
  says,
  sessionOf,
  textOf,
  textsOf,
  user,
  violations,
} from './support.ts';

/** `pairs` replies with calls and their results of 600 characters; every third reply holds two calls. */
function pairsOf(pairs: number): Message[] {
  const messages: Message[] = [user('Never touch b.txt. Find the fault.')];
  for (let i = 1; i <= pairs; i++) {
    const ids = i % 3 === 0 ? [`t${i}a`, `t${i}b`] : [`t${i}`];
    messages.push(reads(...ids), ...ids.map((id) => result(id, `${id} ${'line of text\n'.repeat(46)}`)));
  }
  return messages;
}

test('A07 after compaction, and a second one over it, each length of log is valid for strict servers', async () => {
  for (let length = 1; length <= 30; length++) {
    const session = sessionOf();
    await session.add(...pairsOf(length));
    const { value } = await session.view();
    await session.now();
    expect(await violations({ ...session.request(), messages: value })).toEqual([]);
    expect(await violations(session.request())).toEqual([]);
    await session.add(reads(`u${length}`), result(`u${length}`, 'x '.repeat(2_000)), says('Seen.'), user('and now?'));
    await session.view();
    await session.now();
    expect([length, await violations(session.request())]).toEqual([length, []]);
    if (length > 20) expect(session.of('compaction').length).toBeGreaterThan(0);
  }
});

test('A08 old outputs become a line that says how to get them again; calls and results stay in pairs', async () => {
  const session = sessionOf({ window: () => 32_000 });
  await session.add(...pairsOf(5), reads('big'), result('big', `${'x'.repeat(80_000)}\n[exit code: 0]`));
  await session.add(says('Seen.'), ...pairsOf(12).slice(1));
  const before = project(session.log.path());
  const { value } = await session.view();
  const ids = (messages: readonly Message[]) =>
    messages.map((message) =>
      message.role === 'assistant'
        ? message.content.map((part) => (part.type === 'call' ? part.id : ''))
        : message.role,
    );
  expect(ids(value)).toEqual(ids(before));
  const stub = textOf(value.find((message) => message.role === 'result' && message.call === 'big'));
  expect(stub).toMatch(/^\[80015 characters of output left out.*make the call again.*\]\n\[exit code: 0\]$/);
  expect(session.summaries.requests.length).toBe(0);
  expect(await violations({ ...session.request(), messages: value })).toEqual([]);
  // Nothing is deleted, and a step back undoes it.
  await session.log.append({ type: 'rewind' }, session.of('trim')[0]?.parent ?? null);
  expect(project(session.log.path())).toEqual(before);
});

test('what is left out stays the same from request to request, so that the cached prefix holds', async () => {
  const session = sessionOf({ window: () => 16_000 });
  await session.add(user('go'));
  let prefix: readonly Message[] = [];
  let changes = 0;
  for (let i = 0; i < 120; i++) {
    await session.add(reads(`t${i}`), result(`t${i}`, `${i} ${'word '.repeat(400)}`));
    const { value } = await session.view();
    if (JSON.stringify(value.slice(0, prefix.length)) !== JSON.stringify(prefix)) changes++;
    prefix = value;
  }
  // 120 outputs of about 600 tokens in a window of 16,000: the prefix changes in big steps.
  expect(changes).toBeGreaterThan(3);
  expect(changes).toBeLessThan(16);
  expect(changes).toBe(session.of('trim').length + session.of('compaction').length);
});

test('A09 a person who spoke between the results is quoted or kept, and no result loses its call', async () => {
  for (const window of [2_500, 3_000, 4_000, 5_000, 6_000]) {
    const session = sessionOf({ window: () => window });
    const big = 'word '.repeat(500);
    await session.add(user('first'), reads('t1'), result('t1', big), reads('t2', 't3'), result('t2', big));
    await session.add(
      user('also look at c'),
      result('t3', big),
      reads('t4'),
      result('t4', big),
      says('done'),
      user('go'),
    );
    await session.view();
    await session.now();
    expect(await violations(session.request())).toEqual([]);
    expect(textsOf(session.request().messages)).toContain('also look at c');
  }
});

test('A10 a reply that only thought before it was cut off leaves no empty message and no lone thinking', async () => {
  const session = sessionOf();
  const thought: Assistant = {
    ...says('', 'aborted'),
    content: [{ type: 'thinking', text: 'hm' }, call('t1', 'read_file')],
  };
  await session.add(...pairsOf(16), thought, user('hello'));
  await session.view();
  expect(session.of('compaction').length + session.of('trim').length).toBe(1);
  expect(await violations(session.request())).toEqual([]);
});

test('the first and last prompts, the todo list and the files touched stay word for word', async () => {
  const session = sessionOf({ window: () => 8_000 });
  await session.add(user('RULE: tabs only.\n  Keep   spaces.'));
  for (let i = 0; i < 14; i++) {
    await session.add(reads(`t${i}`), result(`t${i}`, 'word '.repeat(90)), says(`thinking aloud ${i} `.repeat(40)));
    await session.add(user(`step ${i}`));
  }
  await session.add({
    ...says('', 'calls'),
    content: [call('w', 'write_file', { path: '/w/out.ts', content: '' }), call('td', 'todo', {})],
  });
  const items = [
    { text: 'read', state: 'done' },
    { text: 'write tests', state: 'open' },
  ];
  await session.add(result('w', 'ok', 'write_file'), { ...result('td', 'Noted.', 'todo'), details: { items } });
  await session.add(says('many words '.repeat(1_200)), user('last wish: <exact>'));
  await session.view();
  const entry = session.of('compaction')[0];
  const text = textsOf(session.request().messages);
  expect(entry?.type).toBe('compaction');
  for (const kept of [
    'RULE: tabs only.\n  Keep   spaces.',
    'step 13',
    '[ ] write tests',
    'changed: /w/out.ts',
    't0.txt',
    'last wish: <exact>',
    'Notes of the work.',
  ]) {
    expect(text).toContain(kept);
  }
  // The summary request is a transcript: no tools, one message.
  expect(session.summaries.requests.map(({ tools, messages }) => [tools.length, messages.length])).toEqual([[0, 1]]);
});

test('/compact takes a hint, says what came of it, and a step back brings everything back', async () => {
  const session = sessionOf({ window: () => 200_000 });
  await session.add(...pairsOf(20), says('Found it.'));
  const before = project(session.log.path());
  const { value } = await session.now('the port numbers');
  expect(value).toMatch(/^Summed up: about \d+ tokens became \d+\. \/undo brings/);
  expect(textsOf(session.summaries.requests[0]?.messages ?? [])).toContain('keep above all: the port numbers');
  expect(project(session.log.path()).length).toBeLessThan(before.length);
  await session.log.append({ type: 'rewind' }, session.of('compaction')[0]?.parent ?? null);
  expect(project(session.log.path())).toEqual(before);
  expect((await sessionOf().now()).value).toContain('would gain little');
});

test('B24 an overflow leads to one compaction and one retry, whatever is known of the window', async () => {
  for (const window of [undefined, 200_000]) {
    const session = sessionOf({ window: () => window });
    await session.add(...pairsOf(20), says('So far.'));
    const main = modelThat((index) => (index === 0 ? overflow() : says('done')));
    const inbox = [user('go on')];
    const agent = { system: 'Be brief.', tools: [], gate: allowAll, maxTurns: 9, inbox: () => inbox.splice(0) };
    const events = loop({ ...agent, model: main, view: session.decorate(session.inner) }, new AbortController().signal);
    for await (const event of events) if ('type' in event) await session.log.append(event);
    expect(main.asked.length).toBe(2);
    expect(session.of('compaction').length + session.of('trim').length).toBe(1);
    expect(textsOf(main.asked[1]?.messages ?? []).length).toBeLessThan(
      textsOf(main.asked[0]?.messages ?? []).length * 0.7,
    );
    expect(textsOf(main.asked[1]?.messages ?? [])).toContain('go on');
  }
});

test('a window that is unknown is never guessed: nothing is done before the provider says so', async () => {
  const session = sessionOf({ window: () => undefined });
  await session.add(...pairsOf(200));
  await session.view();
  expect(session.of('compaction').length + session.of('trim').length).toBe(0);
});

test('A28 a request with too many bytes loses old images first, and no summary is asked for', async () => {
  const session = sessionOf({ window: () => 200_000 });
  const image = { type: 'image', mediaType: 'image/png', data: 'A'.repeat(533_000) } as const;
  await session.add(user('look'));
  for (let i = 0; i < 10; i++) await session.add(reads(`t${i}`), { ...result(`t${i}`, 'p'), content: [image] });
  await session.add(overflow(413));
  const { value } = await session.view();
  expect(JSON.stringify(value).length).toBeLessThan(2_000_000);
  expect(JSON.stringify(value.at(-1))).toContain('AAAA');
  expect(textsOf(value)).toContain('[Image left out');
  expect(session.summaries.requests.length).toBe(0);
});

test('F08 fixed parts over the limit: no request is spent, the reason is said once', async () => {
  const tools = [{ name: 'huge', description: 'word '.repeat(4_400), input: { type: 'object' } }];
  const session = sessionOf({ window: () => 8_000, tools });
  await session.add(user('hi'));
  expect((await session.view()).notices.join()).toContain('The system text and the tools alone take about');
  await session.add(reads('t1'), result('t1', 'x'.repeat(9_000)));
  expect((await session.view()).notices).toEqual([]);
  expect(session.summaries.requests.length).toBe(0);
});

test('F08 a kept part that is too large: at most two summaries, then the conversation goes on', async () => {
  const session = sessionOf({ window: () => 4_000, script: () => ({ text: 'long words '.repeat(3_000) }) });
  await session.add(...pairsOf(24));
  for (let step = 0; step < 10; step++) {
    await session.view();
    await session.add(reads(`s${step}`), result(`s${step}`, 'ok'));
  }
  expect(session.summaries.requests.length).toBeLessThanOrEqual(2);
  expect(session.of('compaction').length).toBe(0);
});

test('F09 a summary that fails, is empty or calls a tool is not accepted; the history stays as it was', async () => {
  const failure = { kind: 'overloaded', message: 'vendor can not answer now (500)' } as const;
  const replies: readonly (readonly [string, Assistant])[] = [
    ['overflow', overflow()],
    ['empty', says('  ')],
    ['tool call', { ...says('', 'calls'), content: [call('z', 'read_file')] }],
    ['500', { ...says('', 'error'), failure }],
    ['cut', says('half a', 'length')],
  ];
  for (const [name, reply] of replies) {
    const model = modelThat(() => reply);
    const session = sessionOf({ model });
    await session.add(user('hi'), says('words '.repeat(2_500)), user('go'));
    const before = project(session.log.path());
    const notices: string[] = [];
    for (let step = 0; step < 6; step++) {
      const shown = await session.view();
      notices.push(...shown.notices);
      expect(shown.value.slice(0, before.length)).toEqual(before);
      await session.add(reads(`s${step}`), result(`s${step}`, 'ok'));
    }
    expect([name, model.asked.length]).toEqual([name, 2]);
    expect(session.of('usage').length).toBe(2);
    expect(notices.join()).toContain('stays as it is');
    if (name !== 'overflow') continue;
    const [first = '', second = ''] = model.asked.map(({ messages }) => textsOf(messages));
    expect(second.length).toBeLessThan(first.length * 0.7);
  }
});

test('B25 an error that is no overflow changes nothing in the view', async () => {
  const session = sessionOf({ window: () => 200_000 });
  const failure = { kind: 'rate', message: 'Too many tokens, please wait', status: 429 } as const;
  await session.add(...pairsOf(20), { ...says('', 'error'), failure });
  expect((await session.view()).value).toEqual(project(session.log.path()));
  expect(session.summaries.requests.length).toBe(0);
});

test('B27 without any usage compaction still starts, by an estimate', async () => {
  const session = sessionOf({ window: () => 8_000 });
  await session.add(...pairsOf(10), says('many words '.repeat(1_500)), user('go'));
  await session.view();
  expect(session.of('compaction').length).toBe(1);
});

test('a compaction that is stopped leaves everything as it was', async () => {
  const session = sessionOf({ window: () => 4_000, model: modelThat(() => says('', 'aborted')) });
  await session.add(user('hi'), says('words '.repeat(2_500)), user('go'));
  const before = project(session.log.path());
  expect((await session.view()).value).toEqual(before);
});

const histories = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('prompt' as const), size: fc.nat(900) }),
    fc.record({ kind: fc.constant('reply' as const), size: fc.nat(900) }),
    fc.record({
      kind: fc.constant('calls' as const),
      size: fc.nat(4_000),
      count: fc.integer({ min: 1, max: 4 }),
      lost: fc.boolean(),
      late: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('compact' as const), size: fc.nat(3_000) }),
    fc.record({ kind: fc.constant('overflow' as const), size: fc.nat(1) }),
  ),
  { minLength: 1, maxLength: 40 },
);

test('any history: pairs stay whole, first and last prompt stay, and the size falls or it is said why not', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.integer({ min: 8_000, max: 32_000 }), async (steps, window) => {
      const session = sessionOf({ window: () => window });
      const first = `FIRST ${'rule '.repeat(20)}`;
      let last = first;
      await session.add(user(first));
      for (const [n, step] of steps.entries()) {
        if (step.kind === 'prompt') {
          last = `PROMPT ${n} ${'p'.repeat(step.size)}`;
          await session.add(user(last));
        }
        if (step.kind === 'reply') await session.add(says(`reply ${n} ${'word '.repeat(step.size)}`));
        if (step.kind === 'overflow') await session.add(overflow());
        if (step.kind === 'compact') await session.now();
        if (step.kind === 'calls') {
          const ids = Array.from({ length: step.count }, (_, i) => `c${n}-${i}`);
          await session.add(reads(...ids));
          if (step.late) last = `LATE ${n}`;
          if (step.late) await session.add(user(last));
          for (const id of ids.slice(step.lost ? 1 : 0))
            await session.add(result(id, `${id} ${'o'.repeat(step.size)}`));
        }
        const { value, notices } = await session.view();
        expectPairs(value);
        const reading = session.meter.read({ ...session.request(), messages: value }, session.log.path());
        expect(reading.tokens < window || notices.length > 0).toBe(true);
      }
      const text = textsOf(project(session.log.path()));
      expect(text).toContain(first);
      expect(text).toContain(last);
    }),
    { numRuns: 200 },
  );
}, 60_000);

function expectPairs(messages: readonly Message[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'result') expect(message.call).toBe(open.shift());
    else {
      expect(open).toEqual([]);
      if (message.role === 'assistant')
        open = message.content.flatMap((part) => (part.type === 'call' ? [part.id] : []));
    }
  }
  expect(open).toEqual([]);
}
