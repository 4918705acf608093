import { expect, test } from 'vitest';
import { createTodo } from '../../src/tools/todo.ts';
import { run } from './run.ts';

test('the list goes into the details of the result, whole each time', async () => {
  const items = [
    { text: 'a', state: 'done' },
    { text: 'b', state: 'doing' },
    { text: 'c', state: 'open' },
  ];
  const output = await run(createTodo(), { items });
  expect(output).toMatchObject({ content: [{ text: 'Noted: 1 in work, 1 open.' }], details: { items } });
  expect(await run(createTodo(), { items: items.slice(0, 1) })).toMatchObject({ content: [{ text: 'All done.' }] });
});

test('a list that is not one is a complaint, and nothing is noted', async () => {
  expect(await run(createTodo(), { items: [{ text: 'a', state: 'later' }] })).toMatch(/^todo .*state/);
});
