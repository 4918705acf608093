/** Headers, imports and commands, as functions of their text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDocument } from '../../src/context/front-matter.ts';
import { importsOf } from '../../src/context/imports.ts';
import { expandCommand, listSkills } from '../../src/context/index.ts';

test('a header is the YAML between two lines of ---', async () => {
  expect(await readDocument('---\na: 1\nb: [x, y]\n---\nbody\n---\n')).toEqual({
    head: { a: 1, b: ['x', 'y'] },
    body: 'body\n---\n',
  });
  expect(await readDocument('---\n---\nbody')).toEqual({ head: {}, body: 'body' });
  expect(await readDocument('no header\n---\n')).toEqual({ head: {}, body: 'no header\n---\n' });
  expect(await readDocument('---\na: 1\n')).toMatchObject({ problem: expect.stringContaining('no end') });
  expect(await readDocument('---\n- a\n---\n')).toMatchObject({ problem: expect.stringContaining('key: value') });
});

test('a colon in a description is read where it has one meaning, and never beside a restriction', async () => {
  expect(await readDocument('---\nname: x\ndescription: Use when: "a" #1\n---\n')).toMatchObject({
    head: { name: 'x', description: 'Use when: "a" #1' },
  });
  for (const restriction of ['tools: read', 'allowed-tools: read', 'mode: plan', 'permissionMode: plan'])
    expect(await readDocument(`---\ndescription: a: b\n${restriction}\n---\n`)).toHaveProperty('problem');
  expect(await readDocument('---\ndescription: a: b\nother:\n  nested: x\n---\n')).toHaveProperty('problem');
});

test('no header makes the reader fail', async () => {
  const piece = fc.constantFrom('---\n', 'a: b', ': ', '\n', '!!js', '&a', '*a', '<<: *a', '? ', '- ', '|', '{', '\t');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(piece, fc.string())), async (parts) => {
      const read = await readDocument(`---\n${parts.join('')}\n---\nbody`);
      expect('problem' in read || typeof read.body === 'string').toBe(true);
    }),
  );
});

test.each([
  ['see @a.md', ['a.md']],
  ['@a.md, (@b/c.txt) and @./d.md.', ['a.md', 'b/c.txt', './d.md']],
  ['@~/x.md @/etc/y.md @../z.md', ['~/x.md', '/etc/y.md', '../z.md']],
  ['user@host.md @anna @types/node @Override', []],
  ['`@a.md` ``@b.md`` and @c.md', ['c.md']],
  ['```\n@a.md\n```\n@b.md', ['b.md']],
  ['~~~~\n```\n@a.md\n~~~~\n@b.md', ['b.md']],
  ['    @code.md', []],
])('%j imports %j', (text, expected) => {
  expect(importsOf(text)).toEqual(expected);
});

test('no text makes imports fail', () => {
  fc.assert(fc.property(fc.string(), (text) => Array.isArray(importsOf(text))));
});

test.each([
  ['fix $ARGUMENTS now', 'the bug', 'fix the bug now'],
  ['$1 then $2, not $3', 'a "b c"', 'a then b c, not '],
  ['no place', 'for it', 'no place\n\nfor it'],
  ['no place', '', 'no place'],
  ['costs $10 and $100', 'x', 'costs x0 and x00'],
  ['$ARGUMENTSX', 'x', '$ARGUMENTSX\n\nx'],
  ['$ARGUMENTS', '$1 $& $ARGUMENTS', '$1 $& $ARGUMENTS'],
])('%j with %j is %j', (text, args, expected) => {
  expect(expandCommand(text, args)).toBe(expected);
});

test('the list of skills never exceeds its budget', () => {
  const skill = fc.record({
    name: fc.string({ minLength: 1, maxLength: 64 }),
    description: fc.string({ maxLength: 2000 }),
  });
  fc.assert(
    fc.property(fc.array(skill, { maxLength: 300 }), (skills) => {
      expect(listSkills(skills).length).toBeLessThanOrEqual(4000 + 4000 + 400);
    }),
  );
});
