import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { cutExcerpts } from '../../scripts/excerpts.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');

test('docs/ladder.md shows the code as it is (node scripts/excerpts.ts cuts it anew)', () => {
  const page = read('docs/ladder.md');
  expect(page.match(/<!-- .*? -->/g)?.length).toBeGreaterThan(5);
  expect(cutExcerpts(page, read)).toBe(page);
});

test('an excerpt whose statement is gone is an error', () => {
  const page = '<!-- a.ts: for -->\n```ts\nold\n```';
  expect(cutExcerpts(page, () => 'x;\n  for (;;) {\n    y;\n  }\nz;')).toContain('```ts\nfor (;;) {\n  y;\n}\n```');
  expect(() => cutExcerpts(page, () => 'while')).toThrow('a.ts has no statement');
});
