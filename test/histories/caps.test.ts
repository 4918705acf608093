/** The wallet: no cap is passed, whoever spends; and a program that calls itself comes to an end. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Answer } from '../../src/harness/index.ts';
import { type Asked, type Reply, renderReply, type Turn } from '../../src/testing/index.ts';
import { BIN, bash, createWorld as createProgram, lastSaid, onGo, resultLine } from '../support/rein.ts';
import { createWorld, everywhere, MODELS } from './world.ts';

/** Two cents by the list price. */
const usage = { input: 10_000, output: 0 };
const endless = (asked: Asked): Reply => ({ calls: [bash(`echo ${asked.rounds.length}`)], usage });

test('sub-agents at once can not pass --max-cost: each has its part of it before it starts', async () => {
  const CAP = 0.4;
  const tasks = [1, 2, 3, 4].map((n) => ({ name: 'task', input: { prompt: `endless ${n}` } }));
  const world = await createProgram((asked) =>
    asked.prompt.startsWith('endless') ? endless(asked) : onGo({ calls: tasks })(asked),
  );
  const ran = await world.rein(['-p', 'go', '--yolo', '--max-cost', String(CAP), '-o', 'json']);
  const line = resultLine(ran.stdout);
  // The price of a request is known when it is over: each of them may be one request late.
  expect(Number(line['total_cost_usd'])).toBeLessThanOrEqual(CAP + tasks.length * 0.02);
  expect(Number(line['total_cost_usd'])).toBeGreaterThan(CAP / 2);
  expect(ran.code).toBe(0);
  const results = world.server.requests.at(-1)?.asked?.rounds.at(-1) ?? [];
  expect(results.map(({ text }) => text.startsWith('ERROR: The cap of $'))).toEqual([true, true, true, true]);
  // The record of all of them says the same.
  const cost = JSON.parse((await world.rein(['sessions', 'cost', '--since', '7d', '--json'])).stdout);
  expect(cost.total.usage.cost).toBeCloseTo(Number(line['total_cost_usd']), 6);
  expect(cost.models.map(({ name }: { name: string }) => name)).toEqual([MODELS.anthropic]);
});

test.each([
  ['--max-turns', '3', 'error_max_turns'],
  ['--max-cost', '0.05', 'error_max_budget_usd'],
])('headless, a cap (%s %s) is exit 3 with the whole result line', async (flag, value, subtype) => {
  const world = await createProgram(endless);
  const ran = await world.rein(['-p', 'go', '--yolo', flag, value, '-o', 'json']);
  expect(ran.code).toBe(3);
  expect(resultLine(ran.stdout)).toMatchObject({
    type: 'result',
    subtype,
    is_error: true,
    num_turns: 3,
    total_cost_usd: 0.06,
    session_id: world.logs()[0]?.header?.session,
    usage: { input_tokens: 30_000 },
    permission_denials: [],
    errors: [expect.stringContaining(flag)],
    duration_ms: expect.any(Number),
  });
  expect(world.server.requests).toHaveLength(3);
});

test('a server that says it costs less than nothing lifts no cap', async () => {
  const turn = (asked: Asked): Turn => {
    const reply = renderReply('openai-chat', endless(asked));
    return { raw: [reply.replaceAll('"usage":{', '"usage":{"cost":-1000,')] };
  };
  const world = await createProgram((asked, index) => (index > 20 ? { text: 'too late' } : turn(asked)));
  const ran = await world.rein(['-p', 'go', '--yolo', '-m', MODELS.deepseek, '--max-cost', '0.02', '-o', 'json']);
  expect(ran.code).toBe(3);
  expect(resultLine(ran.stdout)).toMatchObject({ total_cost_usd: 0.0264, num_turns: 2 });
});

everywhere(
  'caps',
  'with a person there, a cap is a question: a yes gives as much again, a no ends the prompt',
  async (make, flavour) => {
    const caps = [
      { settings: { maxTurns: 3 }, stop: 'max_turns' },
      { settings: { maxCost: 0.05 }, stop: 'max_cost' },
    ];
    const price = { models: { [MODELS[flavour]]: { price: { input: 2, output: 10 } } } };
    for (const { settings, stop } of caps) {
      const world = await make(endless);
      const questions: string[] = [];
      const answers: Answer[] = [{ allow: true }, { allow: false }];
      const { say } = await world.open({
        settings: { ...price, ...settings },
        ask: async ({ access }) => {
          questions.push(access.show);
          return answers.shift() ?? { allow: false };
        },
      });
      expect((await say('go')).stop).toBe(stop);
      expect(questions).toHaveLength(2);
      expect(questions[0]).toMatch(/^The cap of .* is reached .*Go on for as much again\?$/);
      expect(world.server.requests.length).toBe(stop === 'max_turns' ? 6 : 5);
    }
  },
);

test.concurrent('a summary counts for the caps too', async ({ onTestFinished }) => {
  const world = await createWorld(onTestFinished, 'anthropic', (asked) => ({
    text: asked.tools.length === 0 ? 'Notes of the work.' : 'many words '.repeat(3_000),
    usage,
  }));
  const { session, say } = await world.open({ settings: { maxCost: 0.03 } });
  await say('one');
  await say('two');
  expect(await session.compact()).toMatch(/could not be summed up \(The cap of \$0\.03/);
  expect(world.server.requests).toHaveLength(2);
});

test.concurrent('a cap on money holds with no model of unknown price, whatever way one comes in', async ({
  onTestFinished,
}) => {
  const world = await createWorld(onTestFinished, 'anthropic', () => ({ text: 'ok', usage }));
  const why = /no price is known for ollama\/m, so --max-cost can't hold/;
  const maxCost = 1;
  await expect(world.open({ settings: { maxCost, model: 'ollama/m' } })).rejects.toThrow(why);
  await expect(world.open({ settings: { maxCost, fallbackModel: 'ollama/m' } })).rejects.toThrow(why);
  const { session, say } = await world.open({ settings: { maxCost } });
  expect(() => session.setModel('ollama/m')).toThrow(why);
  expect(await say('go')).toMatchObject({ stop: 'done' });
  expect(session.totals()).toMatchObject({ unpriced: false, usage: { cost: 0.02 } });
  const free = await world.open();
  free.session.setModel('ollama/m');
  await free.say('go');
  expect(free.session.totals().unpriced).toBe(true);
});

test('C29 a start file that calls rein does not start it without end', async () => {
  const world = await createProgram(onGo({ calls: [bash('echo ran')] }));
  const file = join(world.home, '.bashrc');
  const line = `echo start >> '${world.home}/starts'; '${process.execPath}' '${BIN}' -p go --yolo\n`;
  for (const name of ['.bashrc', '.bash_profile', '.profile']) writeFileSync(join(world.home, name), line);
  const ran = await world.rein(['-p', 'go', '--yolo'], { variables: { BASH_ENV: file, ENV: file } });
  expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(world.server.requests.length).toBeLessThanOrEqual(2 * 3);
});

test('C29 a program that calls itself by its path ends at three, with a sentence; what reads goes on working', async () => {
  const itself = `'${process.execPath}' '${BIN}' -p go --yolo -m ollama/m 2>&1`;
  const world = await createProgram((asked) =>
    lastSaid(asked) === 'go' && asked.rounds.length === 0
      ? { calls: [bash(itself)] }
      : { text: asked.rounds.at(-1)?.at(-1)?.text ?? 'ok' },
  );
  const variables = { OLLAMA_BASE_URL: `${world.server.url}/ollama/v1` };
  const ran = await world.rein(['-p', 'go', '--yolo', '-m', 'ollama/m'], { variables });
  expect(ran.stdout).toMatch(/rein was started by rein, 3 deep.*unset REIN_DEPTH/);
  expect(world.server.requests.length).toBe(2 * 3);
  const deep = await world.rein(['-p', 'go'], { variables: { REIN_DEPTH: '2' } });
  expect(deep).toMatchObject({ code: 2, stdout: '' });
  for (const words of [['--version'], ['sessions', 'list'], ['--help']])
    expect(await world.rein(words, { variables: { REIN_DEPTH: '7' } })).toMatchObject({ code: 0 });
  for (const depth of ['', '0', '1', 'x'])
    expect(await world.rein(['-p', 'hi'], { variables: { REIN_DEPTH: depth } })).toMatchObject({ code: 0 });
});

test.each(['folder', 'file'])(
  'D34 settings come from the root of the repository (.git is a %s), not from an empty folder on the way',
  async (kind) => {
    const world = await createProgram(endless);
    const sub = join(world.work, 'sub');
    mkdirSync(join(sub, '.rein'), { recursive: true });
    mkdirSync(join(sub, 'deeper'));
    if (kind === 'folder') mkdirSync(join(world.work, '.git'));
    else writeFileSync(join(world.work, '.git'), 'gitdir: ../elsewhere\n');
    mkdirSync(join(world.work, '.rein'));
    writeFileSync(join(world.work, '.rein/settings.json'), '{"maxTurns":2}');
    for (const cwd of [sub, join(sub, 'deeper')]) {
      const before = world.server.requests.length;
      expect(await world.rein(['-p', 'go', '--yolo', '--trust'], { cwd })).toMatchObject({ code: 3 });
      expect(world.server.requests.length - before).toBe(2);
    }
    expect([readdirSync(join(sub, '.rein')), readdirSync(join(sub, 'deeper'))]).toEqual([[], []]);
  },
);

test.concurrent('what is sent while a summary is written is asked when it is there', async ({ onTestFinished }) => {
  const world = await createWorld(onTestFinished, 'anthropic', (asked) => ({
    text: asked.tools.length === 0 ? 'Notes of the work.' : `to ${asked.prompt.slice(-5)} `.repeat(3_000),
    usage,
  }));
  const { session, say } = await world.open({});
  await say('one');
  await say('two');
  const compacted = session.compact();
  session.send('three');
  expect(await compacted).toMatch(/^Summed up/);
  expect(await session.settled()).toMatchObject({ stop: 'done', text: expect.stringContaining('to three') });
  expect(session.recall()).toEqual([]);
});
