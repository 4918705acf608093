import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readRounds } from '../../src/testing/asked.ts';
import type { Asked, Reply, Said, Turn } from '../../src/testing/index.ts';
import { benchScenarios, scenarios } from '../../src/testing/index.ts';

const user = (text: string): Said => ({ role: 'user', text });
const called = (...ids: string[]): Said => ({
  role: 'assistant',
  text: '',
  calls: ids.map((id) => ({ id, name: 'bash', input: {} })),
});
const result = (call: string, text = call): Said => ({ role: 'result', call, text, failed: false });
const said: Said = { role: 'assistant', text: 'ok', calls: [] };

const asked = (messages: readonly Said[]): Asked => ({
  dialect: 'anthropic',
  vendor: 'anthropic',
  model: 'm',
  system: '',
  tools: [],
  messages,
  ...readRounds(messages),
});

const replyOf = (name: string, messages: readonly Said[]): Reply => {
  const turn: Turn | undefined = scenarios[name]?.(asked(messages));
  if (!turn || 'raw' in turn || 'status' in turn || 'fail' in turn) throw new Error(`${name} gave no reply`);
  return turn;
};

test('rounds are the calls since the last prompt, with results in call order; steering is no prompt', () => {
  const history = [user('a'), called('1'), result('1'), said, user('b'), called('2', '3'), result('3'), result('2')];
  const { prompt, rounds } = readRounds([...history, user('steer'), called('4'), result('4')]);
  expect(prompt).toBe('b');
  expect(rounds.map((round) => round.map((answer) => answer.text))).toEqual([['2', '3'], ['4']]);
  expect(readRounds([user('context'), user('b')])).toEqual({ prompt: 'context\nb', rounds: [] });
  expect(readRounds([user('a'), result('x')]).rounds).toEqual([]);
});

test('the bench scenarios end after their number of turns, in any session and again at the next prompt', () => {
  for (const [name, turns] of [
    ['hello', 0],
    ['turns50', 50],
    ['parallel-sleep', 1],
    ['output50mb', 1],
    ['tokens20000', 0],
    ['turns300', 300],
  ] as const) {
    const messages: Said[] = [user('earlier'), said, user('go')];
    for (let turn = 0; turn < turns; turn++) {
      const calls = replyOf(name, messages).calls ?? [];
      expect(calls).toHaveLength(name === 'parallel-sleep' ? 8 : 1);
      const ids = calls.map((_, i) => `${turn}-${i}`);
      messages.push(called(...ids), ...ids.map((id) => result(id)));
    }
    expect(replyOf(name, messages).calls).toBeUndefined();
  }
  expect(replyOf('tokens20000', [user('go')]).text).toHaveLength(20_000);
  expect(Object.keys(benchScenarios)).toHaveLength(6);
});

test('the errors scenario plays a failure by its word and lists the words', () => {
  expect(scenarios['errors']?.(asked([user('fail overloaded')]))).toMatchObject({ status: 529 });
  expect(replyOf('errors', [user('hello')]).text).toContain('overloaded');
});

const script = fileURLToPath(new URL('../../scripts/scripted.ts', import.meta.url));

test('npm run scripted serves a scenario and says how to use it', async () => {
  const child = spawn(process.execPath, [script, 'hello'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /ANTHROPIC_BASE_URL=(\S+) ANTHROPIC_API_KEY=scripted rein/.exec(line)?.[1];
    lines.push(line);
    if (!url) continue;
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] });
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
    expect(await answer.text()).toContain('"content":"hello"');
    child.kill('SIGTERM');
  }
  expect(await ended).toBe(0);
  expect(lines.join('\n')).toContain('1 requests, 0 violations');
});

test('npm run scripted with an unknown name lists the scenarios and exits 2', async () => {
  const child = spawn(process.execPath, [script, 'nothing'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.on('data', (data) => {
    text += String(data);
  });
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(2);
  expect(text).toContain('turns50');
});
