import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileGlob } from '../../src/policy/glob.ts';
import { here, touch } from './support.ts';

/** What a pattern means, as a regular expression: right, but slow on some. */
function oracle(pattern: string): RegExp {
  const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const inside = (text: string) => literal(text).replaceAll('\\*', '[^/]*').replaceAll('\\?', '[^/]');
  const whole = pattern.endsWith('/**') ? pattern.slice(0, -3) : pattern;
  const source = whole.replace(/\*\*\/|\*\*|\*|\?|\{([^{}]*)\}|[\s\S]/g, (piece, choices?: string) => {
    if (choices !== undefined) return `(?:${choices.split(',').map(inside).join('|')})`;
    return { '**/': '(?:[^/]+/)*', '**': '.*', '*': '[^/]*', '?': '[^/]' }[piece] ?? literal(piece);
  });
  return new RegExp(`^${source}${whole === pattern ? '' : '(?:/.*)?'}$`, 's');
}

test('a pattern of a rule means what its regular expression means', () => {
  const pieces = ['a', 'b', '.', '/', '*', '**', '?', '{', '}', ',', '{a,b}', '{a*,/b}', '/**', '**/', '[', '\\', '-'];
  const pattern = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(''));
  const path = fc.array(fc.constantFrom('a', 'b', '.', '/', 'ab', '{', '[', '\\', '-', '*', '\n'), { maxLength: 8 });
  fc.assert(
    fc.property(pattern, fc.array(path, { minLength: 20, maxLength: 20 }), (glob, paths) => {
      const [test, slow] = [compileGlob(glob), oracle(glob)];
      const odd = paths.map((parts) => parts.join('')).filter((one) => test(one) !== slow.test(one));
      expect(odd, glob).toEqual([]);
    }),
    { numRuns: 2_000, seed: 20_260_101 },
  );
});

test('no pattern takes long, whatever the path', async () => {
  const started = performance.now();
  const folders = `${here.root}/${'a/'.repeat(60)}y`;
  const name = `${here.root}/${'a'.repeat(250)}`;
  for (const deny of [`read_file(${'**/a/'.repeat(6)}z)`, `read_file(${'**/a/'.repeat(20)}y/**)`])
    expect((await touch('read_file', folders, { deny: [deny] })).verdict).toMatch(/allow|deny/);
  for (const deny of [`read_file(${'*a'.repeat(60)}b*)`, `read_file(${'{a,a*}'.repeat(60)}b)`])
    expect((await touch('read_file', name, { deny: [deny] })).verdict).toBe('allow');
  expect((await touch('read_file', `${folders}/z`, { deny: [`read_file(${'**/a/'.repeat(6)}y/z)`] })).verdict).toBe(
    'deny',
  );
  expect(performance.now() - started).toBeLessThan(1_000);
});
