/** The wire, seen from the outside: what is on disk and on stdout after streams of every kind. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Asked, type DialectName, type Reply, renderReply, type Turn } from '../../src/testing/index.ts';
import {
  bash,
  bodyOf,
  createWorld,
  DIALECTS,
  lastResults,
  lastSaid,
  linesOf,
  MODELS,
  messagesOf,
  onGo,
  runs,
} from '../support/rein.ts';

const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });
const YOLO = ['-p', 'go', '--yolo', '-m'];

/** These turns one after the other, whatever is asked. */
const inOrder =
  (...turns: readonly Turn[]) =>
  (_: Asked, index: number): Turn =>
    turns[index] ?? { text: 'done' };

test.each(DIALECTS)('B01 %s: characters cut at every byte arrive whole', async (model) => {
  const world = await createWorld(onGo({ text: '日本😀', calls: [write('a.txt', '日本😀')] }), {
    chunking: { every: 1 },
  });
  expect(await world.rein([...YOLO, model])).toMatchObject({ code: 0, stdout: '日本😀\ndone\n' });
  expect(world.file('a.txt')).toBe('日本😀');
});

const NAMES: Readonly<Record<string, DialectName>> = {
  [MODELS.anthropic]: 'anthropic',
  [MODELS.chat]: 'openai-chat',
  [MODELS.responses]: 'openai-responses',
};

test.each(DIALECTS)(
  'B02 B03 %s: line ends, marks, comments, pings and unknown events change nothing',
  async (model) => {
    const plain = renderReply(NAMES[model] ?? 'anthropic', { text: ['one ', 'two'] });
    const noise = ': keep-alive\n\nevent: ping\ndata: {"type":"ping"}\n\nid: 7\nretry: 1000\n\n';
    const forms: Readonly<Record<string, Turn>> = {
      crlf: { raw: [plain.replaceAll('\n', '\r\n')] },
      split: { raw: [...plain.replaceAll('\n', '\r\n').split(/(?<=\r)/)] },
      cr: { raw: [plain.replaceAll('\n', '\r')] },
      mark: { raw: [`\uFEFF${plain.replaceAll('data: ', 'data:')}`] },
      noise: { raw: [plain.replaceAll('\n\n', `\n\n${noise}`)] },
    };
    const world = await createWorld((asked) => forms[lastSaid(asked)] ?? { text: '' });
    const ran = await Promise.all(Object.keys(forms).map((form) => world.rein(['-p', form, '-m', model])));
    for (const one of ran) expect(one).toEqual({ code: 0, stdout: 'one two\n', stderr: '' });
    expect(world.server.requests).toHaveLength(5);
  },
);

test('B04 an interrupt ends a stalled stream at once and keeps what was said', async () => {
  const world = await createWorld(onGo({ text: 'a first word', cut: { after: 4, how: 'hang' } }));
  const running = world.start(['-p', 'go', '-o', 'stream-json', '--include-partial-messages']);
  await running.says('text_delta');
  const began = Date.now();
  const ran = await running.kill('SIGINT');
  expect(ran.code).toBe(130);
  expect(Date.now() - began).toBeLessThan(3000);
  expect(JSON.stringify(messagesOf(world.logs()[0])[1]?.content)).toContain('a first');
});

test('B05 a slow first word and comments before it are life', async () => {
  const reply = renderReply('anthropic', { text: 'here' });
  const world = await createWorld([{ raw: [': wait\n\n', 400, ': wait\n\n', 400, reply] }]);
  expect(await world.rein(['-p', 'go'])).toMatchObject({ code: 0, stdout: 'here\n' });
});

test.each(DIALECTS)(
  'B06 %s: a stream that closes inside a call runs nothing, and is asked for again',
  async (model) => {
    const call = { name: 'write_file', arguments: ['{"path":"a.txt",', '"content":"half"}', ''] };
    const broken: Turn = { calls: [call], cut: { after: model === MODELS.responses ? 5 : 3, how: 'close' } };
    const world = await createWorld(inOrder(broken, { calls: [write('a.txt', 'whole')] }));
    expect(await world.rein([...YOLO, model])).toMatchObject({ code: 0, stdout: 'done\n' });
    expect(world.server.requests).toHaveLength(3);
    expect(world.file('a.txt')).toBe('whole');
  },
);

test('B07 a missing marker after a whole answer is no error', async () => {
  const reply = renderReply('openai-chat', { text: 'done' });
  const cut = [
    reply.replace('data: [DONE]\n\n', ''),
    reply.trimEnd(),
    reply.replace('"finish_reason":"stop"', '"finish_reason":null'),
  ];
  const world = await createWorld((asked) => ({ raw: [cut[Number(lastSaid(asked))] ?? ''] }));
  const ran = await Promise.all(cut.map((_, index) => world.rein(['-p', String(index), '-m', MODELS.chat])));
  for (const one of ran) expect(one).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(world.server.requests).toHaveLength(3);
});

test.each(DIALECTS)('B08 %s: an overload inside a 200 is retried once, and nothing is said twice', async (model) => {
  const broken: Turn = { text: ['Plan', ': ', 'one'], cut: { after: 6, how: 'error' } };
  const world = await createWorld(inOrder(broken, { text: 'Plan: one' }));
  const ran = await world.rein(['-p', 'go', '-o', 'stream-json', '-m', model]);
  expect(ran.code).toBe(0);
  const lines = linesOf(ran.stdout);
  expect(lines.filter(({ subtype }) => subtype === 'api_retry')).toHaveLength(1);
  expect(lines.filter(({ type }) => type === 'assistant')).toHaveLength(1);
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'Plan: one' });
});

test('B12 a retry after visible output runs the call once and keeps the text once', async () => {
  const call = bash('echo x >> log');
  const world = await createWorld(
    inOrder({ text: 'Plan: ', calls: [call], cut: { after: 6, how: 'reset' } }, { text: 'Plan: ', calls: [call] }),
  );
  expect(await world.rein(['-p', 'go', '--yolo'])).toMatchObject({ code: 0, stdout: 'Plan:\ndone\n' });
  expect(world.file('log')).toBe('x\n');
  expect(bodyOf(world.server.requests[2]).split('Plan: ')).toHaveLength(2);
});

test.each(DIALECTS)('B13 %s: no arguments are an empty object, sent back as {}', async (model) => {
  const world = await createWorld(onGo({ calls: [{ name: 'list_files', arguments: '' }] }));
  writeFileSync(join(world.work, 'seen.txt'), '');
  expect(await world.rein(['-p', 'go', '-m', model])).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(lastResults(world)[0]).toContain('seen.txt');
  expect(bodyOf(world.server.requests[1])).toMatch(/"(arguments":"\{\}"|input":\{\})/);
});

test.each(DIALECTS)('B14 B20 %s: broken or cut arguments are never run as something else', async (model) => {
  const broken: Reply = {
    calls: [
      { name: 'list_files', arguments: '{"path": "src", }x' },
      { name: 'write_file', arguments: '{"path":"a.txt","content":"line 1\\nli' },
    ],
  };
  const world = await createWorld(onGo(broken));
  mkdirSync(join(world.work, 'src'));
  writeFileSync(join(world.work, 'a.txt'), 'as it was');
  expect(await world.rein([...YOLO, model])).toMatchObject({ code: 0, stdout: 'done\n' });
  for (const result of lastResults(world)) expect(result).toMatch(/^ERROR: the arguments .* nothing was run/);
  expect(world.file('a.txt')).toBe('as it was');
});

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const calling = (...calls: readonly object[]): string => chunk({ tool_calls: calls });
const started = (index: number | undefined, id: string | null, name: string, text: string) => ({
  ...(index === undefined ? {} : { index }),
  id,
  type: 'function',
  function: { name, arguments: text },
});
const touch = (name: string) => JSON.stringify({ command: `touch ${name}` });

test('B15 B16 B17 B18 calls with odd indices, names and fragments run once each, as they were meant', async () => {
  const [a, b] = [touch('d'), touch('e')];
  const rest = (index: number, text: string) => ({ index, function: { arguments: text } });
  const forms: readonly string[][] = [
    [calling(started(0, 'i1', 'bash', touch('a'))), calling(started(0, 'i2', 'bash', touch('b')))],
    [calling(started(undefined, 'i3', 'bash', touch('c')))],
    [
      calling(started(0, 'i4', 'bash', a.slice(0, 5))),
      calling(started(1, 'i5', 'bash', b.slice(0, 5))),
      calling(rest(0, a.slice(5))),
      calling(rest(1, b.slice(5))),
    ],
    [
      calling(started(0, 'i6', 'bash', '{"command":')),
      calling(started(0, 'i6', 'bash', '"touch')),
      calling(started(0, null, '', ' f"}')),
    ],
    [calling(started(0, 'i7', 'ba', '')), calling({ index: 0, function: { name: 'sh', arguments: touch('g') } })],
  ];
  const turns = forms.map((form): Turn => ({ raw: [...form, chunk({}, 'tool_calls'), 'data: [DONE]\n\n'] }));
  const world = await createWorld(onGo(...turns));
  expect(await world.rein([...YOLO, MODELS.chat])).toMatchObject({ code: 0, stdout: 'done\n' });
  for (const name of 'abcdefg') expect([name, existsSync(join(world.work, name))]).toEqual([name, true]);
  expect(lastResults(world)).toHaveLength(7);
});

test.each(DIALECTS)(
  'B19 %s: a call cut by the output limit is not run, and two such rounds are enough',
  async (model) => {
    const cut: Reply = {
      calls: [{ name: 'write_file', arguments: '{"path":"a.txt","content":"line 1\\nli' }],
      stop: 'length',
    };
    const world = await createWorld(() => cut);
    writeFileSync(join(world.work, 'a.txt'), 'as it was');
    const ran = await world.rein([...YOLO, model]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^rein: .*output limit.*\n$/);
    expect(world.server.requests).toHaveLength(3);
    expect(lastResults(world)[0]).toMatch(/^ERROR: .*cut.*smaller steps/);
    expect(world.file('a.txt')).toBe('as it was');
  },
);

test('B21 B22 what is encoded twice is decoded where the schema wants it, and nowhere else', async () => {
  const world = await createWorld(
    onGo(
      { calls: [{ name: 'read_file', arguments: JSON.stringify(JSON.stringify({ path: 'a.txt' })) }] },
      { calls: [{ name: 'edit_file', input: { path: 'a.txt', edits: JSON.stringify([{ old: 'x', new: 'y' }]) } }] },
      { calls: [write('p.json', '[ "a" ]\n'), write('n.txt', '007')] },
    ),
  );
  writeFileSync(join(world.work, 'a.txt'), 'x\n');
  expect(await world.rein(['-p', 'go', '--yolo'])).toMatchObject({ code: 0 });
  expect(lastResults(world)[0]).toContain('x');
  expect(['a.txt', 'p.json', 'n.txt'].map(world.file)).toEqual(['y\n', '[ "a" ]\n', '007']);
});

test.each(DIALECTS)('B23 %s: the content decides, not the stop reason', async (model) => {
  const turns: Readonly<Record<string, Turn>> = {
    go: { ...runs('touch ran'), stop: 'done' },
    calls: { text: 'text', stop: 'calls' },
    eos: { text: 'text', stop: 'eos' },
  };
  const world = await createWorld((asked) =>
    asked.rounds.length > 0 ? { text: 'text' } : (turns[lastSaid(asked)] ?? { text: '' }),
  );
  for (const prompt of Object.keys(turns)) {
    expect(await world.rein(['-p', prompt, '--yolo', '-m', model])).toMatchObject({ code: 0, stdout: 'text\n' });
  }
  expect(world.file('ran')).toBe('');
  expect(world.server.requests).toHaveLength(4);
});

test('B24 an overflow is said in words, whatever the provider calls it', async () => {
  const message = 'prompt is too long: 210000 tokens > 200000 maximum';
  const world = await createWorld(() => ({ status: 400, message }));
  const ran = await world.rein(['-p', 'go']);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/rein: [^\n]*too long[^\n]*\n$/);
  expect(world.server.requests.length).toBeLessThanOrEqual(3);
});

test.each(DIALECTS)(
  '%s: arguments nested five thousand deep are a result that says so, and the turn goes on',
  async (model) => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const edits = { name: 'edit_file', input: { path: 'a.txt', edits: deep } };
    const world = await createWorld(onGo({ calls: [{ name: 'bash', arguments: `{"command":${deep}}` }, edits] }));
    expect(await world.rein([...YOLO, model])).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
    const [first = '', second = ''] = lastResults(world);
    expect(first).toMatch(/^ERROR: the arguments of bash could not be read .*more than 100 levels deep/);
    expect(second).toMatch(/^ERROR: /);
  },
);
