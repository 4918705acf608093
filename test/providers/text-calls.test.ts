import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Event, Json, Model } from '../../src/core/types.ts';
import { readTextCalls, withTextCallHint, withTextCalls } from '../../src/providers/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { bash, bodyOf, createWorld } from '../support/rein.ts';

const NAMES = ['bash', 'read_file'];
const read = (text: string) => readTextCalls(text, NAMES).calls.map(({ name, input }) => [name, input]);
const json = (input: Json = { command: 'ls' }) => JSON.stringify({ name: 'bash', arguments: input });
const LS = [['bash', { command: 'ls' }]];

test.each([
  ['a tag', `<tool_call>\n${json()}\n</tool_call>`],
  ['a tag on one line', `<tool_call>${json()}</tool_call>`],
  ['prose, then a tag', `I look first.\n\n<tool_call>\n${json()}\n</tool_call>\n`],
  ['a tag with a fence in it', `<tool_call>\n\`\`\`json\n${json()}\n\`\`\`\n</tool_call>`],
  ['a fence alone', `\`\`\`json\n${json()}\n\`\`\``],
  ['JSON alone', json()],
  ['a list', `[${json()}]`],
  ['parameters', JSON.stringify({ name: 'bash', parameters: { command: 'ls' } })],
  ['arguments encoded twice', JSON.stringify({ name: 'bash', arguments: '{"command":"ls"}' })],
  ['functions.name', 'functions.bash {"command":"ls"}'],
  ['functions.name with a number', 'functions.bash:0\n{"command":"ls"}'],
  ['functions.name in brackets', 'functions.bash({"command":"ls"})'],
])('%s is a call', (_, text) => {
  expect(read(text)).toEqual(LS);
});

test('several tags at the end are several calls, in order, and the text before them stays', () => {
  const two = readTextCalls(
    `Both.\n<tool_call>${json()}</tool_call>\n<tool_call>${json({ command: 'pwd' })}</tool_call>`,
    NAMES,
  );
  expect(two.text).toBe('Both.');
  expect(two.calls.map(({ input }) => input)).toEqual([{ command: 'ls' }, { command: 'pwd' }]);
});

test.each([
  ['words after a tag', `<tool_call>${json()}</tool_call>\nwould list the files.`],
  ['a tag in a sentence', `Write <tool_call>${json()}</tool_call>`],
  ['a quoted tag', `> <tool_call>${json()}</tool_call>`],
  ['a tag in a code block', `Like this:\n\`\`\`\n<tool_call>${json()}</tool_call>\n\`\`\``],
  ['an open code block', `\`\`\`xml\n<tool_call>${json()}</tool_call>`],
  ['a fence after prose', `An example:\n\`\`\`json\n${json()}\n\`\`\``],
  ['a fence before prose', `\`\`\`json\n${json()}\n\`\`\`\nlists the files`],
  ['JSON with more in it', JSON.stringify({ name: 'bash', arguments: {}, version: 1 })],
  ['another name', JSON.stringify({ name: 'Ada', arguments: {} })],
  ['a list with something else in it', `[${json()}, 1]`],
  ['functions.name in prose', 'functions.bash {"command":"ls"} lists files'],
  ['no arguments', '{"name":"bash"}'],
])('%s is no call', (_, text) => {
  expect(readTextCalls(text, NAMES)).toEqual({ text, calls: [] });
});

test('a tag that holds no JSON is a call that is answered, never run', () => {
  const [call] = readTextCalls('<tool_call>{"name": "bash", "arguments": {command: ls}}</tool_call>', NAMES).calls;
  expect(call).toMatchObject({ name: 'bash', broken: expect.stringContaining('not JSON') });
});

test('no text makes the reader fail, and what it leaves is never a call', () => {
  const piece = fc.constantFrom('<tool_call>', '</tool_call>', json(), '```', '\n', 'functions.bash', ' ', '{', 'x');
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string())), (parts) => {
      const text = parts.join('');
      const found = readTextCalls(text, NAMES);
      if (found.calls.length === 0) expect(found.text).toBe(text);
      else expect(text.startsWith(found.text)).toBe(true);
    }),
  );
});

test('what is thought, cut short or failed is never read for calls', async () => {
  const tag = `<tool_call>${json()}</tool_call>`;
  const request = { system: '', tools: [{ name: 'bash', description: '', input: {} }], messages: [] };
  const last = async (model: Model) => {
    const events = withTextCalls(model)(request, new AbortController().signal);
    for (;;) {
      const step = await events.next();
      if (step.done) return step.value;
    }
  };
  for (const turn of [
    { thinking: tag, text: 'hm' },
    { text: tag, stop: 'length' },
    { text: tag, stop: 'refused' },
  ]) {
    expect((await last(scriptedModel([turn]))).content.some(({ type }) => type === 'call')).toBe(false);
  }
  expect((await last(scriptedModel([{ text: tag }]))).stop).toBe('calls');
});

const pwned = '<tool_call>{"name":"bash","arguments":{"command":"touch pwned"}}</tool_call>';

test('B29 by default a call written as text is text', async () => {
  const world = await createWorld([{ text: pwned }]);
  expect((await world.rein(['-p', 'go', '--yolo'])).stdout).toContain('touch pwned');
  expect(world.file('pwned')).toBeUndefined();
});

test('for a model of which the user says so, calls and results go as text, also on resume', async () => {
  const call = (command: string) => ({
    text: `I do it.\n<tool_call>\n${JSON.stringify(bash(command)).replace('input', 'arguments')}\n</tool_call>`,
  });
  const world = await createWorld((asked) => {
    const said = asked.messages.filter(({ role }) => role === 'user').length;
    return said === 1 ? call('echo from-the-tool') : { text: `done ${said}` };
  });
  const flags = ['--yolo', '-m', 'groq/tiny', '--settings', '{"models":{"groq/tiny":{"textCalls":true}}}'];
  expect((await world.rein(['-p', 'go', ...flags])).stdout).toBe('I do it.\ndone 2\n');
  await world.rein(['-c', '-p', 'again', ...flags]);
  expect(world.server.requests.map(({ asked }) => asked?.tools.length)).toEqual([0, 0, 0]);
  expect(world.server.requests[0]?.asked?.system).toMatch(/bash: Run a bash command[\s\S]*"command"/);
  const last = bodyOf(world.server.requests.at(-1));
  expect(last).toContain('from-the-tool');
  expect(last).toContain('<tool_result name=');
});

test('a model that can’t call tools is a sentence with the two ways out', async () => {
  const refusal = { status: 400, body: { error: { message: 'registry/tiny does not support tools' } } };
  const world = await createWorld([refusal], { refusals: true });
  const ran = await world.rein(['-p', 'go', '-m', 'groq/tiny']);
  expect(ran.code).toBe(5);
  expect(ran.stderr).toMatch(/tiny of groq can't call tools .*textCalls to true/);
});

test('a whole reply in the form of a shell call is a call even under a wrong name, so that it can be answered', () => {
  const wrong = '{"name": "ls -la", "arguments": {"command": "ls"}}';
  expect(readTextCalls(wrong, ['bash']).calls).toMatchObject([{ name: 'ls -la', input: { command: 'ls' } }]);
  expect(readTextCalls('{"name": "Ada", "arguments": {"age": 36}}', ['bash']).calls).toEqual([]);
});

test('B29 a call written as text by another model runs nothing, and a person is told', async () => {
  const model = scriptedModel([
    { text: '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>' },
  ]);
  const events: Event[] = [];
  const tools = [{ name: 'bash', description: '', input: { type: 'object' } }];
  const run = withTextCallHint(model)({ system: '', tools, messages: [] }, new AbortController().signal);
  for (let step = await run.next(); ; step = await run.next()) {
    if (step.done) {
      expect(step.value.stop).toBe('done');
      break;
    }
    events.push(step.value);
  }
  expect(events).toContainEqual(
    expect.objectContaining({ live: 'notice', text: expect.stringContaining('textCalls') }),
  );
});
