/** `rein` in the agent's own shell is a sub-agent: the parent starts it, pays for it and answers for it. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Asked, Turn } from '../../src/testing/index.ts';
import { answer, calls, family, lastResult } from '../support/family.ts';
import {
  alive,
  bash,
  createWorld,
  lastSaid,
  linesOf,
  MODELS,
  messagesOf,
  resultLine,
  resultsOf,
  runs,
  until,
} from '../support/rein.ts';

test('a sub-agent has a fresh history, its summary is the output of the command, its log is linked to the call', async () => {
  const world = await createWorld(family('rein -p "child: say it"', answer('the child says so')));
  const ran = await world.rein(['-p', 'parent', '--yolo']);
  expect(ran).toMatchObject({ code: 0, stdout: 'parent done\n' });
  expect(lastResult(world)).toMatch(/^the child says so\n/);
  const [parent, child] = world.logs();
  const call = messagesOf(parent)
    .flatMap((message) => (message.role === 'assistant' ? message.content : []))
    .find((part) => part.type === 'call');
  expect(child?.header?.startedBy).toEqual({
    session: parent?.header?.session,
    call: call?.type === 'call' && call.id,
  });
  expect(world.server.requests[1]?.asked?.messages.map(({ text }) => text)).toEqual(['child: say it']);
});

test('eight sub-agents run at once, by one command or by eight calls, and piped text is theirs', async () => {
  const each = (commands: readonly string[]) => createWorld(eight(commands));
  const eight = (commands: readonly string[]) => {
    const waiting: string[] = [];
    return (asked: Asked): Turn => {
      if (asked.prompt.startsWith('parent'))
        return asked.rounds.length === 0 ? runs(...commands) : { text: 'parent done' };
      waiting.push(asked.prompt);
      return { text: `did ${lastSaid(asked).replace(/\s+/g, ' ')}`, delay: 1500 };
    };
  };
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
  const one = await each(['for i in 1 2 3 4 5 6 7 8; do echo "part $i" | rein -p child & done; wait']);
  const many = await each(numbers.map((i) => `echo "part ${i}" | rein -p child`));
  const ran = await Promise.all([one.rein(['-p', 'parent', '--yolo']), many.rein(['-p', 'parent', '--yolo'])]);
  for (const { code } of ran) expect(code).toBe(0);
  for (const i of numbers) {
    expect(lastResult(one)).toContain(`did child part ${i}`);
    expect(resultsOf(many.server.requests.at(-1))[i - 1]).toContain(`did child part ${i}`);
  }
});

test('they nest three deep; the fourth is refused with a sentence', async () => {
  const deeper = (asked: Asked): Turn => {
    const depth = Number(/depth (\d)/.exec(asked.prompt)?.[1]);
    if (asked.rounds.length === 0) return runs(`echo at $REIN_DEPTH; rein -p "depth ${depth + 1}"`);
    return { text: `level ${depth}: ${asked.rounds[0]?.[0]?.text.replaceAll('\n', ' ')}` };
  };
  const world = await createWorld(family('rein -p "depth 1"', deeper));
  expect(await world.rein(['-p', 'parent', '--yolo'])).toMatchObject({ code: 0 });
  expect(lastResult(world)).toMatch(
    /level 1: at 1 level 2: at 2 level 3: at 3 rein: .*nest deeper than 3.*exit code: 3/,
  );
  expect(world.logs()).toHaveLength(4);
});

test('sixteen descendants for one prompt, wherever they are; the seventeenth is refused with a sentence', async () => {
  const command =
    'for i in $(seq 1 4); do rein -p "nest $i" & done; wait; for i in $(seq 1 6); do rein -p "leaf $i" & done; wait; rein -p last';
  const child = (asked: Asked): Turn =>
    asked.prompt.startsWith('nest') && asked.rounds.length === 0
      ? runs('rein -p "leaf"; rein -p "leaf"')
      : { text: 'leaf done' };
  const world = await createWorld(family(command, child));
  expect(await world.rein(['-p', 'parent', '--yolo'])).toMatchObject({ code: 0 });
  // 4 + 8 in the first part, 4 of the 6 in the second, none for the last.
  expect(world.logs()).toHaveLength(17);
  expect(lastResult(world).match(/16 sub-agents were started/g)).toHaveLength(3);
});

test('what a child costs is on the parent’s bill, by model', async () => {
  const child = (): Turn => ({ text: 'cheap', usage: { input: 1000, output: 500 } });
  const world = await createWorld((asked) =>
    asked.prompt.startsWith('parent')
      ? {
          ...(asked.rounds.length === 0 ? runs(`rein -p child -m ${MODELS.responses}`) : { text: 'done' }),
          usage: { input: 10, output: 1 },
        }
      : child(),
  );
  const ran = await world.rein(['-p', 'parent', '--yolo', '-o', 'json']);
  const line = resultLine(ran.stdout);
  expect(line).toMatchObject({ usage: { input_tokens: 1020, output_tokens: 502 }, num_turns: 2 });
  expect(line['modelUsage']).toMatchObject({ [MODELS.responses]: { inputTokens: 1000, outputTokens: 500 } });
  const usage = world.logs()[0]?.entries.filter(({ type }) => type === 'usage');
  expect(usage).toMatchObject([{ model: MODELS.responses, usage: { input: 1000, output: 500 } }]);
});

test('lines of sub-agents carry the call that started them', async () => {
  const world = await createWorld(family('rein -p child', calls(bash('echo from the child'))));
  const ran = await world.rein(['-p', 'parent', '--yolo', '-o', 'stream-json']);
  const lines = linesOf(ran.stdout);
  const [parent, child] = world.logs().map(({ header }) => header?.session);
  const own = lines.filter(({ parent_tool_use_id: call, type }) => call === null && type !== 'system');
  const below = lines.filter(({ parent_tool_use_id: call }) => typeof call === 'string');
  expect(own.map(({ type }) => type)).toEqual(['assistant', 'user', 'assistant']);
  expect(below.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(new Set(own.map(({ session_id }) => session_id))).toEqual(new Set([parent]));
  expect(new Set(below.map(({ session_id }) => session_id))).toEqual(new Set([child]));
  expect(JSON.stringify(own[0])).toContain(String(below[0]?.['parent_tool_use_id']));
});

const NESTED = (asked: Asked): Turn =>
  asked.prompt.startsWith('child') ? runs('rein -p grandchild') : runs('touch started; sleep 60');

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s at the top ends the whole subtree, and each log says so',
  async (signal) => {
    const world = await createWorld(family('rein -p child', NESTED));
    const running = world.start(['-p', 'parent', '--yolo']);
    await until(() => world.file('started') !== undefined, 'the grandchild works');
    const ran = await running.kill(signal);
    expect(ran.code).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(alive(world)).toEqual([]);
    const logs = world.logs();
    expect(logs).toHaveLength(3);
    for (const log of logs) {
      expect(messagesOf(log).map(({ role }) => role)).toEqual(['user', 'assistant', 'result']);
      expect(log.entries.find(({ type }) => type === 'ended')).toMatchObject({ stop: 'aborted' });
    }
  },
);

test('a parent that is killed takes its descendants with it', async () => {
  const world = await createWorld(family('rein -p child', NESTED));
  const running = world.start(['-p', 'parent', '--yolo']);
  await until(() => world.file('started') !== undefined, 'the grandchild works');
  await running.kill('SIGKILL');
  await until(
    () => alive(world).length === 0,
    () => `still alive: ${alive(world).join('; ')}`,
    8000,
  );
});

test('a child whose command is stopped, or left behind, ends with it', async () => {
  const world = await createWorld((asked) => {
    if (!asked.prompt.startsWith('parent')) return { fail: 'hang' };
    if (asked.rounds.length > 0) return { text: 'parent done' };
    return { calls: [bash('rein -p "child 1"', { timeout_seconds: 2 }), bash('rein -p "child 2" & echo left')] };
  });
  expect(await world.rein(['-p', 'parent', '--yolo'])).toMatchObject({ code: 0 });
  expect(lastResult(world)).toMatch(/left/);
  expect(alive(world)).toEqual([]);
});

test('bad input of a child is its own exit code and a line on its stderr', async () => {
  const world = await createWorld(
    family('rein -p x --nope; echo code $?; rein -p x -m nope/m; echo code $?; rein; echo code $?', answer('x')),
  );
  await world.rein(['-p', 'parent', '--yolo']);
  expect(lastResult(world)).toMatch(/rein: .*--nope.*\ncode 2\nrein: .*nope.*\ncode 2\nrein: .*\ncode 2\n/);
});

test('what an interrupted child has cost is on the bill', async () => {
  const work: Turn = { ...runs('touch started; sleep 60'), usage: { input: 1000, output: 10 } };
  const world = await createWorld(family('rein -p child', () => work));
  const running = world.start(['-p', 'parent', '--yolo', '-o', 'json']);
  await until(() => world.file('started') !== undefined, 'the child works');
  await running.kill('SIGINT');
  expect(world.logs()[0]?.entries.filter(({ type }) => type === 'usage')).toMatchObject([{ usage: { input: 1000 } }]);
});

test('a home with a long path has a door too', async () => {
  const world = await createWorld(family('rein -p child', answer('child done')));
  const long = join(world.home, 'rein', 'h'.repeat(120));
  const ran = await world.rein(['-p', 'parent', '--yolo'], { variables: { REIN_HOME: long } });
  expect(ran).toEqual({ code: 0, stdout: 'parent done\n', stderr: '' });
  expect(lastResult(world)).toMatch(/^child done\n/);
});

test('a session without a record has children without one', async () => {
  const world = await createWorld(family('rein -p child; rein -c -p child', answer('child done')));
  await world.rein(['-p', 'parent', '--yolo', '--no-session']);
  expect(lastResult(world)).toMatch(/^child done\nrein: [^\n]*\n/);
  expect(world.logs()).toEqual([]);
});
