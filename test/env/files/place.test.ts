import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFiles, imageSize, kindOf } from '../../../src/env/files/index.ts';

const folder = () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rein-place-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const files = createFiles({ home: join(root, 'home') });
  return { root, find: async (path: string) => (await files.find(path, root, 'write')).path };
};

test('a path is resolved as the system does: a link first, then the dots behind it', async () => {
  const { root, find } = folder();
  mkdirSync(join(root, 'a/b'), { recursive: true });
  mkdirSync(join(root, 'home'));
  symlinkSync('a/b', join(root, 'l'));
  expect(await find('l/../x')).toBe(join(root, 'a/x'));
  expect(await find('./a//b/./new/deep')).toBe(join(root, 'a/b/new/deep'));
  expect(await find('none/../y')).toBe(join(root, 'y'));
  expect(await find('~')).toBe(join(root, 'home'));
  expect(await find('/')).toBe('/');
});

test('links to nothing are followed to where a write would go, and circles are refused', async () => {
  const { root, find } = folder();
  symlinkSync('two', join(root, 'one'));
  symlinkSync('/nowhere/at/all', join(root, 'two'));
  symlinkSync('round', join(root, 'round'));
  expect(await find('one/x')).toBe('/nowhere/at/all/x');
  await expect(find('round')).rejects.toThrow(/ELOOP/);
});

test('E25 a sibling with the same beginning is another path', async () => {
  const { root, find } = folder();
  mkdirSync(join(root, 'app-evil'));
  writeFileSync(join(root, 'app-evil/x'), '');
  expect(await find('app/../app-evil/x')).toBe(join(root, 'app-evil/x'));
});

test('a name that begins with a tilde, a dollar or a dash is a name', async () => {
  const { root, find } = folder();
  expect(await find('~$doc.docx')).toBe(join(root, '~$doc.docx'));
  expect(await find('$(x).txt')).toBe(join(root, '$(x).txt'));
  expect(await find('-n')).toBe(join(root, '-n'));
});

test.each([
  ['image/png', '89504E470D0A1A0A0000000D49484452000002800000 01E0', 640, 480],
  ['image/gif', '474946383961 8002 E001', 640, 480],
  ['image/jpeg', 'FFD8 FFE0 0004 0000 FFFF C0 0011 08 01E0 0280 03', 640, 480],
  ['image/webp', '52494646 00000000 57454250 56503858 0A000000 00000000 7F0200 DF0100', 640, 480],
  ['image/webp', '52494646 00000000 57454250 5650384C 00000000 2F 7FC27700', 640, 480],
  ['image/webp', '52494646 00000000 57454250 56503820 00000000 000000 9D012A 8002 E001', 640, 480],
])('the size of %s %#', (mediaType, digits, width, height) => {
  const bytes = Buffer.from(digits.replaceAll(' ', ''), 'hex');
  expect(kindOf(bytes)).toEqual({ kind: 'image', mediaType });
  expect(imageSize(bytes, mediaType)).toEqual({ width, height });
  expect(imageSize(bytes.subarray(0, -3), mediaType)).toBeUndefined();
});
