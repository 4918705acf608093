/** The `task` tool: the same program called again, with its parent's rights or less. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { approvedPlan, createHarness, type HarnessOptions, type Session } from '../../src/harness/index.ts';
import type { Asked, Turn } from '../../src/testing/index.ts';
import {
  alive,
  bash,
  bodyOf,
  createWorld,
  messagesOf,
  resultLine,
  resultsOf,
  until,
  type World,
} from '../support/rein.ts';
import { openSession } from '../support/session.ts';

const task = (prompt: string, more = {}) => ({ name: 'task', input: { prompt, ...more } });

/** The parent starts these tasks; a sub-agent is asked by its prompt. */
const crew =
  (tasks: readonly ReturnType<typeof task>[], child: (asked: Asked) => Turn) =>
  (asked: Asked): Turn => {
    if (!asked.prompt.startsWith('parent')) return child(asked);
    const usage = { input: 10, output: 1 };
    return asked.rounds.length === 0 ? { calls: tasks, usage } : { text: 'parent done', usage };
  };

const parentResults = (world: World): string[] =>
  resultsOf(world.server.requests.findLast(({ asked }) => asked?.prompt.startsWith('parent')));

test('a task has a fresh history; its last message is the result, with the id to ask again', async () => {
  const world = await createWorld(crew([task('child: say it')], () => ({ text: 'the child says so' })));
  expect(await world.rein(['-p', 'parent'])).toMatchObject({ code: 0, stdout: 'parent done\n' });
  const [parent, child] = world.logs();
  expect(parentResults(world)).toEqual([
    `the child says so\n[sub-agent ${child?.header?.session}, 1 turns; ask again with this id]`,
  ]);
  expect(child?.header?.startedBy?.session).toBe(parent?.header?.session);
  expect(world.server.requests[1]?.asked?.messages).toEqual([{ role: 'user', text: 'child: say it' }]);
});

test('a task with the id of an earlier one goes on with it, of the kind that it was', async () => {
  const world = await createWorld((asked) => {
    if (!asked.prompt.startsWith('parent'))
      return asked.rounds.length === 0 && asked.prompt.includes('again')
        ? { calls: [{ name: 'write_file', input: { path: 'pwned', content: 'x' } }, bash('touch pwned')] }
        : { text: `heard ${asked.messages.filter(({ role }) => role === 'user').length}` };
    const first = asked.rounds[0]?.[0]?.text ?? '';
    if (asked.rounds.length === 0) return { calls: [task('child one', { agent: 'explore' })] };
    const id = /sub-agent (\S+),/.exec(first)?.[1];
    if (asked.rounds.length === 1) return { calls: [task('child again', { id })] };
    if (asked.rounds.length === 2) return { calls: [task('child again', { id, agent: 'code' })] };
    return { text: 'parent done' };
  });
  expect(await world.rein(['-p', 'parent', '--yolo'])).toMatchObject({ code: 0 });
  const results = parentResults(world);
  expect(results[1]).toMatch(/^heard /);
  expect(results[2]).toMatch(/^ERROR: .*of the kind explore/);
  expect(world.file('pwned')).toBeUndefined();
  expect(world.logs()).toHaveLength(2);
});

const costs = { usage: { input: 1000, output: 10 } };

test('three at once, one killed, one refused by a rule, one over its cap: one summary, one bill, a valid log', async () => {
  const child = (asked: Asked): Turn => {
    if (asked.prompt.startsWith('endless')) return { calls: [{ name: 'list_files', input: {} }], ...costs };
    if (asked.prompt.startsWith('refused'))
      return asked.rounds.length === 0
        ? { calls: [{ name: 'write_file', input: { path: 'x.txt', content: 'x' } }], ...costs }
        : { text: 'it would not let me', ...costs };
    return asked.rounds.length === 0 ? { calls: [bash('touch working; sleep 60')], ...costs } : { text: 'unreached' };
  };
  const world = await createWorld(crew([task('killed'), task('refused'), task('endless')], child));
  const running = world.start([
    '-p',
    'parent',
    '--yolo',
    '--disallowed-tools',
    'write_file',
    '-o',
    'json',
    '--max-turns',
    '24',
  ]);
  await until(() => world.file('working') !== undefined, 'the first works');
  process.kill(pidOf(world, 'killed'), 'SIGKILL');
  const ran = await running.ended;
  expect(ran.code).toBe(0);
  const [killed = '', refused = '', endless = ''] = parentResults(world);
  expect(killed).toMatch(/^ERROR: the sub-agent was killed\. .*ask again with the id \d{8}-/);
  expect(refused).toMatch(/^it would not let me\n\[sub-agent /);
  expect(endless).toMatch(/^ERROR: .*--max-turns/);
  expect(world.file('x.txt')).toBeUndefined();
  const line = resultLine(ran.stdout);
  expect(line).toMatchObject({ subtype: 'success', result: 'parent done' });
  const asked = world.server.requests.filter(({ asked: one }) => !one?.prompt.startsWith('parent')).length;
  expect(line).toMatchObject({ usage: { input_tokens: 1000 * asked + 20 } });
  const logs = world.logs();
  expect(logs).toHaveLength(4);
  expect(messagesOf(logs[0]).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'result',
    'result',
    'result',
    'assistant',
  ]);
});

/** The process of the sub-agent that was asked this: its log is locked by it. */
function pidOf(world: World, prompt: string): number {
  const log = world.logs().find((one) => JSON.stringify(messagesOf(one)[0]).includes(prompt));
  const lock = JSON.parse(readFileSync(`${log?.path}.lock`, 'utf8'));
  return lock.pid;
}

test('E41 a read-only parent has read-only sub-agents, whatever their definition claims', async () => {
  const child = (asked: Asked): Turn =>
    asked.rounds.length === 0
      ? {
          calls: [
            { name: 'write_file', input: { path: 'pwned', content: 'x' } },
            bash('touch pwned'),
            { name: 'list_files', input: {} },
          ],
        }
      : { text: 'child done' };
  const world = await createWorld(crew([task('child', { agent: 'wild' })], child));
  mkdirSync(join(world.home, 'rein/agents'), { recursive: true });
  writeFileSync(join(world.home, 'rein/agents/wild.md'), '---\ndescription: All\ntools: "*"\nmode: bypass\n---\n');
  await world.rein(['-p', 'parent', '--plan']);
  const results = resultsOf(world.server.requests.findLast(({ asked }) => asked?.prompt === 'child'));
  expect(results.map((text) => text.startsWith('ERROR:'))).toEqual([true, true, false]);
  expect(world.file('pwned')).toBeUndefined();
  const narrow = await createWorld(crew([task('child', { agent: 'code' })], child));
  await narrow.rein(['-p', 'parent', '--yolo', '--tools', 'task,list_files']);
  expect(narrow.file('pwned')).toBeUndefined();
  expect(narrow.server.requests[1]?.asked?.tools.map(({ name }) => name)).toEqual(['list_files', 'task']);
});

test('E42 agents that start agents end at the bounds, and none asks after the interrupt', async () => {
  const five = { calls: [1, 2, 3, 4, 5].map((i) => task(`agent ${i}`)) };
  const world = await createWorld((asked) => (asked.rounds.length === 0 ? { ...five, delay: 50 } : { fail: 'hang' }));
  const running = world.start(['-p', 'parent', '--yolo']);
  await until(() => world.logs().length >= 17, 'sixteen work');
  await running.kill('SIGINT');
  expect(world.logs()).toHaveLength(17);
  expect(alive(world)).toEqual([]);
  // The first of each, and one after its refusals.
  expect(world.server.requests.length).toBeLessThanOrEqual(34);
});

test('what a sub-agent said before its parent was killed is found again', async () => {
  const world = await createWorld((asked) => {
    if (asked.prompt === 'slow') return { fail: 'hang' };
    if (asked.prompt === 'quick') return { text: 'the answer is 42' };
    return asked.rounds.length === 0 ? { calls: [task('quick'), task('slow')] } : { text: 'parent done' };
  });
  const running = world.start(['-p', 'parent', '--yolo']);
  const ended = () => world.logs().some((log) => log.text.includes('the answer is 42') && log.text.includes('"ended"'));
  await until(() => ended() && world.logs().length === 3, 'one has ended and one works');
  // The parent stops before it can write the result down.
  await running.kill('SIGKILL');
  const parent = world.logs()[0];
  const lines = parent?.text.trimEnd().split('\n') ?? [];
  const upToCall = lines.slice(0, lines.findIndex((line) => line.includes('"task"') && line.includes('quick')) + 1);
  writeFileSync(parent?.path ?? '', `${upToCall.join('\n')}\n`);
  await world.rein(['-c', '-p', 'go on', '--yolo']);
  const [quick = '', slow = ''] = resultsOf(world.server.requests.at(-1));
  expect(quick).toMatch(/^the answer is 42\n\[sub-agent .*ask again with this id\]$/);
  expect(slow).toMatch(/^ERROR: the program ended while this sub-agent worked/);
});

test('D33 with an own working tree each writes beside the others, and the diff comes back', async () => {
  const child = (asked: Asked): Turn => {
    if (asked.rounds.length > 0) return { text: 'child done' };
    const stray = join(world.work, 'stray.txt');
    // A descendant of one that may write nowhere else may not either.
    if (asked.prompt === 'deep') return { calls: [{ name: 'write_file', input: { path: stray, content: 'x' } }] };
    return {
      calls: [
        { name: 'write_file', input: { path: 'a.txt', content: `by ${asked.prompt}\n` } },
        { name: 'write_file', input: { path: 'new.txt', content: 'new\n' } },
        { name: 'write_file', input: { path: stray, content: 'x' } },
        bash('git -c user.name=x -c user.email=x@x commit -qam changed; pwd'),
        bash(`rein -C ${world.work} -p deep`),
      ],
    };
  };
  const world: World = await createWorld(crew([task('one', { agent: 'w' }), task('two', { agent: 'w' })], child));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: world.work, encoding: 'utf8' });
  git('init', '-q');
  writeFileSync(join(world.work, 'a.txt'), 'old\n');
  git('add', '.');
  git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-qm', 'first');
  const head = git('rev-parse', 'HEAD');
  writeFileSync(join(world.work, 'a.txt'), 'not committed\n');
  mkdirSync(join(world.home, 'rein/agents'), { recursive: true });
  writeFileSync(join(world.home, 'rein/agents/w.md'), '---\ndescription: Writes\nisolation: worktree\n---\n');
  await world.rein(['-p', 'parent', '--permission-mode', 'acceptEdits', '--allowed-tools', 'bash']);
  for (const [index, name] of ['one', 'two'].entries()) {
    const result = parentResults(world)[index] ?? '';
    expect(result).toMatch(/-not committed\n\+by /);
    expect(result).toContain(`+by ${name}`);
    expect(result).toContain('+new');
  }
  expect(world.file('a.txt')).toBe('not committed\n');
  expect(world.file('stray.txt')).toBeUndefined();
  const deep = world.server.requests.findLast(({ asked }) => asked?.prompt === 'deep');
  expect(resultsOf(deep).join()).toContain('and this agent writes only there');
  expect(git('rev-parse', 'HEAD')).toBe(head);
  const patch = /git apply (\S+)\]/.exec(parentResults(world)[0] ?? '')?.[1] ?? '';
  git('apply', patch);
  expect(world.file('a.txt')).toBe('by one\n');
});

test('C16 the rule for cd is the same for a sub-agent', async () => {
  const child = (asked: Asked): Turn =>
    [
      { calls: [bash('mkdir -p sub && cd sub && export X=1')] },
      { calls: [bash('pwd; echo "[$X]"'), { name: 'write_file', input: { path: 'here.txt', content: 'x' } }] },
    ][asked.rounds.length] ?? { text: 'child done' };
  const world = await createWorld(crew([task('child')], child));
  await world.rein(['-p', 'parent', '--yolo']);
  const results = resultsOf(world.server.requests.findLast(({ asked }) => asked?.prompt === 'child'));
  expect(results[1]).toMatch(/\/sub\n\[\]/);
  expect(world.file('here.txt')).toBe('x');
});

test('a library that passes a function of its own has task only with a spawnAgent of its own', async () => {
  const world = await createWorld([{ text: 'unused' }]);
  const fetch: HarnessOptions['fetch'] = () => Promise.reject(new Error('no network'));
  const options = (more: Partial<HarnessOptions>): HarnessOptions => ({
    cwd: world.work,
    settings: { model: 'anthropic/claude-sonnet-5-5', ...more.settings },
    home: world.home,
    configFolder: join(world.home, 'rein'),
    stateFolder: join(world.home, 'rein'),
    variables: { ANTHROPIC_API_KEY: 'x' },
    offline: true,
    warn: () => {},
    program: ['rein'],
    client: ['rein'],
    fetch,
    ...more,
  });
  const open = async (more: Partial<HarnessOptions>) => createHarness(options(more)).open({ ephemeral: true });
  expect(toolsOf(await open({}))).not.toContain('task');
  expect(await open({ settings: { model: 'anthropic/claude-sonnet-5-5', tools: ['task'] } })).toMatch(
    /Pass spawnAgent/,
  );
  const spawnAgent: HarnessOptions['spawnAgent'] = async () => ({ text: 'mine', session: 's', turns: 1 });
  expect(toolsOf(await open({ spawnAgent }))).toContain('task');
});

const toolsOf = (session: Session | string): readonly string[] => (typeof session === 'string' ? [] : session.tools);

test('a message of the person’s reaches the sub-agent that they chose, also one further down', async () => {
  const child = (asked: Asked): Turn => {
    const heard = asked.messages.filter(({ role }) => role === 'user').map(({ text }) => text);
    if (heard.includes('turn back')) return { text: `${heard[0]} heard it` };
    if (asked.prompt.startsWith('nest') && asked.rounds.length === 0) return { calls: [task('leaf')] };
    if (asked.prompt.startsWith('nest')) return { text: `nest: ${asked.rounds[0]?.[0]?.text}` };
    return { calls: [bash('sleep 0.2')] };
  };
  const world = await createWorld(crew([task('near'), task('nest')], child));
  const session = await openSession(world);
  session.send('parent');
  const sessionOf = (prompt: string) =>
    world.logs().find((log) => JSON.stringify(messagesOf(log)[0])?.includes(prompt))?.header?.session ?? '';
  for (const prompt of ['near', 'leaf']) {
    await until(() => session.steer(sessionOf(prompt), 'turn back'), `${prompt} works`);
  }
  const ending = await session.settled();
  expect(ending).toMatchObject({ stop: 'done', text: 'parent done' });
  const [near, nest] = parentResults(world);
  expect(near).toMatch(/^near heard it/);
  expect(nest).toMatch(/^nest: leaf heard it/);
  expect(session.steer(sessionOf('near'), 'too late')).toBe(false);
  await session.close();
});

test('an install in a folder with blanks and other letters starts its sub-agents, too', async () => {
  const world = await createWorld(crew([task('child: say it')], () => ({ text: 'the child says so' })));
  const own = fileURLToPath(new URL('../..', import.meta.url));
  const place = mkdtempSync(join(tmpdir(), 'my tools für alle '));
  onTestFinished(() => rmSync(place, { recursive: true }));
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(own, name), join(place, name), { recursive: true });
  symlinkSync(join(own, 'node_modules'), join(place, 'node_modules'));
  const argv = [process.execPath, join(place, 'bin/rein.cjs'), '-p', 'parent'];
  const child = spawn(argv[0] ?? '', argv.slice(1), { cwd: world.work, env: world.variables, stdio: 'ignore' });
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(parentResults(world)).toEqual([expect.stringMatching(/^the child says so/)]);
});

test('plan, then approval: the same session goes on in the chosen mode with the plan as a message', async () => {
  const write = { name: 'write_file', input: { path: 'x.txt', content: 'x' } };
  const world = await createWorld((asked) => {
    const said = asked.messages.findLast(({ role }) => role === 'user')?.text ?? '';
    if (said.includes('This is the plan'))
      return asked.rounds.length === 0 ? { calls: [write] } : { text: 'carried out' };
    return asked.rounds.length === 0 ? { calls: [write] } : { text: '1. write x.txt' };
  });
  const session = await openSession(world, { settings: { permissionMode: 'plan' } });
  session.send('make x');
  const { text: plan } = await session.settled();
  expect(plan).toBe('1. write x.txt');
  expect(world.file('x.txt')).toBeUndefined();
  session.setMode('acceptEdits');
  session.send(approvedPlan({ settings: {} }, `${plan} and nothing else`));
  expect((await session.settled()).text).toBe('carried out');
  expect(world.file('x.txt')).toBe('x');
  const last = bodyOf(world.server.requests.at(-1));
  expect(last.match(/Plan mode is on/g)).toHaveLength(1);
  expect(last.match(/Plan mode is off/g)).toHaveLength(1);
  expect(last).toContain('and nothing else');
  // The text in front of it all is the same as before.
  expect(new Set(world.server.requests.map(({ asked }) => asked?.system)).size).toBe(1);
  await session.close();
});

test('choosing modes before anything is said leaves no file', async () => {
  const world = await createWorld([{ text: 'hello' }]);
  const session = await openSession(world);
  session.setMode('plan');
  expect(session.mode).toBe('plan');
  await session.close();
  expect(world.logs()).toEqual([]);
});
