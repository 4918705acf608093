import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loop } from '../../src/core/loop.ts';
import type { Access, Event, Model, Tool } from '../../src/core/types.ts';
import { createSnapshotting, type Undo } from '../../src/undo/index.ts';
import { agentOf, call, calls, gateway, modelOf, toolOf } from '../support/agent.ts';
import { has } from '../support/has.ts';
import { applied, makePlace, planned, stateOf } from './support.ts';

const withGit = test.skipIf(!has('git'));

const short = (event: Event): string | undefined => {
  if ('live' in event) return undefined;
  if (event.type === 'snapshot') return event.when;
  if (event.type !== 'message') return event.type;
  return event.message.role === 'result' ? `${event.message.name}:${event.message.how}` : event.message.role;
};

/** Runs the loop as a session does: every fact is in `log` before the loop goes on. */
const drive = async (
  undo: Pick<Undo, 'root' | 'snapshot'>,
  model: Model,
  tools: readonly Tool[],
  signal = new AbortController().signal,
) => {
  const log: Event[] = [];
  const snapshotting = createSnapshotting({ undo, clock: { now: () => performance.now() } });
  const { agent, messages } = agentOf({ model: snapshotting.model(model), tools: tools.map(snapshotting.tool) });
  const run = async (events: AsyncGenerator<Event, unknown>) => {
    for await (const event of events) {
      log.push(event);
      if ('type' in event && event.type === 'message') messages.push(event.message);
    }
  };
  return {
    log,
    facts: () => log.map(short).filter((each) => each !== undefined),
    run,
    settle: snapshotting.settle,
    loop: () => run(loop(agent, signal)),
  };
};

const does = (work: () => unknown) => async () => {
  work();
  return 'ok';
};

const counting = (undo: Undo) => {
  const counted = {
    root: undo.root,
    taken: 0,
    snapshot: () => {
      counted.taken += 1;
      return undo.snapshot();
    },
  };
  return counted;
};

withGit('a step that may write lies between two snapshots, and they undo it', async () => {
  const { open, root, write } = makePlace();
  write('a.txt', 'one');
  const undo = open();
  const was = stateOf(root);
  const shell = toolOf(
    'bash',
    does(() => rmSync(join(root, 'a.txt'))),
    { anything: true },
  );
  const edit = toolOf(
    'edit',
    does(() => write('b.txt')),
    { writes: [join(root, 'b.txt')] },
  );
  const model = modelOf([calls(call('1', 'bash')), calls(call('2', 'edit'))]);
  const driven = await drive(undo, model, [shell, edit]);
  await driven.loop();
  await driven.run(driven.settle());
  const facts = driven.facts();
  expect(facts.filter((each) => each !== 'after')).toEqual([
    'user',
    'assistant',
    'before',
    'bash:ran',
    'assistant',
    'before',
    'edit:ran',
    'assistant',
  ]);
  expect(facts.filter((each) => each === 'after')).toHaveLength(2);
  expect(facts.indexOf('after')).toBeLessThan(facts.lastIndexOf('before'));
  const trees = driven.log.flatMap((each) => ('type' in each && each.type === 'snapshot' ? [each.tree] : []));
  const [before = '', after = '', again = '', last = ''] = trees;
  expect(again).toBe(after);
  await applied(
    undo,
    await planned(undo, [
      { before, after },
      { before: again, after: last },
    ]),
  );
  expect(stateOf(root)).toEqual(was);
});

withGit('the calls of one reply share their snapshots, and none runs before the log has the first', async () => {
  const { open, root } = makePlace();
  const undo = counting(open());
  const seen: number[] = [];
  const tool = toolOf(
    'bash',
    does(() => seen.push(driven.facts().filter((each) => each === 'before').length)),
    { anything: true },
  );
  const driven = await drive(undo, modelOf([calls(call('1', 'bash'), call('2', 'bash'), call('3', 'bash'))]), [tool]);
  await driven.loop();
  await driven.run(driven.settle());
  expect(seen).toEqual([1, 1, 1]);
  expect(driven.facts().filter((each) => each === 'before' || each === 'after')).toEqual(['before', 'after']);
  expect(root).toBe(undo.root);
});

withGit('steps that only read, or write elsewhere, take none', async () => {
  const { open, base } = makePlace();
  const undo = counting(open());
  const accesses: Partial<Access>[] = [{ reads: [base] }, { writes: [join(base, 'elsewhere')] }, {}];
  const tools = accesses.map((access, index) => toolOf(`t${index}`, async () => 'ok', access));
  const driven = await drive(undo, modelOf(tools.map(({ name }) => calls(call(name, name)))), tools);
  await driven.loop();
  await driven.run(driven.settle());
  // The folder's first one, which reads every file, begins with the first call and waits for nobody.
  expect(undo.taken).toBe(1);
  expect(driven.facts()).not.toContain('before');
});

withGit('a prompt without calls takes none', async () => {
  const { open } = makePlace();
  const undo = counting(open());
  const driven = await drive(undo, modelOf([]), []);
  await driven.loop();
  await driven.run(driven.settle());
  expect(undo.taken).toBe(0);
});

test('the second snapshot is taken while the model is asked, and the next tool that may write waits for it', async () => {
  const order: string[] = [];
  const second = gateway();
  let taken = 0;
  const undo = {
    root: makePlace().root,
    snapshot: async () => {
      const number = ++taken;
      order.push(`snapshot ${number}`);
      if (number === 2) await second.passed;
      order.push(`snapshot ${number} done`);
      return `${number}`;
    },
  };
  const inner = modelOf([calls(call('1', 'bash')), calls(call('2', 'bash'))]);
  const model: Model = async function* (request, signal) {
    order.push('request');
    const reply = yield* inner(request, signal);
    if (inner.requests.length === 2) setImmediate(second.open);
    return reply;
  };
  const tool = toolOf(
    'bash',
    does(() => order.push('tool')),
    { anything: true },
  );
  const driven = await drive(undo, model, [tool]);
  await driven.loop();
  await driven.run(driven.settle());
  expect(order).toEqual([
    'request',
    'snapshot 1',
    'snapshot 1 done',
    'tool',
    'request',
    'snapshot 2',
    'snapshot 2 done',
    'tool',
    'request',
    'snapshot 3',
    'snapshot 3 done',
  ]);
});

test('a stop does not wait for the first snapshot, and the call says that nothing was done', async () => {
  const stop = new AbortController();
  const undo = { root: makePlace().root, snapshot: () => new Promise<null>(() => {}) };
  const ran: string[] = [];
  const tool = toolOf(
    'bash',
    does(() => ran.push('bash')),
    { anything: true },
  );
  const driven = await drive(undo, modelOf([calls(call('1', 'bash'))]), [tool], stop.signal);
  setTimeout(() => stop.abort(), 20);
  await driven.loop();
  await driven.run(driven.settle());
  expect(ran).toEqual([]);
  expect(driven.facts()).toEqual(['user', 'assistant', 'bash:stopped']);
});

test('where undo is off, tools run and no snapshot is recorded', async () => {
  const { open, base, root } = makePlace();
  const undo = open({ path: base });
  const tool = toolOf(
    'bash',
    does(() => writeFileSync(join(root, 'a'), 'x')),
    { anything: true },
  );
  const driven = await drive(undo, modelOf([calls(call('1', 'bash'))]), [tool]);
  await driven.loop();
  await driven.run(driven.settle());
  expect(driven.facts()).toEqual(['user', 'assistant', 'bash:ran', 'assistant']);
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('x');
});
