/** The library as a program of its own uses it. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { createAgent, defineTool, SettingsError, text } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'rein-embed-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const dice = defineTool({
  name: 'dice',
  description: 'Roll a die.',
  input: z.strictObject({ sides: z.int() }),
  access: ({ sides }) => ({ show: `roll a die of ${sides}` }),
  run: async ({ sides }) => text(`a ${sides}`),
});

test('an agent with a model and a tool of the program’s own answers, and keeps no record unless told', async () => {
  const model = scriptedModel([{ calls: [{ name: 'dice', input: { sides: 6 } }] }, { text: 'a six' }]);
  const agent = await createAgent({ cwd: folder(), model, tools: [dice], allow: ['dice'] });
  agent.send('roll');
  expect(await agent.settled()).toMatchObject({ stop: 'done', text: 'a six' });
  expect(agent.tools).toContain('dice');
  expect(agent.tools).not.toContain('task');
  expect(agent.file).toBe(null);
  await agent.close();
});

test('questions go to the function that the program gave, and its no reaches the model', async () => {
  const model = scriptedModel([{ calls: [{ name: 'bash', input: { command: 'rm -rf build' } }] }, { text: 'ok' }]);
  const asked: string[] = [];
  const agent = await createAgent({
    cwd: folder(),
    model,
    ask: async ({ access }) => {
      asked.push(access.command ?? '');
      return { allow: false, reason: 'not today' };
    },
  });
  agent.send('clean');
  await agent.settled();
  expect(asked).toEqual(['rm -rf build']);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('not today');
  await agent.close();
});

test('without a model or a key the reason is one sentence', async () => {
  await expect(createAgent({ cwd: folder(), model: 'anthropic/x' })).rejects.toThrow(SettingsError);
});
