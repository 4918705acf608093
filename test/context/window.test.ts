import { expect, test } from 'vitest';
import { createMeter, promptProblem, resultLimit, startOf, withResultLimit } from '../../src/context/index.ts';
import type { Assistant, Output, Usage } from '../../src/core/types.ts';
import { toolOf } from '../support/agent.ts';
import { reads, result, says, sessionOf, textOf, user } from './support.ts';

const usage = (input: number, more: Partial<Usage> = {}): Usage => ({
  input,
  output: 10,
  cacheRead: 0,
  cacheWrite: 0,
  ...more,
});
const counted = (used: Usage): Assistant => ({ ...says('ok'), usage: used });
const read = (session: ReturnType<typeof sessionOf>) => session.meter.read(session.request(), session.log.path());

test('B27 cached tokens count once, whichever way a provider reports them', async () => {
  for (const used of [usage(100, { cacheRead: 900 }), usage(50, { cacheRead: 900, cacheWrite: 50 }), usage(1_000)]) {
    const session = sessionOf();
    await session.add(user('word '.repeat(600)), counted(used));
    const { tokens } = read(session);
    expect(tokens).toBeGreaterThanOrEqual(1_000);
    expect(tokens).toBeLessThan(1_020);
  }
});

test('what was said since the last count is estimated by the measure of this session', async () => {
  const session = sessionOf();
  // Two characters a token, as the provider counts.
  await session.add(user('ab'.repeat(10_000)), counted(usage(10_000)), user('ab'.repeat(1_000)));
  const { tokens } = read(session);
  expect(tokens).toBeGreaterThan(10_900);
  expect(tokens).toBeLessThan(11_200);
  expect(session.meter.tokensOfText('ab'.repeat(500))).toBeGreaterThan(450);
});

test('B27 no usage, or one of zeros, is estimated; wide characters weigh more', async () => {
  const session = sessionOf();
  await session.add(user('word '.repeat(2_000)), counted(usage(0)), says('x'));
  expect(read(session).tokens).toBeGreaterThan(2_500);
  const { tokensOfText } = createMeter();
  expect(tokensOfText('漢'.repeat(1_000))).toBeGreaterThan(700);
  expect(tokensOfText('word '.repeat(1_000))).toBeLessThan(1_700);
});

test('a count is not used after the view was cut', async () => {
  const session = sessionOf();
  await session.add(user('word '.repeat(20_000)), counted(usage(21_000)));
  await session.add({ type: 'compaction', summary: 'short', keep: null, tokensBefore: 21_000 });
  expect(read(session).tokens).toBeLessThan(200);
});

test('B30 a server that cuts the prompt is named once, with both numbers, and its count is not believed', async () => {
  const session = sessionOf({ window: () => 100_000 });
  await session.add(user('word '.repeat(14_000)), counted(usage(4_095)), user('go on'));
  // A status line that looks first takes nothing away.
  read(session);
  const { notices } = await session.view();
  expect(notices.join()).toMatch(/counted 4095 tokens for a request of about 2\d{4}.*at 4096/);
  expect((await session.view()).notices).toEqual([]);
  expect(read(session).tokens).toBeGreaterThan(18_000);
  // A count that is merely small, or near a limit and plausible, is no reason to warn.
  for (const input of [3_000, 16_383]) {
    const other = sessionOf({ window: () => 100_000 });
    await other.add(user('word '.repeat(14_000)), counted(usage(input)), user('go on'));
    expect((await other.view()).notices).toEqual([]);
  }
});

test('B26 room for an answer is kept free in windows of any size', () => {
  expect(startOf(10_000, 10_000)).toBe(7_000);
  expect(startOf(8_000, undefined)).toBe(5_600);
  expect(startOf(200_000, 64_000)).toBe(190_000 - 16_384);
});

async function runTool(text: string, limit: number): Promise<string> {
  const prepared = await withResultLimit(
    toolOf('mcp', async () => text),
    () => limit,
  ).prepare({});
  if (typeof prepared === 'string') throw new Error(prepared);
  const events = prepared.run({ call: 'c', signal: new AbortController().signal });
  let output: Output = { content: [] };
  for (let step = await events.next(); ; step = await events.next()) {
    if (!step.done) continue;
    output = step.value;
    break;
  }
  return output.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

test('F32 a result larger than the window is cut before it is stored, and the next request fits', async () => {
  const session = sessionOf({ window: () => 8_000 });
  const whole = Array.from({ length: 20_000 }, (_, i) => `line ${i} of the output`).join('\n');
  const text = await runTool(whole, resultLimit(8_000));
  expect(text.length).toBeLessThan(6_200);
  const lines = text.split('\n');
  expect([lines[0], lines.at(-1)]).toEqual(['line 0 of the output', 'line 19999 of the output']);
  expect(
    lines.filter((line) => /^\[… \d+ of \d+ characters left out; ask for a smaller part …\]$/.test(line)).length,
  ).toBe(1);
  expect(await runTool('small', 6_000)).toBe('small');
  await session.add(user('go'), reads('t'), result('t', text));
  const { value } = await session.view();
  expect(session.meter.read({ ...session.request(), messages: value }, session.log.path()).tokens).toBeLessThan(8_000);
  expect(textOf(value.at(-1))).toContain('line 19999');
});

test('F32 a prompt larger than the window is refused with what to do', () => {
  const meter = createMeter();
  const content = [{ type: 'text' as const, text: 'word '.repeat(60_000) }];
  expect(promptProblem(content, { window: 8_000, fixed: 1_000, meter })).toMatch(
    /about 9\d{4} tokens.*more than the 4600 .*window of 8000 leaves/,
  );
  expect(promptProblem(content, { window: 200_000, fixed: 1_000, meter })).toBeUndefined();
  expect(promptProblem(content, { window: undefined, fixed: 0, meter })).toBeUndefined();
});

test('F32 a result that a larger model left behind is summed up for a smaller one', async () => {
  const session = sessionOf({ window: () => 8_000 });
  await session.add(user('read it'), reads('t'), result('t', 'word '.repeat(40_000)));
  const { value } = await session.view();
  expect(session.meter.read({ ...session.request(), messages: value }, session.log.path()).tokens).toBeLessThan(5_600);
  expect(textOf(value[0])).toContain('read it');
});
