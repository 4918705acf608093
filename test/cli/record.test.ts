/** The log is the truth: what is in it was done, what was done is in it, and it is enough to go on from. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  alive,
  bodyOf,
  createWorld,
  DIALECTS,
  filesBelow,
  KEY,
  lastResults,
  lastSaid,
  linesOf,
  messagesOf,
  onGo,
  runs,
  until,
  type World,
} from '../support/rein.ts';

const said = (world: World, index: number): string =>
  JSON.stringify(JSON.parse(bodyOf(world.server.requests[index])), (key, value) =>
    key === 'cache_control' ? undefined : value,
  );

test.each(DIALECTS)('the same log gives the same request bytes: %s', async (model) => {
  const world = await createWorld(onGo({ thinking: 'hm', text: 'I look.', ...runs('echo out') }));
  writeFileSync(join(world.work, 'AGENTS.md'), 'Use tabs.');
  const argv = ['--yolo', '-m', model];
  await world.rein(['-p', 'go', ...argv]);
  // What would be sent now is of no matter: the session goes on as it began.
  writeFileSync(join(world.work, 'AGENTS.md'), 'Use blanks.');
  await world.rein(['-c', '-p', 'next', ...argv]);
  await world.rein(['-c', '-p', 'last', ...argv]);
  const [, second, third, fourth] = [0, 1, 2, 3].map((index) => said(world, index));
  const begins = (longer = '', shorter = '') => {
    const [a, b] = [JSON.parse(longer), JSON.parse(shorter)];
    const list = 'input' in a ? 'input' : 'messages';
    expect(a[list].slice(0, b[list].length)).toEqual(b[list]);
    expect(JSON.stringify(a[list]).startsWith(JSON.stringify(b[list]).slice(0, -1))).toBe(true);
    expect(JSON.stringify({ ...a, [list]: [] })).toBe(JSON.stringify({ ...b, [list]: [] }));
  };
  begins(third, second);
  begins(fourth, third);
  expect(fourth).toContain('Use tabs.');
  expect(fourth).not.toContain('Use blanks.');
});

test('a call is on disk before it runs · a result is on disk before the model sees it', async () => {
  const onDisk: boolean[] = [];
  const seen: { world?: World } = {};
  const world = await createWorld((asked) => {
    const log = seen.world?.logs()[0]?.text ?? '';
    for (const message of asked.messages)
      if (message.text !== '') onDisk.push(log.includes(JSON.stringify(message.text).slice(1, -1)));
    return onGo(runs('cp "$REIN_SESSION_FILE" then.jsonl; echo copied'), runs('echo two'))(asked);
  });
  seen.world = world;
  await world.rein(['-p', 'go', '--yolo']);
  expect(world.file('then.jsonl')).toContain('then.jsonl; echo copied');
  expect(onDisk.length).toBeGreaterThan(4);
  expect(onDisk).not.toContain(false);
});

test('killed at any entry and continued: nothing that ran is missing, and the history is valid', async () => {
  const script = onGo(
    { text: 'one', ...runs('echo a >> ran', 'echo b >> ran') },
    { text: 'two', ...runs('echo c >> ran') },
    { text: 'three', ...runs('echo d >> ran') },
  );
  const whole = await createWorld(script);
  await whole.rein(['-p', 'go', '--yolo']);
  const lines = whole.logs()[0]?.text.trimEnd().split('\n').length ?? 0;
  expect(lines).toBeGreaterThan(9);
  // Two at a time: the machine may be small.
  for (let first = 2; first < lines; first += 2) {
    await Promise.all([first, first + 1].map((count) => killAt(count, script)));
  }
});

async function killAt(count: number, script: ReturnType<typeof onGo>): Promise<void> {
  const world = await createWorld(script, { pause: 3 });
  const running = world.start(['-p', 'go', '--yolo']);
  await until(
    () => (world.logs()[0]?.text.split('\n').length ?? 0) > count || running.child.exitCode !== null,
    `${count} lines`,
  );
  await running.kill('SIGKILL');
  await until(() => alive(world).length === 0, 'its commands have ended');
  const before = world.logs()[0]?.text ?? '';
  expect(await world.rein(['-c', '-p', 'what happened?'])).toMatchObject({ code: 0, stdout: 'done\n' });
  const after = world.logs()[0]?.text ?? '';
  expect(after.startsWith(before)).toBe(true);
  // Each command that left a trace in the workspace is a call that the model sees, with one result.
  const messages = world.server.requests.at(-1)?.asked?.messages ?? [];
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
  const results = messages.flatMap((message) => (message.role === 'result' ? [message.call] : []));
  expect(results).toEqual(calls.map(({ id }) => id));
  for (const letter of world.file('ran')?.trim().split('\n') ?? [])
    expect(JSON.stringify(calls)).toContain(`echo ${letter} >>`);
}

test('F05 a session that is open elsewhere is refused, and the lock of a dead process is taken over', async () => {
  const world = await createWorld(onGo(runs('touch started; until [ -e go ]; do sleep 0.05; done')));
  const first = world.start(['-p', 'go', '--yolo']);
  await until(() => world.file('started') !== undefined, 'it started');
  const second = await world.rein(['-c', '-p', 'me too']);
  expect(second).toMatchObject({ code: 2, stdout: '' });
  expect(second.stderr).toMatch(/open in another process.*--fork/);
  const fork = await world.rein(['-c', '--fork', '-p', 'me too']);
  expect(fork).toMatchObject({ code: 0, stdout: 'done\n' });
  await first.kill('SIGKILL');
  writeFileSync(join(world.work, 'go'), '');
  const id = world.logs()[0]?.header?.session ?? '';
  expect(await world.rein(['-r', id, '-p', 'go on'])).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(messagesOf(world.logs()[0]).filter(({ role }) => role === 'user')).toHaveLength(2);
  expect(messagesOf(world.logs()[1]).filter(({ role }) => role === 'user')).toHaveLength(2);
});

test('F05 several that resume one session at once never write into each other', async () => {
  const world = await createWorld((asked) => ({ text: `to ${lastSaid(asked)}`, delay: 200 }));
  await world.rein(['-p', 'first']);
  const id = world.logs()[0]?.header?.session ?? '';
  const prompts = ['a', 'b', 'c', 'd', 'e'];
  const ran = await Promise.all(prompts.map((prompt) => world.rein(['-r', id, '-p', prompt])));
  const taken = prompts.filter((_, index) => ran[index]?.code === 0);
  expect(taken.length).toBeGreaterThan(0);
  for (const { code, stderr } of ran)
    if (code !== 0) expect([code, stderr]).toEqual([2, expect.stringMatching(/--fork/)]);
  const [log] = world.logs();
  const said = messagesOf(log).map(({ content }) =>
    content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  );
  expect(said).toHaveLength(2 + 2 * taken.length);
  for (const prompt of taken) expect(said[said.indexOf(prompt) + 1]).toBe(`to ${prompt}`);
});

test('--fork goes on in a copy; the first session stays as it was', async () => {
  const world = await createWorld((asked) => ({ text: `to ${lastSaid(asked)}` }));
  await world.rein(['-p', 'one']);
  const before = world.logs()[0]?.text;
  await world.rein(['-c', '--fork', '-p', 'two']);
  const [first, copy] = world.logs();
  expect(first?.text).toBe(before);
  expect(copy?.header?.forkedFrom?.session).toBe(first?.header?.session);
  expect(world.server.requests[1]?.asked?.messages.map(({ text }) => text)).toEqual(['one', 'to one', 'two']);
});

test('--no-session leaves no file of the session', async () => {
  const world = await createWorld(onGo(runs('seq 1 100000')));
  await world.rein(['-p', 'go', '--yolo', '--no-session']);
  expect(world.logs()).toEqual([]);
  expect(await world.rein(['-c', '-p', 'more'])).toMatchObject({ code: 2 });
});

test('-r finds a session by its id, its first letters and its path', async () => {
  const world = await createWorld((asked) => ({ text: `to ${lastSaid(asked)}` }));
  await world.rein(['-p', 'one']);
  const { path = '', header } = world.logs()[0] ?? {};
  for (const query of [header?.session ?? '', header?.session.slice(0, -2) ?? '', path]) {
    expect(await world.rein(['-r', query, '-p', 'two'])).toMatchObject({ code: 0, stdout: 'to two\n' });
  }
  expect(world.logs()).toHaveLength(1);
});

test('F22 a session resumed elsewhere: the model is told where it works, and it is so', async () => {
  const world = await createWorld(onGo(runs('pwd')));
  await world.rein(['-p', 'go', '--yolo']);
  const id = world.logs()[0]?.header?.session ?? '';
  const other = join(world.home, 'other');
  mkdirSync(other);
  const ran = await world.rein(['-r', id, '-p', 'go', '--yolo', '-o', 'stream-json'], { cwd: other });
  const announced = String(linesOf(ran.stdout)[0]?.['cwd']);
  expect(lastResults(world).at(-1)?.split('\n')[0]).toBe(announced);
  const { system = '', messages = [] } = world.server.requests[2]?.asked ?? {};
  expect([system, ...messages.filter(({ role }) => role === 'user').map(({ text }) => text)].join('\n')).toContain(
    announced,
  );
  renameSync(world.work, `${world.work}-gone`);
  const gone = await world.rein(['-r', id, '-p', 'go', '--yolo'], { cwd: other });
  expect(gone.stderr).toContain(world.work);
});

test('F23 every session that holds a prompt is listed, however it ended', async () => {
  const world = await createWorld((asked) =>
    lastSaid(asked) === 'good' ? { text: 'done' } : { text: 'a', cut: { after: 3, how: 'hang' } },
  );
  await world.rein(['-p', 'good']);
  for (const [prompt, signal] of [
    ['killed', 'SIGKILL'],
    ['stopped', 'SIGINT'],
  ] as const) {
    const asked = world.server.requests.length;
    const running = world.start(['-p', prompt]);
    await until(() => world.server.requests.length > asked, 'a request');
    await running.kill(signal);
  }
  const listed = (await world.rein(['sessions', 'list'])).stdout;
  for (const title of ['good', 'killed', 'stopped']) expect(listed).toContain(title);
  const id = world.logs()[0]?.header?.session ?? '';
  expect((await world.rein(['sessions', 'show', id])).stdout).toMatch(/good[\s\S]*done/);
});

test('F25 entries count in the order of the file, whatever their times say', async () => {
  const world = await createWorld((asked) => ({ text: `to ${lastSaid(asked)}` }), { damaged: true });
  await world.rein(['-p', 'one']);
  await world.rein(['-c', '-p', 'two']);
  const { path = '', text = '' } = world.logs()[0] ?? {};
  const lines = text.split('\n').map((line, index) => line.replace(/"time":\d+/, `"time":${2e12 - index * 3.6e6}`));
  writeFileSync(path, lines.join('\n'));
  const ran = await world.rein(['-c', '-p', 'three', '-o', 'json']);
  expect(world.server.requests.at(-1)?.asked?.messages.map(({ text }) => text)).toEqual([
    'one',
    'to one',
    'two',
    'to two',
    'three',
  ]);
  expect(Number(linesOf(ran.stdout)[0]?.['duration_ms'])).toBeGreaterThanOrEqual(0);
});

test('E31 E32 files are the user’s alone under any umask, and no key is in them', async () => {
  const world = await createWorld((asked) =>
    lastSaid(asked) === 'leak'
      ? { status: 401, message: `bad key ${KEY}` }
      : onGo(runs('seq 1 300000', 'rein --version'))(asked),
  );
  writeFileSync(join(world.home, 'umask.cjs'), 'process.umask(0);');
  const node = ['--require', join(world.home, 'umask.cjs')];
  const leak = await world.rein(['-p', 'leak', '--debug'], { node });
  expect(leak.code).toBe(5);
  expect(leak.stdout + leak.stderr).not.toContain('CANARY123');
  expect(await world.rein(['-p', 'go', '--yolo'], { node })).toMatchObject({ code: 0 });
  const state = join(world.home, 'rein');
  const files = filesBelow(state);
  expect(files.length).toBeGreaterThan(1);
  const open = execFileSync('find', [state, '-perm', '/077', '!', '-type', 'l'], { encoding: 'utf8' });
  expect(open).toBe('');
});
