import { expect, test } from 'vitest';
import { loop } from '../../src/core/loop.ts';
import type { Event, Result, Stop } from '../../src/core/types.ts';
import { agentOf, call, calls, gateway, modelOf, says, toolOf, user } from '../support/agent.ts';

type Seen = { events: Event[]; results: Result[]; stop: Stop };

async function drive(
  parts: Parameters<typeof agentOf>[0],
  signal = new AbortController().signal,
  onEvent: (event: Event, inbox: ReturnType<typeof agentOf>['inbox']) => void = () => {},
): Promise<Seen> {
  const { agent, messages, inbox } = agentOf(parts);
  const events: Event[] = [];
  const run = loop(agent, signal);
  for (;;) {
    const step = await run.next();
    if (step.done) {
      const results = messages.filter((message) => message.role === 'result');
      return { events, results, stop: step.value };
    }
    events.push(step.value);
    if ('type' in step.value && step.value.type === 'message') messages.push(step.value.message);
    onEvent(step.value, inbox);
  }
}

const text = (result: Result | undefined) => result?.content.map((part) => (part.type === 'text' ? part.text : ''))[0];

test('a call is yielded before it runs: nothing runs until its reply is committed', async () => {
  let ran = false;
  const tool = toolOf('work', async () => {
    ran = true;
    return 'ok';
  });
  const { agent } = agentOf({ model: modelOf([calls(call('a', 'work'))]), tools: [tool] });
  for await (const event of loop(agent, new AbortController().signal)) {
    if ('type' in event && event.type === 'message' && event.message.role === 'assistant') {
      await new Promise((resolve) => setImmediate(resolve));
      expect(ran).toBe(false);
      break;
    }
  }
  expect(ran).toBe(false);
});

test('every call gets exactly one result: unknown tools, broken arguments and refusals included', async () => {
  const broken = { ...call('b', 'work'), broken: 'Unexpected end of JSON input' };
  const { results, stop } = await drive({
    model: modelOf([calls(call('a', 'Read_File'), broken, call('c', ''), call('d', 'work'))]),
    tools: [toolOf('work', async () => 'ok')],
  });
  expect(stop).toBe('done');
  expect(results.map(({ call: id, how }) => [id, how])).toEqual([
    ['a', 'unrun'],
    ['b', 'unrun'],
    ['c', 'unrun'],
    ['d', 'ran'],
  ]);
  expect(text(results[0])).toContain('The tools are: work');
  expect(text(results[1])).toContain('Unexpected end of JSON input');
});

test('a tool that throws answers its call with an error, and the loop goes on', async () => {
  const bad = toolOf('bad', () => Promise.reject(new Error('boom')));
  const { results, stop } = await drive({ model: modelOf([calls(call('a', 'bad'))]), tools: [bad] });
  expect(stop).toBe('done');
  expect(results[0]).toMatchObject({ failed: true, how: 'ran' });
  expect(text(results[0])).toContain('boom');
});

test('nothing runs after the generator is closed', async () => {
  const log: string[] = [];
  const slow = toolOf(
    'slow',
    (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => setImmediate(() => resolve(String(log.push('slow ended')))));
      }),
    { writes: ['/w/a'] },
  );
  const next = toolOf('next', async () => String(log.push('next ran')), { writes: ['/w/a'] });
  const { agent } = agentOf({ model: modelOf([calls(call('a', 'slow'), call('b', 'next'))]), tools: [slow, next] });
  for await (const event of loop(agent, new AbortController().signal)) {
    if ('live' in event && event.live === 'progress') break;
  }
  // The generator is closed: the tool was told to stop, and closing waited for its end.
  expect(log).toEqual(['slow ended']);
});

test.each(['length', 'refused', 'error', 'aborted', 'overflow'] as const)(
  'a reply cut short runs nothing: %s',
  async (stop) => {
    let runs = 0;
    const tool = toolOf('work', async () => String(++runs));
    const cut = { ...calls(call('a', 'work')), stop };
    const { results } = await drive({ model: modelOf([cut, cut, cut, cut]), tools: [tool] });
    expect(runs).toBe(0);
    expect(results.length).toBeGreaterThan(0);
    expect(results.every(({ how, failed }) => how === 'unrun' && failed)).toBe(true);
  },
);

test('B19 a call cut by the output limit is answered with advice, and at most two such rounds are paid for', async () => {
  const cut = { ...calls(call('a', 'work')), stop: 'length' as const };
  const model = modelOf([cut, cut, cut, cut, cut, cut]);
  const { results, stop } = await drive({ model, tools: [toolOf('work', async () => 'ok')] });
  expect(stop).toBe('length');
  expect(model.requests.length).toBe(3);
  expect(text(results[0])).toContain('smaller steps');
});

test('conflicting calls never overlap, the others do', async () => {
  let now = 0;
  let most = 0;
  const spans: string[] = [];
  const both = gateway();
  const touch = (name: string, writes: string[]) =>
    toolOf(
      name,
      async () => {
        most = Math.max(most, ++now);
        spans.push(`${name}+`);
        if (now === 2) both.open();
        if (name !== 'b') await both.passed;
        spans.push(`${name}-`);
        now--;
        return name;
      },
      { writes },
    );
  await drive({
    model: modelOf([calls(call('1', 'a'), call('2', 'b'), call('3', 'c'))]),
    tools: [touch('a', ['/w/x']), touch('b', ['/w/x']), touch('c', ['/w/y'])],
  });
  expect(most).toBe(2);
  expect(spans.indexOf('a-')).toBeLessThan(spans.indexOf('b+'));
  expect(spans.indexOf('c+')).toBeLessThan(spans.indexOf('a-'));
});

test('D11 a write waits for the shell call before it, and two shell calls run together', async () => {
  const order: string[] = [];
  const together = gateway();
  let shells = 0;
  const shell = toolOf(
    'shell',
    async () => {
      if (++shells === 2) together.open();
      await together.passed;
      order.push('shell');
      return 'ok';
    },
    { anything: true },
  );
  const write = toolOf('write', async () => order.push('write').toString(), { writes: ['/w/a'] });
  await drive({
    model: modelOf([calls(call('1', 'shell'), call('2', 'shell'), call('3', 'write'))]),
    tools: [shell, write],
  });
  expect(order).toEqual(['shell', 'shell', 'write']);
});

test('A06 what is said while tools run comes after their results', async () => {
  const model = modelOf([calls(call('a', 'work')), says('end')]);
  const { events } = await drive({ model, tools: [toolOf('work', async () => 'ok')] }, undefined, (event, inbox) => {
    if ('live' in event && event.live === 'started') inbox.push(user('also check b'));
  });
  const roles = events.flatMap((event) => ('type' in event && event.type === 'message' ? [event.message.role] : []));
  expect(roles).toEqual(['user', 'assistant', 'result', 'user', 'assistant']);
});

test('an abort answers what runs as stopped and what waits as not run, and asks no more', async () => {
  const controller = new AbortController();
  const slow = toolOf(
    'slow',
    (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('half'))),
    { writes: ['/w/a'] },
  );
  const model = modelOf([calls(call('a', 'slow'), call('b', 'slow'))]);
  const { results, stop } = await drive({ model, tools: [slow] }, controller.signal, (event) => {
    if ('live' in event && event.live === 'progress') controller.abort();
  });
  expect(stop).toBe('aborted');
  expect(model.requests.length).toBe(1);
  expect(results.map(({ call: id, how }) => [id, how])).toEqual(
    expect.arrayContaining([
      ['a', 'stopped'],
      ['b', 'unrun'],
    ]),
  );
});

test('a refusal that ends the turn answers the calls behind it and stops as denied', async () => {
  const { results, stop } = await drive({
    model: modelOf([calls(call('a', 'work'), call('b', 'work'))]),
    tools: [toolOf('work', async () => 'ok')],
    gate: async function* () {
      yield* [];
      return { allow: false, reason: 'no', end: true };
    },
  });
  expect(stop).toBe('denied');
  expect(results.map(({ how }) => how)).toEqual(['refused', 'refused']);
});

test('an overflow goes round once more, a second one in a row stops', async () => {
  const model = modelOf([says('', 'overflow'), says('', 'overflow'), says('never')]);
  expect((await drive({ model })).stop).toBe('overflow');
  expect(model.requests.length).toBe(2);
});

test('F10 a model that never stops calling is stopped by the cap', async () => {
  const forever = Array.from({ length: 30 }, (_, index) => calls(call(`c${index}`, 'work')));
  const model = modelOf(forever);
  const { stop } = await drive({ model, tools: [toolOf('work', async () => 'ok')], maxTurns: 5 });
  expect(stop).toBe('max_turns');
  expect(model.requests.length).toBe(5);
});

test('B23 content decides: calls that came with "calls" run, a reply without calls ends the turn', async () => {
  const { stop, results } = await drive({ model: modelOf([says('text', 'calls')]) });
  expect(stop).toBe('done');
  expect(results).toEqual([]);
});
