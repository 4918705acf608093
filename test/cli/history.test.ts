/** What the model is shown stays a history that its provider accepts, whatever happened before. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Turn } from '../../src/testing/index.ts';
import { has } from '../support/has.ts';
import { openPty } from '../support/pty.ts';
import {
  alive,
  BIN,
  bash,
  bodyOf,
  createWorld,
  DIALECTS,
  lastResults,
  lastSaid,
  MODELS,
  messagesOf,
  onGo,
  resultsOf,
  runs,
  until,
  type World,
} from '../support/rein.ts';

const started = (world: World) => until(() => existsSync(join(world.work, 'started')), 'the command started');
const SLEEP = 'echo half > done.txt; echo begun; touch started; sleep 60';

test.each(DIALECTS)(
  'A01 A04 %s: an interrupted command is answered as stopped, and the session goes on',
  async (model) => {
    const world = await createWorld(onGo(runs(SLEEP)));
    const running = world.start(['-p', 'go', '--yolo', '-m', model]);
    await started(world);
    const ran = await running.kill('SIGINT');
    expect([ran.code, ran.stdout]).toEqual([130, '']);
    expect(alive(world)).toEqual([]);
    expect(world.file('done.txt')).toBe('half\n');
    expect(await world.rein(['-c', '-p', 'go on', '-m', model])).toMatchObject({ code: 0, stdout: 'done\n' });
    const [result = ''] = lastResults(world);
    expect(result).toMatch(/stopped.*after it had started/);
    expect(result).toContain('begun');
    expect(messagesOf(world.logs()[0]).find(({ role }) => role === 'result')).toMatchObject({
      failed: true,
      how: 'stopped',
    });
  },
);

test('A02 an abort in the middle of a streamed call keeps the text and drops the call', async () => {
  const turn: Turn = {
    text: 'Reading',
    calls: [{ name: 'bash', arguments: ['{"command":"touch r', 'an"}'] }],
    cut: { after: 6, how: 'hang' },
  };
  const world = await createWorld(onGo(turn));
  const running = world.start(['-p', 'go', '--yolo', '-o', 'stream-json', '--include-partial-messages']);
  await running.says('Reading');
  expect((await running.kill('SIGINT')).code).toBe(130);
  expect(await world.rein(['-c', '-p', 'hello'])).toMatchObject({ code: 0 });
  const said = world.server.requests[1]?.asked?.messages;
  expect(said?.find(({ role }) => role === 'assistant')).toMatchObject({ text: 'Reading', calls: [] });
  expect(world.file('ran')).toBeUndefined();
});

test('A03 killed while a tool runs, the session is continued: the lost call is answered, the log only grows', async () => {
  const calls = [bash('touch started; sleep 60'), { name: 'read_file', input: { path: 'a.txt' } }];
  const world = await createWorld(onGo({ calls }));
  writeFileSync(join(world.work, 'a.txt'), 'alpha\n');
  const running = world.start(['-p', 'go', '--yolo', '-m', MODELS.anthropic]);
  await started(world);
  await running.kill('SIGKILL');
  const before = world.logs()[0]?.text ?? '';
  for (const model of Object.values(MODELS)) {
    expect(await world.rein(['-c', '-p', `next for ${model}`, '-m', model])).toMatchObject({ code: 0, stderr: '' });
    expect(resultsOf(world.server.requests.at(-1))[0]).toMatch(/no result was recorded/);
  }
  expect(world.logs()[0]?.text.startsWith(before)).toBe(true);
  // The command of a program that was killed has nobody to end it: the test does.
  for (const line of alive(world)) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
});

test('A04 refused, stopped and lost are three different results', async () => {
  const world = await createWorld(onGo(runs(SLEEP)));
  await world.rein(['-p', 'go']);
  const [refused = ''] = lastResults(world);
  expect(refused).toMatch(/^ERROR: /);
  expect(refused).not.toMatch(/stopped|after it had started|no result was recorded/);
  expect(world.file('done.txt')).toBeUndefined();
});

test('A05 an interrupt keeps the results that were there', async () => {
  const calls = [{ name: 'read_file', input: { path: 'a.txt' } }, bash('touch started; sleep 60')];
  const world = await createWorld(onGo({ calls }));
  writeFileSync(join(world.work, 'a.txt'), 'alpha\n');
  const running = world.start(['-p', 'go', '--yolo']);
  await started(world);
  await until(() => world.logs()[0]?.text.includes('alpha') === true, 'the first result is in the log');
  await running.kill('SIGINT');
  await world.rein(['-c', '-p', '?']);
  const [first, second] = lastResults(world);
  expect(first).toContain('alpha');
  expect(second).toMatch(/stopped/);
});

test.skipIf(!has('tmux'))('A06 what is typed while tools run comes after their results', async () => {
  const world = await createWorld(
    onGo(runs('touch started; until [ -e go ]; do sleep 0.05; done; echo ok', 'echo two')),
  );
  const pty = openPty([process.execPath, BIN, '--yolo', 'go'], {
    cwd: world.work,
    env: { ...world.variables, TERM: 'xterm-256color' },
  });
  try {
    await started(world);
    pty.type('also check b');
    pty.keys('Enter');
    await pty.until('also check b');
    writeFileSync(join(world.work, 'go'), '');
    await until(() => world.server.requests.length === 2, 'the second request');
    const said = world.server.requests[1]?.asked?.messages.slice(-3) ?? [];
    expect(said.map(({ role }) => role)).toEqual(['result', 'result', 'user']);
    expect(lastResults(world)[0]).toContain('ok');
    expect(said[2]).toMatchObject({ text: 'also check b' });
    await pty.until('done');
    pty.keys('C-d');
    await pty.ended();
  } finally {
    pty.close();
  }
});

test.each(DIALECTS)('A11 A12 %s: blank text is not sent back, a silent command gets a word', async (model) => {
  const world = await createWorld(onGo({ text: ['\n\n'], ...runs('true') }, { text: [''], ...runs('true') }));
  expect(await world.rein(['-p', 'go', '--yolo', '-m', model])).toMatchObject({ code: 0, stdout: 'done\n' });
  for (const result of lastResults(world)) expect(result.trim()).not.toBe('');
});

test.each(DIALECTS)('A13 %s: a reply of thinking alone is asked for once more, then said', async (model) => {
  const world = await createWorld((asked) => (lastSaid(asked) === 'go' ? { thinking: 'hm' } : { text: 'done' }));
  const ran = await world.rein(['-p', 'go', '-m', model]);
  expect(ran).toMatchObject({ code: 75, stdout: '' });
  expect(ran.stderr).toMatch(/^rein: .*no answer.*\n$/);
  expect(world.server.requests).toHaveLength(2);
  expect(await world.rein(['-c', '-p', 'again', '-m', model])).toMatchObject({ code: 0, stdout: 'done\n' });
});

test('A14 an assistant message goes back to its own provider exactly as it came', async () => {
  const thinking = [{ text: '  step 1\n', signature: 'c2ln' }, { redacted: 'AAA=' }];
  const call = { name: 'bash', id: 'toolu_1', arguments: ['{ "command" :', ' "true"}'] };
  const world = await createWorld(onGo({ thinking, text: ' I look. ', calls: [call] }));
  await world.rein(['-p', 'go', '--yolo']);
  await world.rein(['-c', '-p', 'more']);
  const [, live, resumed] = world.server.requests.map(bodyOf);
  const blocks =
    '{"type":"thinking","thinking":"  step 1\\n","signature":"c2ln"},{"type":"redacted_thinking","data":"AAA="},' +
    '{"type":"text","text":" I look. "},{"type":"tool_use","id":"toolu_1","name":"bash","input":{"command":"true"}}';
  expect(live).toContain(blocks);
  expect(resumed).toContain(blocks);
});

test.each([MODELS.responses, MODELS.chat])('A14 %s: the raw argument text goes back as it came', async (model) => {
  const text = '{ "command" :  "true" }';
  const world = await createWorld(
    onGo({ thinking: 'hm', calls: [{ name: 'bash', arguments: [text.slice(0, 9), text.slice(9)] }] }),
  );
  await world.rein(['-p', 'go', '--yolo', '-m', model]);
  expect(bodyOf(world.server.requests[1])).toContain(JSON.stringify(text));
});

test('A15 thinking switched on in mid-session waits for the next prompt', async () => {
  const world = await createWorld(onGo(runs('touch started; sleep 60')));
  const running = world.start(['-p', 'go', '--yolo', '--effort', 'off']);
  await started(world);
  await running.kill('SIGINT');
  expect(await world.rein(['-c', '-p', 'on', '--effort', 'high'])).toMatchObject({ code: 0, stdout: 'done\n' });
});

test('A16 A17 A18 A19 repeated, empty and foreign ids keep call and result together, with every provider', async () => {
  const long = `call_x|fc_${'a'.repeat(430)}`;
  const call = (id: string, text: string) => ({ ...bash(`echo ${text}`), id });
  const world = await createWorld(
    onGo(
      { calls: [call('bash:0', 'one')] },
      { calls: [call('bash:0', 'two')] },
      { calls: [call('', 'three'), call('', 'four')] },
      { calls: [call(long, 'five'), call(`${long}b`, 'six'), call('A|1', 'seven'), call('A|2', 'eight')] },
    ),
  );
  const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
  const first = (results: readonly string[]) => results.map((text) => text.split('\n')[0]);
  await world.rein(['-p', 'go', '--yolo', '-m', MODELS.chat]);
  expect(first(lastResults(world))).toEqual(words);
  for (const model of Object.values(MODELS)) {
    await world.rein(['-c', '-p', 'next', '-m', model]);
    const asked = world.server.requests.at(-1)?.asked;
    const calls = asked?.messages.flatMap((said) => (said.role === 'assistant' ? said.calls : [])) ?? [];
    const results = asked?.messages.flatMap((said) => (said.role === 'result' ? [said] : [])) ?? [];
    expect(new Set(calls.map(({ id }) => id)).size).toBe(8);
    expect(calls.map(({ id }) => results.find((one) => one.call === id)?.text.split('\n')[0])).toEqual(words);
  }
});

test.each(DIALECTS)('A20 A21 %s: half characters and NULs never leave, not even from an old log', async (model) => {
  const world = await createWorld(
    onGo(runs("printf 'a\\000b\\033[31mred\\001'"), {
      calls: [
        { name: 'bash', arguments: '{"command":"echo \\ud83d"}' },
        { name: 'read_file', input: { path: 'a.txt' } },
      ],
    }),
  );
  writeFileSync(join(world.work, 'a.txt'), 'x'.repeat(29_999) + '😀'.repeat(5000));
  const argv = ['--yolo', '-m', model];
  expect(await world.rein(['-p', 'go', ...argv])).toMatchObject({ code: 0, stdout: 'done\n' });
  // An old log that holds both.
  const { path = '', entries = [] } = world.logs()[0] ?? {};
  const parent = entries.at(-1)?.id;
  const message = { role: 'user', content: [{ type: 'text', text: 'half \ud83d and NUL \0' }] };
  appendFileSync(path, `${JSON.stringify({ id: 'old1', parent, time: 1, type: 'message', message })}\n`);
  expect(await world.rein(['-c', '-p', 'next', ...argv])).toMatchObject({ code: 0 });
  for (const body of world.server.requests.map(bodyOf)) expect(body).not.toMatch(/\\u0000|\\ud83d(?!\\ude)/i);
});

test('A22 arguments that do not parse are answered with the complaint, and go back as JSON', async () => {
  for (const model of DIALECTS) {
    const world = await createWorld(onGo({ calls: [{ name: 'bash', arguments: '{"command": "touch ran"' }] }));
    expect(await world.rein(['-p', 'go', '--yolo', '-m', model])).toMatchObject({ code: 0, stdout: 'done\n' });
    expect(lastResults(world)[0]).toMatch(/^ERROR: .*nothing was run/);
    expect(world.file('ran')).toBeUndefined();
  }
});

test.each(DIALECTS)('A29 %s: a tool that is not there is answered with those that are', async (model) => {
  const calls = [
    { name: 'Read_File', input: { path: 'a.txt' } },
    { name: 'functions.bash', input: { command: 'touch ran' } },
    { name: '', input: {} },
  ];
  const world = await createWorld(onGo({ calls }));
  expect(await world.rein(['-p', 'go', '--yolo', '-m', model])).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(lastResults(world)).toHaveLength(3);
  for (const text of lastResults(world)) expect(text).toMatch(/^ERROR: there is no tool .*bash, read_file/);
  expect(world.file('ran')).toBeUndefined();
});

test('F01 a torn last line is reported, kept apart, and the log goes on', async () => {
  const world = await createWorld((asked) => ({ text: `answer to ${asked.prompt}` }), { damaged: true });
  await world.rein(['-p', 'one']);
  appendFileSync(world.logs()[0]?.path ?? '', '{"id":"x","type":"mess');
  const second = await world.rein(['-c', '-p', 'two']);
  expect(second.stderr).toMatch(/cut off/);
  await world.rein(['-c', '-p', 'three']);
  const said = world.server.requests.at(-1)?.asked?.messages.map(({ text }) => text);
  expect(said).toEqual(['one', 'answer to one', 'two', 'answer to two', 'three']);
  expect(readFileSync(world.logs()[0]?.path ?? '', 'utf8')).toContain('"mess\n{');
});

test('F03 line separators inside a prompt stay what they are', async () => {
  const prompt = 'a\u2028b\u2029c\u0085d\re';
  const world = await createWorld(() => ({ text: 'done' }));
  await world.rein(['-p', prompt]);
  await world.rein(['-c', '-p', 'more']);
  expect(world.server.requests[1]?.asked?.messages[0]).toEqual({ role: 'user', text: prompt });
});
