import { expect, test } from 'vitest';
import type { Event, Json, Model, Output, Tool } from '../../src/core/types.ts';
import { checkModel, checkTool, scriptedModel } from '../../src/testing/index.ts';

const echo: Tool = {
  name: 'echo',
  description: 'Says it again.',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  prepare: async (input: Json) => {
    const text = typeof input === 'object' && input !== null && 'text' in input ? input.text : undefined;
    if (typeof text !== 'string') return 'text: expected a string';
    return { access: { show: 'echo' }, run: () => answer(text) };
  },
};

async function* answer(text: string): AsyncGenerator<Event, Output> {
  yield { live: 'progress', call: 'x', text };
  return text === 'bad'
    ? { content: [{ type: 'text', text: 'ERROR: bad' }], failed: true }
    : { content: [{ type: 'text', text }] };
}

test('checkTool takes a tool that keeps its promises', async () => {
  await checkTool(echo, [
    { input: { text: 'a' }, expect: 'ok', says: /^a$/ },
    { input: { text: 'bad' }, expect: 'failed', says: /^ERROR:/ },
    { input: {}, expect: 'refused', says: /expected a string/ },
  ]);
});

test('checkTool lists every broken promise', async () => {
  const broken: Tool = {
    name: 'a b',
    description: ' ',
    input: { type: 'string', required: ['x'] },
    prepare: async () => ({
      access: { show: 'a\nb', writes: ['relative'] },
      run: (context) => {
        if (context.signal.aborted) throw new Error('no');
        return answer('');
      },
    }),
  };
  const found = await checkTool(broken, [{ input: {}, expect: 'ok', says: /x/ }]).catch(
    (error: Error) => error.message,
  );
  for (const line of [
    'name must match',
    'description is blank',
    'type "object"',
    'required "x"',
    'one line',
    'not absolute',
    'blank',
    'does not match',
    'aborted',
  ])
    expect(found).toContain(line);
});

test('checkModel takes the scripted model', async () => {
  await checkModel(scriptedModel(() => ({ thinking: 'hm', text: ['hel', 'lo'] })));
});

test('checkModel refuses a model that throws, ignores an abort, or shows another text', async () => {
  const throws: Model = () => {
    throw new Error('boom');
  };
  await expect(checkModel(throws)).rejects.toThrow(/threw Error: boom/);
  const liar: Model = async function* () {
    yield { live: 'text', text: 'a' };
    return { role: 'assistant', content: [{ type: 'text', text: 'b' }], stop: 'done', model: 'm' };
  };
  await expect(checkModel(liar)).rejects.toThrow(
    /deltas "a" are not the text "b"[\s\S]*vendor\/model[\s\S]*not aborted/,
  );
});
