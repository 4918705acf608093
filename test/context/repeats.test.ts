import { expect, test } from 'vitest';
import { countRepeats, withRepeatLimit, withRepeatNudge } from '../../src/context/index.ts';
import { loop } from '../../src/core/loop.ts';
import type { Assistant, Call } from '../../src/core/types.ts';
import { allowAll, call, calls, says, toolOf, user } from '../support/agent.ts';
import { messageOf, modelThat, sessionOf, textOf } from './support.ts';

type Script = (turn: number) => readonly [name: string, input: string][];

/** Plays a script of calls for at most 60 replies; `output` is what a tool returns at its nth run. */
async function play(script: Script, output: (input: string, n: number) => string, goOn?: () => Promise<boolean>) {
  const session = sessionOf({ window: () => undefined });
  const entries = () => session.log.path();
  let runs = 0;
  const bodyOf = async (input: unknown) => output(JSON.stringify(input), ++runs);
  const main = modelThat((turn): Assistant => {
    const made = script(turn).map(([name, input], i): Call => call(`c${turn}-${i}`, name, { input }));
    return turn < 60 ? calls(...made) : says('finished');
  });
  const inbox = [user('go')];
  const agent = {
    system: '',
    tools: ['read', 'write', 'bash'].map((name) => toolOf(name, bodyOf)),
    gate: allowAll,
    maxTurns: 200,
    inbox: () => inbox.splice(0),
    model: withRepeatLimit(main, { entries, ...(goOn ? { goOn } : {}) }),
    view: withRepeatNudge(session.inner, { entries }),
  };
  const events = loop(agent, new AbortController().signal);
  for (;;) {
    const step = await events.next();
    if (step.done) return { stop: step.value, requests: main.asked.length, session };
    if ('type' in step.value) await session.log.append(step.value);
  }
}

const nudges = ({ log }: ReturnType<typeof sessionOf>): string[] =>
  log.path().flatMap((entry) => {
    const message = messageOf(entry);
    return message?.role === 'user' && message.origin === 'harness' ? [textOf(message)] : [];
  });

test('F10 the same call with the same result is pointed out at the third time, and ends the turn at the fifth', async () => {
  const { stop, requests, session } = await play(
    () => [['read', 'a.txt']],
    () => 'same',
  );
  expect([stop, requests]).toEqual(['error', 5]);
  expect(nudges(session)).toEqual([expect.stringContaining('read was now called 3 times')]);
  const last = messageOf(session.log.path().at(-1));
  expect(last?.role === 'assistant' && last.failure).toMatchObject({
    kind: 'budget',
    message: expect.stringContaining('5 times'),
  });
});

test('F10 two calls that alternate, and two calls in each reply, are the same loop', async () => {
  const alternating = await play(
    (turn) => [['read', turn % 2 === 0 ? 'a' : 'b']],
    (input) => `of ${input}`,
  );
  expect([alternating.stop, alternating.requests]).toEqual(['error', 9]);
  const both = await play(
    () => [
      ['read', 'a'],
      ['bash', 'b'],
    ],
    (input) => `of ${input}`,
  );
  expect([both.stop, both.requests]).toEqual(['error', 5]);
});

test('F10 a person is asked, and what they answer holds for five more', async () => {
  let asked = 0;
  const goOn = async () => ++asked < 3;
  const { stop, requests } = await play(
    () => [['read', 'a']],
    () => 'same',
    goOn,
  );
  expect([stop, requests, asked]).toEqual(['error', 15, 3]);
});

test('F11 a loop of successes is stopped too', async () => {
  expect(
    (
      await play(
        () => [['write', 'same text']],
        () => 'Wrote a.txt.',
      )
    ).requests,
  ).toBe(5);
});

test('F11 many files, polling that changes, and the same check after each edit are left alone', async () => {
  const files = await play(
    (turn) => [['read', `file ${turn}`]],
    () => 'empty',
  );
  const polling = await play(
    () => [['bash', 'cat state']],
    (_, n) => `state ${n}`,
  );
  const checks = await play(
    (turn) => (turn % 2 === 0 ? [['write', `edit ${turn}`]] : [['bash', 'npm test']]),
    () => 'ok',
  );
  for (const { stop, requests, session } of [files, polling, checks]) {
    expect([stop, requests, nudges(session)]).toEqual(['done', 61, []]);
  }
});

test('a new prompt begins the count anew, and a repetition inside one reply counts once', async () => {
  const { session } = await play(
    () => [
      ['read', 'a'],
      ['read', 'a'],
      ['read', 'a'],
    ],
    () => 'same',
  );
  expect(countRepeats(session.log.path())?.times).toBe(5);
  await session.add(user('try again'));
  expect(countRepeats(session.log.path())).toBeUndefined();
});
