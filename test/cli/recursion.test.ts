/** `rein` in the agent's own shell is a sub-agent: the parent starts it, bounds it, pays for it and answers for it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../../src/core/types.ts';
import type { Asked, Turn } from '../../src/testing/index.ts';
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
  type World,
} from '../support/rein.ts';

/** The parent runs `command`; a sub-agent is asked by its prompt. */
const family =
  (command: string, child: (asked: Asked) => Turn) =>
  (asked: Asked): Turn => {
    if (!asked.prompt.startsWith('parent')) return child(asked);
    return asked.rounds.length === 0 ? runs(command) : { text: 'parent done' };
  };

const answer = (text: string) => (): Turn => ({ text });
/** A child that makes one call and ends. */
const calls =
  (...made: readonly { name: string; input: Json }[]) =>
  (asked: Asked): Turn =>
    asked.rounds.length === 0 ? { calls: made } : { text: 'child done' };

/** What the parent's newest command printed. */
const lastResult = (world: World): string => {
  const request = world.server.requests.findLast(({ asked }) => asked?.prompt.startsWith('parent'));
  return resultsOf(request).at(-1) ?? '';
};

/** The results that sub-agents were shown. */
const childResults = (world: World): string[] =>
  world.server.requests.filter(({ asked }) => !asked?.prompt.startsWith('parent')).flatMap(resultsOf);

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
      if (asked.prompt.startsWith('parent')) return asked.rounds.length === 0 ? runs(...commands) : { text: 'parent done' };
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

test('stripping or forging variables gains nothing', async () => {
  const tricks = [
    'env -i PATH="$PATH" rein -p "child 1" --yolo',
    'REIN_DEPTH=0 REIN_CHILD=1 REIN_HOME=/tmp rein -p "child 2" --yolo --max-turns 500',
    'env -i "$(command -v rein)" -p "child 3" --permission-mode bypass',
    'unset REIN_SESSION_ID REIN_CALL REIN_DEPTH; rein -p "child 4" --allowed-tools write_file --settings \'{"permissionMode":"bypass"}\'',
  ];
  const write = { name: 'write_file', input: { path: 'pwned', content: 'x' } };
  const child = (asked: Asked): Turn =>
    asked.rounds.length === 0 ? { calls: [write, bash('echo "at $REIN_DEPTH"')] } : { text: 'child done' };
  const world = await createWorld(family(tricks.join('; '), child));
  expect(await world.rein(['-p', 'parent', '--allowed-tools', 'bash'])).toMatchObject({ code: 0 });
  expect(lastResult(world).match(/child done/g)).toHaveLength(4);
  const results = childResults(world);
  expect(results.filter((text) => text.startsWith('ERROR:'))).toHaveLength(4);
  expect(results.filter((text) => text.startsWith('at 1'))).toHaveLength(4);
  expect(existsSync(join(world.work, 'pwned'))).toBe(false);
  const [parent, ...children] = world.logs();
  expect(children).toHaveLength(4);
  for (const { header } of children) expect(header?.startedBy?.session).toBe(parent?.header?.session);
});

test('a program that claims to be a child and has no parent gets no rights by it', async () => {
  const write = { name: 'write_file', input: { path: 'pwned', content: 'x' } };
  const world = await createWorld((asked) => (asked.rounds.length === 0 ? { calls: [write] } : { text: 'done' }));
  const ran = await world.rein(['-p', 'go'], { variables: { REIN_CHILD: '1', REIN_DEPTH: '0' } });
  expect(ran.code).not.toBeNull();
  expect(world.file('pwned')).toBeUndefined();
});

test('rights are never wider than the parent’s, whatever mode the child asks for', async () => {
  const write = { name: 'write_file', input: { path: 'x.txt', content: 'x' } };
  const world = await createWorld(
    family('rein -p child --yolo; rein -p child --dangerously-skip-permissions', calls(write, bash('touch ran'))),
  );
  expect(await world.rein(['-p', 'parent', '--allowed-tools', 'bash'])).toMatchObject({ code: 0 });
  expect(world.file('x.txt')).toBeUndefined();
  expect(world.file('ran')).toBe('');
  const denied = await createWorld(family('rein -p child --yolo', calls(write)));
  await denied.rein(['-p', 'parent', '--yolo', '--disallowed-tools', 'write_file']);
  expect(childResults(denied)[0]).toMatch(/^ERROR: /);
  expect(denied.file('x.txt')).toBeUndefined();
  const narrow = await createWorld(
    family('rein -p child --disallowed-tools write_file --tools bash,write_file', calls(write)),
  );
  await narrow.rein(['-p', 'parent', '--yolo']);
  expect(narrow.file('x.txt')).toBeUndefined();
});

test('caps are reserved from the parent’s: a child cannot use more requests, and what it used is gone', async () => {
  const endless = (): Turn => ({ calls: [{ name: 'list_files', input: {} }] });
  const world = await createWorld((asked) =>
    asked.prompt.startsWith('parent') ? runs('rein -p "child" --max-turns 50') : endless(),
  );
  const ran = await world.rein(['-p', 'parent', '--yolo', '--max-turns', '5', '-o', 'json']);
  expect(ran.code).toBe(3);
  expect(world.server.requests).toHaveLength(5);
  expect(resultLine(ran.stdout)).toMatchObject({ subtype: 'error_max_turns' });
});

test('time and money are the parent’s too', async () => {
  const world = await createWorld(family('rein -p child --max-time 1h', () => ({ fail: 'hang' })));
  const ran = await world.rein(['-p', 'parent', '--yolo', '--max-time', '2', '-o', 'json']);
  expect(resultLine(ran.stdout)).toMatchObject({ subtype: 'error_max_time' });
  expect(alive(world)).toEqual([]);
  const costly = (): Turn => ({ calls: [{ name: 'list_files', input: {} }], usage: { input: 100_000, output: 1 } });
  const paid = await createWorld(family('rein -p child', costly));
  const broke = await paid.rein(['-p', 'parent', '--yolo', '--max-cost', '2', '-o', 'json']);
  expect(Number(resultLine(broke.stdout)['total_cost_usd'])).toBeLessThan(3);
  expect(lastResult(paid)).toMatch(/cap of \$.*exit code: 3/s);
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

test('C31 the shell holds no keys, and the child works all the same, with every provider', async () => {
  const children = Object.values(MODELS).map((model) => `rein -p child -m ${model}`);
  const world = await createWorld(family(`env | grep -c CANARY; ${children.join('; ')}`, answer('it works')));
  await world.rein(['-p', 'parent', '--yolo']);
  expect(lastResult(world)).toMatch(/^0\n(it works\n){6}/);
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
      expect(log.entries.at(-1)).toMatchObject({ type: 'ended', stop: 'aborted' });
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
