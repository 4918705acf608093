import { expect, test } from 'vitest';
import type { Assistant, Clock, Event, Model, Request } from '../../src/core/types.ts';
import { scriptedModel } from '../../src/testing/index.ts';

const request: Request = { system: 's', tools: [], messages: [] };

const collect = async (model: Model, signal = new AbortController().signal, see: (event: Event) => void = () => {}) => {
  const events: Event[] = [];
  const run = model(request, signal);
  for (;;) {
    const step = await run.next();
    if (step.done) return { events, reply: step.value };
    events.push(step.value);
    see(step.value);
  }
};

const textOf = (reply: Assistant) => reply.content.map((part) => (part.type === 'text' ? part.text : '')).join('');

test('a scripted model streams its turns in order and records the requests', async () => {
  const model = scriptedModel([
    { thinking: 'hm', text: ['a', 'b'], calls: [{ name: 'bash', input: { command: 'x' } }] },
    { text: 'end' },
  ]);
  const first = await collect(model);
  expect(first.events).toEqual([
    { live: 'thinking', text: 'hm' },
    { live: 'text', text: 'a' },
    { live: 'text', text: 'b' },
    { live: 'calling', name: 'bash' },
  ]);
  expect(first.reply).toMatchObject({
    stop: 'calls',
    content: [{ type: 'thinking' }, { text: 'ab' }, { id: 'call_0_0', input: { command: 'x' } }],
  });
  expect((await collect(model)).reply).toMatchObject({ stop: 'done', content: [{ text: 'end' }] });
  expect((await collect(model)).reply).toMatchObject({
    stop: 'error',
    failure: { message: expect.stringContaining('only 2 turns') },
  });
  expect(model.requests).toEqual([request, request, request]);
});

test('a function sees request and index; broken arguments, stops and failures are data', async () => {
  const model = scriptedModel((asked, index) => {
    if (index === 0) return { text: asked.system, stop: 'length' };
    if (index === 1) return { calls: [{ name: 'a', arguments: ['{"x', '"'], id: 'v1' }] };
    return { failure: { kind: 'rate', message: 'slow down', retryAfter: 5 } };
  });
  expect((await collect(model)).reply).toMatchObject({ stop: 'length', content: [{ text: 's' }] });
  expect((await collect(model)).reply.content).toMatchObject([
    { broken: expect.any(String), vendorId: 'v1', input: {} },
  ]);
  expect((await collect(model)).reply).toMatchObject({ stop: 'error', failure: { retryAfter: 5 } });
});

test('an abort ends the reply as aborted, with what was said and without calls', async () => {
  const controller = new AbortController();
  const model = scriptedModel([{ text: ['one', 'two'], calls: [{ name: 'bash' }] }]);
  const { reply } = await collect(model, controller.signal, () => controller.abort());
  expect(reply).toMatchObject({ stop: 'aborted', content: [{ type: 'text', text: 'one' }] });
});

test('an abort ends a hang and a wait that never comes', async () => {
  const model = scriptedModel([
    { text: 'a', hang: true },
    { wait: new Promise(() => {}), text: 'never' },
  ]);
  const controller = new AbortController();
  const hung = await collect(model, controller.signal, () => controller.abort());
  expect([hung.reply.stop, textOf(hung.reply)]).toEqual(['aborted', 'a']);
  expect((await collect(model, AbortSignal.abort())).reply).toMatchObject({ stop: 'aborted', content: [] });
});

test('delays pass on the given clock', async () => {
  const slept: number[] = [];
  const clock: Clock = {
    now: () => 0,
    time: () => 0,
    sleep: async (ms) => {
      slept.push(ms);
    },
  };
  await collect(scriptedModel([{ text: ['a', 'b'], delay: 500, pause: 20 }], { clock }));
  expect(slept).toEqual([500, 20, 20]);
});
