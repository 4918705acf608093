import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Json } from '../../src/core/types.ts';
import { defineTool, text } from '../../src/tools/define.ts';

const edit = (seen: unknown[] = []) =>
  defineTool({
    name: 'edit_file',
    description: 'Edits.\n',
    input: z.strictObject({
      path: z.string(),
      edits: z.array(z.strictObject({ old: z.string(), new: z.string(), all: z.optional(z.boolean()) })),
      start: z.optional(z.int().check(z.describe('first line'))),
      mode: z.optional(z.enum(['fast', 'safe'])),
    }),
    access: (input) => ({ show: input.path, writes: [input.path] }),
    run: async (input) => {
      seen.push(input);
      return text('done');
    },
  });

const take = async (sent: Json): Promise<unknown> => {
  const seen: unknown[] = [];
  const prepared = await edit(seen).prepare(sent);
  if (typeof prepared === 'string') return prepared;
  await prepared.run({ call: 'c1', signal: new AbortController().signal }).next();
  return seen[0];
};

const good = { path: 'a.txt', edits: [{ old: 'x', new: 'y' }] };

test('the schema is the smallest that says everything', () => {
  expect(edit().description).toBe('Edits.');
  expect(edit().input).toEqual({
    type: 'object',
    properties: {
      path: { type: 'string' },
      edits: {
        type: 'array',
        items: {
          type: 'object',
          properties: { old: { type: 'string' }, new: { type: 'string' }, all: { type: 'boolean' } },
          required: ['old', 'new'],
          additionalProperties: false,
        },
      },
      start: { type: 'integer', description: 'first line' },
      mode: { type: 'string', enum: ['fast', 'safe'] },
    },
    required: ['path', 'edits'],
    additionalProperties: false,
  });
});

test('good input arrives as it was sent; null for an optional field is absence', async () => {
  expect(await take(good)).toEqual(good);
  expect(await take({ ...good, start: null, mode: null })).toEqual(good);
});

test('B21 what was encoded twice is decoded once where the schema wants no string', async () => {
  expect(await take({ ...good, edits: JSON.stringify(good.edits), start: '30' })).toEqual({ ...good, start: 30 });
  expect(await take(JSON.stringify(good))).toEqual(good);
  expect(await take({ ...good, edits: JSON.stringify(JSON.stringify(good.edits)) })).toMatch(
    /^edit_file needs "edits"/,
  );
});

test('B22 a string field is never decoded', async () => {
  for (const content of ['[ "a" ]\n', '{"x":1}', 'true', '007', 'null']) {
    expect(await take({ path: content, edits: [{ old: content, new: content }] })).toEqual({
      path: content,
      edits: [{ old: content, new: content }],
    });
  }
});

test('a complaint names the field, what it wants, and all fields', async () => {
  expect(await take({ path: 'a' })).toBe(
    'edit_file needs "edits" (array of {old (string), new (string), all (boolean, optional)}). Nothing was done. ' +
      'Its fields: path (string), edits (array of {old (string), new (string), all (boolean, optional)}), ' +
      'start (integer, optional), mode ("fast" or "safe", optional).',
  );
  expect(await take({ ...good, path: 7 })).toMatch('needs "path" as string, not number');
  expect(await take({ ...good, start: 'soon' })).toMatch('needs "start" as integer, not string');
  expect(await take({ ...good, start: 1.5 })).toMatch('needs "start" as integer, not number');
  expect(await take({ ...good, mode: 'slow' })).toMatch('needs "mode" as "fast" or "safe", not "slow"');
  expect(await take({ ...good, edits: [{ old: 'x' }] })).toMatch('needs "edits.0.new" (string)');
  expect(await take({ ...good, file: 'a', ['__proto__x']: 1 })).toMatch(
    'has no field "file"; has no field "__proto__x"',
  );
  for (const sent of [null, 7, 'text', [], true]) expect(await take(sent)).toMatch(/^edit_file needs an object/);
});

test('any Standard Schema works, with its JSON schema beside it', async () => {
  const tool = defineTool<{ n: number }>({
    name: 'twice',
    description: 'Doubles.',
    shape: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false },
    input: {
      '~standard': {
        validate: (value: unknown) =>
          typeof value === 'object' && value !== null && 'n' in value && typeof value.n === 'number' && value.n < 10
            ? { value: { n: value.n } }
            : { issues: [{ message: 'must be below 10', path: [{ key: 'n' }] }] },
      },
    },
    access: () => ({ show: 'twice' }),
    run: async ({ n }) => text(`${2 * n}`),
  });
  expect(await tool.prepare({ n: 12 })).toMatch('needs "n" as number, not 12: must be below 10');
  expect(await tool.prepare({ n: '4' })).toHaveProperty('run');
});
