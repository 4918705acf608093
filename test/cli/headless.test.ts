/** `-p`: what a script that calls rein may rely on. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Asked, Turn } from '../../src/testing/index.ts';
import { has } from '../support/has.ts';
import { openPty } from '../support/pty.ts';
import {
  alive,
  BIN,
  createWorld,
  lastResults,
  lastSaid,
  linesOf,
  messagesOf,
  onGo,
  resultLine,
  runs,
  until,
} from '../support/rein.ts';

type Way = {
  readonly turn: (asked: Asked) => Turn;
  readonly argv?: readonly string[];
  readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP';
  readonly code: number;
  readonly subtype: string;
};

const again = (): Turn => ({ calls: [{ name: 'list_files', input: {} }] });
const hang = (): Turn => ({ fail: 'hang' });
const costly = (): Turn => ({ ...again(), usage: { input: 1_000_000, output: 1000 } });
const status = (code: number, headers = {}) => ({ turn: (): Turn => ({ status: code, headers, message: 'said so' }) });
const page = (): Turn => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>hotel</html>' });

const WAYS: Readonly<Record<string, Way>> = {
  'a good end': { turn: () => ({ text: 'good' }), code: 0, subtype: 'success' },
  'a refusal along the way': { turn: onGo(runs('true')), code: 0, subtype: 'success' },
  'the cap on requests': { turn: again, argv: ['--max-turns', '2'], code: 3, subtype: 'error_max_turns' },
  'the cap on time': { turn: hang, argv: ['--max-time', '1'], code: 3, subtype: 'error_max_time' },
  'the cap on money': { turn: costly, argv: ['--max-cost', '0.01'], code: 3, subtype: 'error_max_budget_usd' },
  'a wrong key': { ...status(401), code: 5, subtype: 'error_provider' },
  'a bad request': { ...status(400), code: 5, subtype: 'error_provider' },
  'an unknown model': { ...status(404), code: 5, subtype: 'error_provider' },
  'a used-up quota': { ...status(429, { 'retry-after': '86400' }), code: 75, subtype: 'error_unavailable' },
  'a page for an answer': { turn: page, code: 5, subtype: 'error_provider' },
  'an empty reply': { turn: () => ({}), code: 75, subtype: 'error_unavailable' },
  'a reply cut by length': {
    turn: () => ({ text: 'half', stop: 'length' }),
    code: 1,
    subtype: 'error_during_execution',
  },
  'a model that refuses': { turn: () => ({ text: 'no', stop: 'refused' }), code: 1, subtype: 'error_during_execution' },
  SIGINT: { turn: hang, signal: 'SIGINT', code: 130, subtype: 'interrupted' },
  SIGTERM: { turn: hang, signal: 'SIGTERM', code: 143, subtype: 'interrupted' },
  SIGHUP: { turn: hang, signal: 'SIGHUP', code: 129, subtype: 'interrupted' },
};

test.each(Object.entries(WAYS))('F16 after %s the exit code, the result line and stderr agree', async (_, way) => {
  const world = await createWorld(way.turn);
  const formats = ['text', 'json', 'stream-json'];
  const started = formats.map((format) => world.start(['-p', 'go', '-o', format, ...(way.argv ?? [])]));
  if (way.signal) {
    await until(() => world.server.requests.length === 3, 'three requests');
    for (const { child } of started) child.kill(way.signal);
  }
  const [text, json, stream] = await Promise.all(started.map(({ ended }) => ended));
  expect([text?.code, json?.code, stream?.code]).toEqual([way.code, way.code, way.code]);
  const lines = linesOf(stream?.stdout ?? '');
  expect(lines[0]).toMatchObject({ type: 'system', subtype: 'init' });
  expect(lines.filter(({ type }) => type === 'result')).toEqual([lines.at(-1)]);
  const good = way.code === 0;
  for (const line of [lines.at(-1), ...linesOf(json?.stdout ?? '')]) {
    expect(line).toMatchObject({ type: 'result', subtype: way.subtype, is_error: !good });
  }
  expect(linesOf(json?.stdout ?? '')).toHaveLength(1);
  expect(text?.stderr).toMatch(good ? /^$/ : /^rein: [^\n]+\n$/);
});

test('the lines of stream-json are what wrappers read', async () => {
  const world = await createWorld(onGo({ text: 'I look.', ...runs('echo out') }));
  const ran = await world.rein(['-p', 'go', '--yolo', '--json', '--include-partial-messages']);
  const lines = linesOf(ran.stdout);
  const session = world.logs()[0]?.header?.session;
  expect(lines[0]).toMatchObject({ session_id: session, cwd: world.work, permissionMode: 'bypass', mcp_servers: [] });
  expect(lines[0]?.['tools']).toContain('bash');
  const messages = lines.filter(({ type }) => type === 'assistant' || type === 'user');
  expect(messages.map(({ type }) => type)).toEqual(['assistant', 'user', 'assistant']);
  for (const line of messages) expect(line).toMatchObject({ session_id: session, parent_tool_use_id: null });
  expect(JSON.stringify(messages[1])).toMatch(/"tool_result".*out/);
  expect(lines.some(({ type }) => type === 'stream_event')).toBe(true);
  expect(lines.at(-1)).toMatchObject({
    subtype: 'success',
    result: 'done',
    num_turns: 2,
    permission_denials: [],
    session_id: session,
  });
  expect(Number(lines.at(-1)?.['total_cost_usd'])).toBeGreaterThan(0);
  const plain = await world.rein(['-p', 'go', '--yolo', '--json']);
  expect(linesOf(plain.stdout).some(({ type }) => type === 'stream_event')).toBe(false);
});

test('F33 what nobody can approve is refused at once, with the way to allow it', async () => {
  const calls = [{ name: 'write_file', input: { path: 'x.txt', content: 'x' } }];
  const world = await createWorld(onGo({ calls }));
  const ran = await world.rein(['-p', 'go', '-o', 'json']);
  expect(ran.code).toBe(0);
  expect(lastResults(world)[0]).toMatch(/^ERROR: .*--allowed-tools/s);
  expect(resultLine(ran.stdout)).toMatchObject({ permission_denials: [{ tool_name: 'write_file' }] });
  const text = await world.rein(['-p', 'go']);
  expect(text.stderr).toMatch(/^rein: write_file: Not allowed: .*--allowed-tools 'write_file\(x\.txt\)'.*\n$/);
  expect(world.file('x.txt')).toBeUndefined();
  expect(await world.rein(['-p', 'go', '--allowed-tools', 'write_file'])).toMatchObject({ code: 0 });
  expect(world.file('x.txt')).toBe('x');
  const denied = await world.rein(['-p', 'go', '--yolo', '--disallowed-tools', 'write_file', '-o', 'json']);
  expect(resultLine(denied.stdout)).toMatchObject({ permission_denials: [{ tool_name: 'write_file' }] });
});

test('a deny rule that no tool answers to is pointed out', async () => {
  const world = await createWorld([{ text: 'done' }, { text: 'done' }]);
  const odd = await world.rein(['-p', 'go', '--disallowed-tools', 'bashh,bash(rm *)']);
  expect(odd).toMatchObject({ code: 0, stderr: 'rein: the deny rule "bashh" holds nothing: no tool has that name.\n' });
  expect(await world.rein(['-p', 'go', '--disallowed-tools', 'bash(rm *),task,*'])).toMatchObject({ stderr: '' });
});

test('F12 a reader that leaves stops the work quietly', async () => {
  const world = await createWorld(again);
  const running = world.start(['-p', 'go', '-o', 'stream-json']);
  await running.says('"init"');
  running.child.stdout?.destroy();
  const ran = await running.ended;
  expect(ran.stderr).toBe('');
  expect(world.server.requests.length).toBeLessThan(200);
  expect(await world.rein(['-c', '-p', 'more', '--max-turns', '1'])).toMatchObject({ code: 3 });
});

test('output that the disk does not take is no success', async () => {
  const world = await createWorld(() => ({ text: 'done' }));
  for (const format of ['text', 'json', 'stream-json']) {
    const ran = await world.shell(`rein -p go -o ${format} > /dev/full; echo code $? >&2`);
    expect(ran.stderr).toMatch(/^rein: [^\n]*ENOSPC[^\n]*\ncode 1\n$/);
  }
});

test('F14 a silent stdin holds nothing up, and piped text joins the prompt', async () => {
  const world = await createWorld(() => ({ text: 'done' }));
  const [open, closed, piped] = await Promise.all([
    world.rein(['-p', 'hi'], { stdin: 'open' }),
    world.shell('rein -p hi <&-'),
    world.rein(['-p', 'explain'], { stdin: 'piped text\n' }),
  ]);
  expect(open).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(open?.stderr).toMatch(/stdin/);
  expect(closed?.stdout).toBe('done\n');
  expect(piped).toMatchObject({ code: 0, stderr: '' });
  const prompts = world.server.requests.map(({ asked }) => asked?.prompt ?? '');
  expect(prompts.find((prompt) => prompt.includes('piped text'))).toMatch(/explain/);
  expect(await world.rein(['-p', '-'], { stdin: 'alone' })).toMatchObject({ code: 0 });
  expect(world.server.requests.at(-1)?.asked?.prompt).toBe('alone');
});

test('F15 without a terminal the interactive mode is plain or says so, and never breaks', async () => {
  const world = await createWorld(() => ({ text: 'done' }));
  const all = await Promise.all([
    world.rein([]),
    world.rein(['hello']),
    world.rein([], { stdin: 'hello\n' }),
    world.rein(['hello'], { variables: { TERM: undefined } }),
    world.rein(['hello'], { variables: { HOME: undefined } }),
  ]);
  for (const { code, stdout, stderr } of all) {
    expect([0, 2]).toContain(code);
    expect(stdout + stderr).not.toMatch(/\n\s+at |\u001b/);
  }
  expect(all[2]?.stdout).toContain('done');
});

test('what comes through a pipe is one text for the model: no line of it is a command', async () => {
  const world = await createWorld(onGo(runs('touch pwned')));
  const input = 'log line\n/mode bypass\n/permissions bypass\ngo\n';
  for (const argv of [['review this'], [], ['-'], ['--plain']]) {
    const { code, stdout } = await world.rein(argv, { stdin: input });
    expect([argv, code, stdout]).toEqual([argv, 0, expect.stringContaining('done')]);
  }
  expect(world.file('pwned')).toBeUndefined();
  const prompts = world.server.requests.map(({ asked }) => (asked ? lastSaid(asked) : ''));
  expect(prompts[0]).toContain(`review this\n\n${input.trim()}`);
  expect(prompts.slice(1, 3)).toEqual([input.trim(), input.trim()]);
  // In line mode each line is a prompt, still none a command.
  expect(prompts.slice(3)).toContain('/mode bypass');
  expect(JSON.stringify(world.logs())).not.toContain('"mode":"bypass"');
});

test('F17 a megabyte reaches a slow reader whole', async () => {
  const text = 'word '.repeat(200_000);
  const world = await createWorld(() => ({ text: [text] }));
  const ran = await world.shell('rein -p go -o stream-json | { sleep 0.5; cat; }');
  expect(String(resultLine(ran.stdout)['result']).trim()).toBe(text.trim());
  const plain = await world.shell('rein -p go | { sleep 0.5; cat; }');
  expect(plain.stdout.trim()).toBe(text.trim());
});

test('F24 SIGTERM keeps text, call and a stopped result; a second one ends at once', async () => {
  const world = await createWorld(onGo({ text: 'I wait.', ...runs("trap '' TERM; touch started; sleep 60") }));
  const once = world.start(['-p', 'go', '--yolo']);
  await until(() => world.file('started') !== undefined, 'it started');
  expect((await once.kill('SIGTERM')).code).toBe(143);
  const [, reply, result] = messagesOf(world.logs()[0]);
  expect(JSON.stringify(reply)).toMatch(/I wait\..*"call"/);
  expect(JSON.stringify(result)).toMatch(/stopped/);
  expect(await world.rein(['-c', '-p', 'on'])).toMatchObject({ code: 0, stdout: 'done\n' });

  const other = await createWorld(onGo(runs("trap '' TERM INT; touch started; sleep 60")));
  const twice = other.start(['-p', 'go', '--yolo']);
  await until(() => other.file('started') !== undefined, 'it started');
  twice.child.kill('SIGTERM');
  const began = Date.now();
  const ended = until(() => twice.child.exitCode !== null || twice.child.kill('SIGTERM') === false, 'it ended', 5000);
  await Promise.all([ended, twice.ended]);
  expect(twice.child.exitCode).toBe(143);
  expect(Date.now() - began).toBeLessThan(3000);
});

test('F26 no escape reaches a pipe, whatever the variables say', async () => {
  const world = await createWorld(
    onGo({ text: 'red: \u001b[31mred\u001b[0m', ...runs("printf '\\033[31mred\\033[0m'") }),
  );
  const variables = [{ NO_COLOR: '1' }, { FORCE_COLOR: '1' }, { TERM: 'xterm-256color' }];
  const runsOf = variables.flatMap((set) =>
    ['text', 'stream-json'].map((format) => world.rein(['-p', 'go', '--yolo', '-o', format], { variables: set })),
  );
  for (const { stdout, stderr } of await Promise.all(runsOf)) expect(stdout + stderr).not.toContain('\u001b');
});

test.skipIf(!has('tmux'))(
  'F13 a terminal that vanishes ends the program, idle or busy, and the session is saved',
  async () => {
    const world = await createWorld((asked) =>
      asked.prompt === 'stream' ? { text: 'word', cut: { after: 4, how: 'hang' } } : { text: 'done' },
    );
    const open = (...words: string[]) =>
      openPty([process.execPath, BIN, ...words], {
        cwd: world.work,
        env: { ...world.variables, TERM: 'xterm-256color' },
      });
    const idle = open('hello');
    const busy = open('stream');
    try {
      await idle.until('done');
      await busy.until('word');
    } finally {
      idle.close();
      busy.close();
    }
    await until(
      () => alive(world).length === 0,
      () => `still alive: ${alive(world)}`,
      5000,
    );
    expect(world.logs().map(({ text }) => /done|word/.test(text))).toEqual([true, true]);
  },
);

test('--json-schema: the answer is checked by rein, and the model is told what is wrong', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const answer = (input: object): Turn => ({ calls: [{ name: 'final_answer', arguments: JSON.stringify(input) }] });
  const world = await createWorld(onGo(answer({ n: 'four' }), answer({ n: 4 })));
  writeFileSync(join(world.work, 'schema.json'), JSON.stringify(schema));
  for (const given of ['schema.json', JSON.stringify(schema)]) {
    const ran = await world.rein(['-p', 'go', '-o', 'json', '--json-schema', given]);
    expect(ran.code).toBe(0);
    expect(resultLine(ran.stdout)).toMatchObject({ subtype: 'success', structured_output: { n: 4 } });
    expect(lastResults(world)[0]).toMatch(/^ERROR: .*schema/);
  }
});

test('--json-schema: a text is no answer; the model is asked again, and in the end it fails', async () => {
  const schema = JSON.stringify({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] });
  const answer: Turn = { calls: [{ name: 'final_answer', arguments: '{"n":4}' }] };
  const late = await createWorld((asked) => (lastSaid(asked) === 'go' ? { text: 'It is four.' } : answer));
  const ran = await late.rein(['-p', 'go', '-o', 'json', '--json-schema', schema]);
  expect(resultLine(ran.stdout)).toMatchObject({ subtype: 'success', structured_output: { n: 4 } });
  expect(late.server.requests).toHaveLength(2);
  const never = await createWorld(() => ({ text: '{"n":"four"}' }));
  const failed = await never.rein(['-p', 'go', '-o', 'json', '--json-schema', schema]);
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('no final answer that fits the schema') });
  expect(resultLine(failed.stdout)).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  expect(never.server.requests).toHaveLength(3);
});

test('C30 the setting limits bounds what a command may take, and the program goes on', async () => {
  const world = await createWorld(onGo(runs('yes > big; echo ended')));
  const settings = JSON.stringify({ limits: { file: 1_000_000 } });
  expect(await world.rein(['-p', 'go', '--yolo', '--settings', settings])).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(lastResults(world).join()).toContain('ended');
  expect(world.file('big')?.length).toBeLessThanOrEqual(1_001_024);
  const wrong = await world.rein(['-p', 'go', '--set', 'limits.file=0']);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('limits.file') });
});
