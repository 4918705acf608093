import { expect, test } from 'vitest';
import { createSkill } from '../../src/tools/skill.ts';
import { run } from './run.ts';

const skill = (body: string) => createSkill([{ name: 'a', path: '/s/a/SKILL.md', folder: '/s/a', body }]);

test('a skill is its text, with the folder that its files are in', async () => {
  expect(await run(skill('\nDo it.\n'), { name: 'a' })).toMatchObject({
    content: [{ text: '[its files are in /s/a]\nDo it.' }],
  });
});

test('a long one is cut with the way to the rest', async () => {
  const output = await run(skill('é'.repeat(50_000)), { name: 'a' });
  expect(JSON.stringify(output)).toMatch(/é\\n\[cut: the rest is in \/s\/a\/SKILL\.md\]/);
});

test('it says what it reads, and names the skills there are', async () => {
  const prepared = await skill('x').prepare({ name: 'a' });
  expect(typeof prepared === 'string' ? prepared : prepared.access.reads).toEqual(['/s/a/SKILL.md']);
  expect(await run(skill('x'), { name: 'b' })).toBe('there is no skill "b". The skills are: a');
});
