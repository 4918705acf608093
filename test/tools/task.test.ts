import { expect, test } from 'vitest';
import { type AgentReport, createTask, type SpawnAgent } from '../../src/tools/task.ts';
import { run } from './run.ts';

const CHOICES = [
  { name: 'explore', description: 'reads\n only' },
  { name: 'code', description: 'does all' },
];
const report = (more: Partial<AgentReport> = {}): AgentReport => ({ text: 'done', session: 's1', turns: 2, ...more });
const taskOf = (answer: AgentReport | string) => createTask(async () => answer, CHOICES);
const said = async (answer: AgentReport | string) => JSON.stringify(await run(taskOf(answer), { prompt: 'x' }));

test('the kinds and what they are for stand in the description, on one line', () => {
  expect(taskOf('').description).toContain('`agent`: explore (reads only), code (does all).');
});

test('the result is the last message, with the id to ask again', async () => {
  expect(await said(report())).toContain('done\\n[sub-agent s1, 2 turns; ask again with this id]');
  expect(await said(report({ text: '' }))).toContain('(it said nothing)');
  expect(await said(report({ note: '[look there]' }))).toContain('done\\n[look there]\\n[sub-agent');
});

test('a summary is of bounded size', async () => {
  const long = await said(report({ text: '😀'.repeat(20_000) }));
  expect(long.length).toBeLessThan(17_000);
  expect(long).toContain('[cut: 40000 characters]');
});

test('what went wrong is an error, with what was said', async () => {
  expect(await run(taskOf(report({ problem: 'a cap' })), { prompt: 'x' })).toMatchObject({
    failed: true,
    content: [{ text: 'ERROR: a cap\ndone\n[sub-agent s1, 2 turns; ask again with this id]' }],
  });
  expect(await run(taskOf('no place'), { prompt: 'x' })).toMatchObject({ content: [{ text: 'ERROR: no place' }] });
});

test('an unknown kind and an empty prompt start nothing', async () => {
  const never: SpawnAgent = () => Promise.reject(new Error('started'));
  const task = createTask(never, CHOICES);
  expect(await run(task, { prompt: 'x', agent: 'nope' })).toBe('there is no agent "nope": explore, code');
  expect(await run(task, { prompt: ' ' })).toMatch(/needs a prompt/);
});

test('a task that is stopped says so', async () => {
  expect(await run(taskOf(report({ problem: 'stopped' })), { prompt: 'x' }, AbortSignal.abort())).toMatchObject({
    stopped: true,
  });
});
