/** The todo list: the last one that the log has. */
import { field, isObject, list } from '../core/json.ts';
import type { Json, Logged } from '../core/types.ts';

export type TodoItem = { readonly text: string; readonly state: 'open' | 'doing' | 'done' };

/** `path` is one line of the tree, so that a step back brings the list of that time. */
export function foldTodo(path: readonly Logged[]): readonly TodoItem[] {
  const details = path.findLast(isList);
  return details?.type === 'message' && details.message.role === 'result' ? itemsIn(details.message.details) : [];
}

const isList = (entry: Logged): boolean =>
  entry.type === 'message' && entry.message.role === 'result' && entry.message.name === 'todo' && !entry.message.failed;

const itemsIn = (details: Json | undefined): readonly TodoItem[] => list(field(details, 'items')).filter(isItem);

const isItem = (value: Json): value is TodoItem =>
  isObject(value) && typeof value['text'] === 'string' && ['open', 'doing', 'done'].some((s) => s === value['state']);

const MARKS = { open: '[ ]', doing: '[>]', done: '[x]' };

/** One line an item; '' where there is no list. */
export const todoText = (path: readonly Logged[]): string =>
  foldTodo(path)
    .map(({ text, state }) => `${MARKS[state]} ${text}`)
    .join('\n');
