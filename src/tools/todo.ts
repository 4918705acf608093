import * as z from 'zod/mini';
import type { Tool } from '../core/types.ts';
import { defineTool, text } from './define.ts';
import description from './todo.md';

const STATES = ['open', 'doing', 'done'] as const;

const input = () => z.strictObject({ items: z.array(z.strictObject({ text: z.string(), state: z.enum(STATES) })) });

/** The list lives in the log: the details of the last result are the list (`foldTodo`). */
export const createTodo = (): Tool =>
  defineTool({
    name: 'todo',
    description,
    input: input(),
    access: ({ items }) => ({
      show: `${items.filter(({ state }) => state === 'done').length} of ${items.length} done`,
    }),
    run: async ({ items }) => {
      const doing = items.filter(({ state }) => state === 'doing').length;
      const open = items.filter(({ state }) => state === 'open').length;
      const said = open + doing === 0 ? 'All done.' : `Noted: ${doing} in work, ${open} open.`;
      return text(said, { items: items.map(({ text: words, state }) => ({ text: words, state })) });
    },
  });
