/** Whatever happens, the projected history is valid and each call has exactly one result. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loop } from '../../src/core/loop.ts';
import type { Assistant, Logged, Message, User } from '../../src/core/types.ts';
import { createLog, createProjection, project, readRecords, writeRecord } from '../../src/session/index.ts';
import { agentOf, call, modelOf, toolOf, user } from '../support/agent.ts';

const HEADER = { rein: 1, session: 's', time: 0, cwd: '/w' } as const;

const stops = fc.constantFrom<Assistant['stop']>(
  'done',
  'calls',
  'calls',
  'calls',
  'length',
  'refused',
  'overflow',
  'aborted',
  'error',
);

const plans = fc.record({
  replies: fc.array(
    fc.record({
      text: fc.constantFrom('', ' ', 'text'),
      stop: stops,
      calls: fc.array(
        fc.record({
          tool: fc.constantFrom('quick', 'slow', 'throws', 'shell', 'missing', ''),
          broken: fc.boolean(),
        }),
        { maxLength: 5 },
      ),
    }),
    { maxLength: 6 },
  ),
  /** At which event the turn is aborted, the generator closed, or a message comes in. */
  abortAt: fc.option(fc.nat(40), { nil: -1 }),
  closeAt: fc.option(fc.nat(40), { nil: -1 }),
  steerAt: fc.array(fc.nat(40), { maxLength: 3 }),
  refuse: fc.array(fc.constantFrom<'yes' | 'no' | 'end'>('yes', 'no', 'end'), { maxLength: 8 }),
  /** How many bytes of the log survive a crash, as a fraction. */
  survives: fc.double({ min: 0, max: 1, noNaN: true }),
});

type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;

const tools = [
  toolOf('quick', async () => 'ok', { reads: ['/w/a'] }),
  toolOf('slow', () => new Promise((resolve) => setImmediate(() => resolve('late'))), { writes: ['/w/a'] }),
  toolOf('throws', () => Promise.reject(new Error('boom')), { writes: ['/w/b'] }),
  toolOf('shell', async () => '', { anything: true }),
];

const repliesOf = ({ replies }: Plan): Assistant[] =>
  replies.map(({ text, stop, calls }, turn) => ({
    role: 'assistant',
    model: 'test/model',
    stop: stop === 'calls' || stop === 'done' ? (calls.length > 0 ? 'calls' : 'done') : stop,
    content: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map(({ tool, broken }, index) => ({
        ...call(`t${turn}c${index}`, tool),
        ...(broken ? { broken: 'bad JSON' } : {}),
      })),
    ],
  }));

/** Runs the plan as a session would, and returns the log as bytes. */
async function live(plan: Plan): Promise<string> {
  let file = '';
  let ids = 0;
  const log = createLog({
    header: HEADER,
    file: {
      append: async (text) => {
        file += text;
      },
    },
    time: () => 0,
    newId: () => `e${++ids}`,
    warn: () => {},
  });
  const controller = new AbortController();
  const verdicts = [...plan.refuse];
  const { agent, inbox } = agentOf({
    model: modelOf(repliesOf(plan)),
    tools,
    maxTurns: 8,
    view: async function* () {
      yield* [];
      const messages = project(log.path());
      expectValid(messages);
      return messages;
    },
    gate: async function* (asked) {
      yield { live: 'waiting', call: asked.id };
      const verdict = verdicts.shift() ?? 'yes';
      if (verdict === 'yes') return { allow: true };
      return { allow: false, reason: 'no', ...(verdict === 'end' ? { end: true } : {}) };
    },
  });
  let events = 0;
  for await (const event of loop(agent, controller.signal)) {
    if ('type' in event) await log.append(event);
    if (events === plan.abortAt) controller.abort();
    if (plan.steerAt.includes(events)) inbox.push(user(`steer ${events}`));
    if (events === plan.closeAt) break;
    events++;
  }
  return file;
}

function expectValid(messages: readonly Message[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'result') {
      expect(message.call).toBe(open.shift());
    } else {
      expect(open).toEqual([]);
      if (message.role !== 'assistant') continue;
      expect(message.content.length).toBeGreaterThan(0);
      open = message.content.flatMap((part) => (part.type === 'call' ? [part.id] : []));
    }
  }
  expect(open).toEqual([]);
}

/** The view can begin with every message that has its entry. */
function expectCuts(entries: readonly Logged[]): void {
  const projection = createProjection();
  for (const entry of entries) projection.push(entry);
  const items = projection.items();
  for (const [at, { entry: keep }] of items.entries()) {
    if (keep === undefined) continue;
    const fact = { type: 'compaction', summary: 'all of it', keep, tokensBefore: 1 } as const;
    const [, ...rest] = project([...entries, { id: 'cut', parent: null, time: 0, ...fact }]);
    expectValid(rest);
    expect(rest).toEqual(items.slice(at).map(({ message }) => message));
  }
}

const said = (messages: readonly (Message | Logged)[]): string[] =>
  messages.flatMap((message) => ('role' in message && message.role === 'user' ? [textOf(message)] : []));

const textOf = (message: User): string =>
  message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');

test('random replies, timings, aborts, steering and crashes leave a valid history with one result for each call', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const file = await live(plan);
      const whole = readRecords(file);
      expect(whole.complaints).toEqual([]);
      expectValid(project(whole.entries));
      expectCuts(whole.entries);

      const crashed = readRecords(file.slice(0, Math.floor(file.length * plan.survives)));
      expectValid(project(crashed.entries));

      // The crashed log goes on: what is appended is read again, and nothing that was whole is lost.
      let rest = file.slice(0, Math.floor(file.length * plan.survives));
      const log = createLog({
        header: crashed.header ?? HEADER,
        records: crashed,
        file: {
          append: async (text) => {
            rest += text;
          },
        },
        time: () => 0,
        newId: () => 'resumed',
        warn: () => {},
      });
      await log.append({ type: 'message', message: user('go on') });
      const resumed = readRecords(rest);
      expect(resumed.entries.length).toBe(crashed.entries.length + 1);
      const messages = project(resumed.entries);
      expectValid(messages);
      expect(said(messages).at(-1)).toBe('go on');
    }),
    { numRuns: 300 },
  );
});

test('each record is one line, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const entry: Logged = { id: 'a', parent: null, time: 0, type: 'message', message: user(value.toWellFormed()) };
      const line = writeRecord(entry);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(readRecords(line).entries).toEqual([entry]);
    }),
  );
});
