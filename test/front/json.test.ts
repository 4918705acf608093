import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Live } from '../../src/core/types.ts';
import { exitCode, subtype } from '../../src/front/ending.ts';
import { type JsonOptions, printJson } from '../../src/front/json.ts';
import type { Ending } from '../../src/harness/types.ts';
import { call, type Script, scriptedSession } from './fixtures/session.ts';

type Line = Record<string, unknown>;

const run = async (
  script: Script,
  options: Partial<JsonOptions> = {},
): Promise<{ lines: Line[]; ending: Ending; raw: string }> => {
  const stdout = new PassThrough();
  let raw = '';
  stdout.on('data', (chunk) => (raw += chunk));
  const ending = await printJson({
    session: scriptedSession(script),
    prompt: 'hi',
    stdout,
    format: 'stream-json',
    version: '1.2.3',
    ...options,
  });
  const lines = raw
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line));
  return { lines, ending, raw };
};

const made = call('c1', 'bash', { command: 'ls' });
const work: Script = async (play) => {
  play.live({ live: 'thinking', text: 'hm' });
  play.live({ live: 'text', text: 'I lo' });
  play.live({ live: 'retracted' });
  play.live({
    live: 'retrying',
    attempt: 1,
    of: 5,
    delay: 800,
    failure: { kind: 'overloaded', message: 'overloaded', status: 529 },
  });
  play.live({ live: 'text', text: 'I look' });
  play.entry({
    type: 'message',
    message: {
      role: 'assistant',
      content: [{ type: 'thinking', text: 'hm' }, { type: 'text', text: 'I look' }, made],
      stop: 'calls',
      model: 'scripted/one',
      usage: { input: 5, output: 7, cacheRead: 1, cacheWrite: 2 },
    },
  });
  play.result(made, 'a.txt', { details: { exitCode: 0 } });
  play.say('There is a.txt.');
};

test('stream-json: init first, messages in the shape that wrappers read, one result last', async () => {
  const { lines } = await run(work);
  expect(lines.map(({ type, subtype }) => (subtype === undefined ? type : `${type}/${subtype}`))).toEqual([
    'system/init',
    'system/api_retry',
    'assistant',
    'user',
    'assistant',
    'result/success',
  ]);
  const [init, retry, assistant, user, , result] = lines;
  expect(init).toMatchObject({
    session_id: 'fake-session',
    model: 'scripted/one',
    tools: ['bash'],
    permissionMode: 'ask',
    version: '1.2.3',
  });
  expect(retry).toMatchObject({ attempt: 1, max_retries: 5, retry_delay_ms: 800, error_status: 529 });
  expect(assistant).toMatchObject({
    session_id: 'fake-session',
    uuid: 'e2',
    parent_tool_use_id: null,
    message: {
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'I look' },
        { type: 'tool_use', id: 'c1', name: 'bash', input: { command: 'ls' } },
      ],
      usage: { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 1, cache_creation_input_tokens: 2 },
    },
  });
  expect(user).toMatchObject({
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'a.txt', is_error: false }] },
    tool_use_result: { exitCode: 0 },
  });
  expect(result).toMatchObject({
    is_error: false,
    result: 'There is a.txt.',
    num_turns: 1,
    duration_ms: 12,
    duration_api_ms: 8,
    total_cost_usd: 0.0123,
    usage: { input_tokens: 1200, output_tokens: 300 },
    permission_denials: [],
    session_id: 'fake-session',
  });
});

test('partial messages: deltas in the frame of a stream, and what is retracted ends its message', async () => {
  const { lines } = await run(work, { includePartialMessages: true });
  const events = lines.flatMap((line) => (line['type'] === 'stream_event' ? [line['event']] : []));
  expect(events).toEqual([
    expect.objectContaining({ type: 'message_start' }),
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'I lo' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_stop' },
    expect.objectContaining({ type: 'message_start' }),
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I look' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_stop' },
  ]);
});

test('json: the result line alone', async () => {
  const { lines } = await run(work, { format: 'json' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ type: 'result', subtype: 'success' });
});

test('a refusal is told, and counted in the result', async () => {
  const { lines } = await run(async (play) => {
    play.say('', [made]);
    play.result(made, 'ERROR: not allowed', { how: 'refused', failed: true });
    play.say('I could not.');
  });
  expect(lines[2]).toMatchObject({
    type: 'system',
    subtype: 'permission_denied',
    tool_name: 'bash',
    tool_use_id: 'c1',
  });
  expect(lines[3]).toMatchObject({ message: { content: [{ is_error: true }] } });
  expect(lines.at(-1)).toMatchObject({
    subtype: 'success',
    permission_denials: [{ tool_name: 'bash', tool_use_id: 'c1', tool_input: { command: 'ls' } }],
  });
});

test('what a sub-agent says names the call that started it', async () => {
  const child = (event: Extract<Live, { live: 'child' }>['event']): Live => ({
    live: 'child',
    call: 'c1',
    session: 'child',
    event,
  });
  const { lines } = await run(async (play) => {
    play.say('', [made]);
    play.live(
      child({
        type: 'message',
        message: { role: 'assistant', content: [{ type: 'text', text: 'from below' }], stop: 'done', model: 'm/x' },
      }),
    );
    play.result(made, 'summary');
    play.say('ok');
  });
  expect(lines[2]).toMatchObject({
    type: 'assistant',
    parent_tool_use_id: 'c1',
    session_id: 'child',
    message: { content: [{ text: 'from below' }] },
  });
});

test('F28 every line parses for every reader, whatever the model says', async () => {
  const text = `a\u2028b\u2029c\x85d\x1b[2J\x9b\ud800 ${'x'.repeat(300_000)}`;
  const { lines, raw } = await run(async (play) => play.say(text));
  expect(raw).not.toMatch(/[\x1b\x7f-\x9f\u2028\u2029]/);
  expect(raw.split('\n').filter((line) => line !== '')).toHaveLength(3);
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: text.replace('\ud800', '\ud800') });
});

const end = (part: Partial<Ending>): Ending => ({
  stop: 'done',
  text: '',
  turns: 1,
  duration: 1,
  durationApi: 1,
  ...part,
});
const failed = (kind: NonNullable<Ending['failure']>['kind']): Ending =>
  end({ stop: 'error', failure: { kind, message: 'no' } });

test.each([
  [end({}), 0, 'success'],
  [end({ stop: 'error' }), 1, 'error_during_execution'],
  [end({ stop: 'length' }), 1, 'error_during_execution'],
  [end({ stop: 'max_turns' }), 3, 'error_max_turns'],
  [end({ stop: 'max_cost' }), 3, 'error_max_budget_usd'],
  [end({ stop: 'max_time' }), 3, 'error_max_time'],
  [end({ stop: 'denied' }), 4, 'error_permission'],
  [failed('auth'), 5, 'error_provider'],
  [failed('request'), 5, 'error_provider'],
  [failed('rate'), 75, 'error_unavailable'],
  [failed('network'), 75, 'error_unavailable'],
  [end({ stop: 'aborted' }), 130, 'interrupted'],
  [end({ stop: 'aborted', signal: 'SIGHUP' }), 129, 'interrupted'],
  [end({ stop: 'aborted', signal: 'SIGTERM' }), 143, 'interrupted'],
] as const)('F16 how a prompt ended: %j', async (ending, code, kind) => {
  expect([exitCode(ending), subtype(ending)]).toEqual([code, kind]);
  const { lines } = await run(async () => ending);
  expect(lines.at(-1)).toMatchObject({ type: 'result', subtype: kind, is_error: code !== 0 });
});

test('a structured answer is in the result', async () => {
  const { lines } = await run(async () => ({ structured: { ok: true } }));
  expect(lines.at(-1)).toMatchObject({ structured_output: { ok: true } });
});
