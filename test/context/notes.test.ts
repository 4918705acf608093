/** What is told late: the mode, and the list of steps. */
import { expect, test } from 'vitest';
import { foldTodo, promptsWith, todoText, withModeNote } from '../../src/context/index.ts';
import type { Event, Logged, Message } from '../../src/core/types.ts';
import { user } from '../support/agent.ts';

test('plan mode is told once when it begins and once when it ends, at the end of the history', async () => {
  const history: Message[] = [user('go')];
  let mode = 'ask';
  const view = withModeNote(
    async function* () {
      yield* [];
      return [...history];
    },
    () => mode,
    promptsWith(),
  );
  const look = async () => {
    const events = view(new AbortController().signal);
    for (;;) {
      const step: IteratorResult<Event, readonly Message[]> = await events.next();
      if (step.done) return step.value.length;
      if ('type' in step.value && step.value.type === 'message') history.push(step.value.message);
    }
  };
  expect(await look()).toBe(1);
  mode = 'plan';
  expect(await look()).toBe(2);
  expect(await look()).toBe(2);
  expect(history.at(-1)).toMatchObject({ role: 'user', origin: 'harness' });
  mode = 'auto';
  expect(await look()).toBe(3);
  mode = 'ask';
  expect(await look()).toBe(3);
});

const entry = (id: string, details: Logged extends never ? never : object, failed = false): Logged => ({
  type: 'message',
  id,
  parent: null,
  time: 0,
  message: {
    role: 'result',
    call: id,
    name: 'todo',
    content: [],
    failed,
    how: 'ran',
    details: JSON.parse(JSON.stringify(details)),
  },
});

test('the todo list is the last one in the log that was taken', () => {
  const path = [
    entry('1', { items: [{ text: 'a', state: 'open' }] }),
    entry('2', {
      items: [
        { text: 'a', state: 'done' },
        { text: 'b', state: 'doing' },
        { text: 'c', state: 'open' },
      ],
    }),
    entry('3', {}, true),
  ];
  expect(todoText(path)).toBe('[x] a\n[>] b\n[ ] c');
  expect(foldTodo(path.slice(0, 1))).toEqual([{ text: 'a', state: 'open' }]);
  expect(foldTodo([])).toEqual([]);
  expect(todoText([entry('1', { items: 'odd' })])).toBe('');
});
