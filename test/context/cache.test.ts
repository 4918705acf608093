import { expect, test } from 'vitest';
import { cacheMiss, describeMiss, drawContext, measureContext } from '../../src/context/index.ts';
import type { Assistant, Entry } from '../../src/core/types.ts';
import { reads, result, says, sessionOf, user } from './support.ts';

const reply = (input: number, cacheRead: number, cacheWrite: number, model = 'a/m'): Assistant => ({
  ...says('ok'),
  model,
  usage: { input, output: 5, cacheRead, cacheWrite },
});

const MINUTE = 60_000;
const opened = (tools: readonly string[], system = 's'): Entry => ({
  type: 'opened',
  version: 1,
  cwd: '/w',
  system,
  tools: tools.map((name) => ({ name, description: name, input: {} })),
  model: 'a/m',
});

/** The miss after a first reply, some facts or a wait, and a reply that read `read` tokens. */
async function after(between: readonly Entry[], { read = 0, wait = 0, model = 'a/m' } = {}) {
  const session = sessionOf();
  await session.add(opened(['x']), user('one'), reply(10, 0, 20_000));
  session.pass(wait);
  await session.add(...between, user('two'), reply(100, read, 20_000 - read, model));
  return cacheMiss(session.log.path());
}

test('a cache that kept its promise is not mentioned', async () => {
  expect(await after([], { read: 20_000 })).toBeUndefined();
});

test('a miss is told with its numbers and its reason', async () => {
  const cases: readonly (readonly [string, Awaited<ReturnType<typeof after>>])[] = [
    ['model changed', await after([{ type: 'model', model: 'b/m' }], { model: 'b/m' })],
    ['model changed', await after([], { model: 'b/m' })],
    ['tools changed', await after([opened(['x', 'y'])])],
    ['prompt changed', await after([opened(['x'], 'other')])],
    ['history was shortened', await after([{ type: 'trim', what: 'outputs', keep: null }])],
    ['history was shortened', await after([{ type: 'compaction', summary: 's', keep: null, tokensBefore: 1 }])],
    ['over 5 minutes', await after([], { wait: 6 * MINUTE })],
    ['unknown', await after([])],
  ];
  for (const [why, miss] of cases) expect(miss).toEqual({ promised: 20_000, read: 0, missed: 20_000, why });
  const [, miss] = cases[6] ?? [];
  expect(miss && describeMiss(miss)).toBe('The cache missed 20000 of 20000 tokens: over 5 minutes.');
});

test('providers that never cache, short prefixes and parts of a block are no miss', async () => {
  const never = sessionOf();
  await never.add(user('a'), reply(20_000, 0, 0), user('b'), reply(20_100, 0, 0));
  expect(cacheMiss(never.log.path())).toBeUndefined();
  const short = sessionOf();
  await short.add(user('a'), reply(0, 0, 900), user('b'), reply(950, 0, 0));
  expect(cacheMiss(short.log.path())).toBeUndefined();
  // A provider without cache writes in its report, which reads all but the last blocks.
  const automatic = sessionOf();
  await automatic.add(user('a'), reply(10_000, 0, 0), user('b'), reply(1_500, 8_900, 0));
  expect(cacheMiss(automatic.log.path())).toBeUndefined();
});

test('/context: the parts add up to what the provider counted, and a bar shows each', async () => {
  const session = sessionOf({ window: () => 10_000 });
  const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
  await session.add(user('look '.repeat(300)), reads('t'), { ...result('t', 'word '.repeat(1_500)), content: [image] });
  await session.add(result('t', 'x'), {
    ...says('fine '.repeat(50)),
    usage: { input: 4_000, output: 9, cacheRead: 0, cacheWrite: 0 },
  });
  const request = { ...session.request(), system: 'Be brief. RULES' };
  const fill = measureContext({
    request,
    instructions: 'RULES',
    path: session.log.path(),
    meter: session.meter,
    window: 10_000,
  });
  const sum = fill.parts.reduce((total, { tokens }) => total + tokens, 0);
  expect(Math.abs(sum - fill.tokens)).toBeLessThan(10);
  expect(fill.tokens).toBeGreaterThanOrEqual(4_000);
  expect(fill.free).toBe(10_000 - fill.tokens);
  expect(fill.parts.map(({ name }) => name)).toEqual([
    'system',
    'instructions',
    'tools',
    'prompts',
    'calls',
    'images',
    'replies',
  ]);
  const lines = drawContext(fill, 10);
  expect(lines[0]).toMatch(/^about 4\.\dk tokens of 10\.0k \(4\d %\); made smaller from 7\.0k on$/);
  expect(lines.at(-1)).toMatch(/^free +█+░+ +5\.\dk +5\d %$/);
  expect(new Set(lines.slice(1).map((line) => line.length)).size).toBe(1);
});
