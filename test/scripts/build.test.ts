import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, buildIfStale } from '../../scripts/build.ts';

const repository = resolve(import.meta.dirname, '../..');
const root = mkdtempSync(join(tmpdir(), 'rein-build-'));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

const main = `import text from '../tools/a.md';
if (process.argv[2] === 'lazy') {
  const { parseHTML } = await import('linkedom');
  const { parse } = await import('yaml');
  const { Defuddle } = await import('defuddle/node');
  const { parse: parseJson } = await import('jsonc-parser');
  console.log(typeof parseHTML, typeof Defuddle, parse('a: 1'), parseJson('[1,/* */]'));
} else console.log(text.trim(), process.argv.slice(2));
`;

const library = `import * as z from 'zod/mini';
import { parse } from 'yaml';
import text from './tools/a.md';
export { z, text };
/** Is it? */
export const isNull = (text: string): boolean => parse(text) === null;
`;

beforeAll(async () => {
  for (const path of ['package.json', 'tsconfig.json', 'bin/rein.cjs', 'src/markdown.d.ts'])
    cpSync(join(repository, path), join(root, path), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  mkdirSync(join(root, 'scripts'));
  write('src/tools/a.md', 'Words for the model.\n');
  write('src/cli/main.ts', main);
  write('src/index.ts', library);
  write('src/testing/index.ts', "export { isNull } from '../index.ts';\n");
  await build(root);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const rein = (args: string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [join(root, 'bin/rein.cjs'), ...args], {
    encoding: 'utf8',
    env: { HOME: join(root, 'home'), PATH: process.env['PATH'], ...env },
  });

test('the bundle carries Markdown as text and passes arguments on', () => {
  expect(rein(['-p', 'hi']).stdout).toBe("Words for the model. [ '-p', 'hi' ]\n");
});

test('packages that are loaded late keep their names, CommonJS ones too', () => {
  expect(rein(['lazy'])).toMatchObject({ status: 0, stderr: '', stdout: 'function function { a: 1 } [ 1 ]\n' });
});

test('what is loaded late is in files of its own', () => {
  const entry = readFileSync(join(root, 'dist/cli/main.js'), 'utf8');
  expect(entry.length).toBeLessThan(5000);
  expect(readdirSync(join(root, 'dist/cli')).some((name) => name.startsWith('linkedom-'))).toBe(true);
});

test('the library keeps zod as an import, carries the rest, and has types', () => {
  const code = `import { isNull, text, z } from 'rein'; import * as testing from 'rein/testing'; import * as own from 'zod/mini';
    console.log(isNull('~'), text.trim(), z.string === own.string, testing.isNull === isNull)`;
  write('use.mjs', code);
  const used = spawnSync(process.execPath, [join(root, 'use.mjs')], { encoding: 'utf8' });
  expect(used).toMatchObject({ stderr: '', stdout: 'true Words for the model. true true\n' });
  expect(readFileSync(join(root, 'dist/lib/index.d.ts'), 'utf8')).toContain('/** Is it? */');
  expect(existsSync(join(root, 'dist/lib/testing.d.ts'))).toBe(true);
});

test('the licences of what is bundled come along', () => {
  const text = readFileSync(join(root, 'dist/licences.txt'), 'utf8');
  for (const name of ['linkedom', 'yaml', 'defuddle', 'jsonc-parser']) expect(text).toContain(`## ${name}\n`);
});

test('the version is answered without loading the program', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const flag of ['--version', '-v'])
    expect(rein([flag])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test('compiled code is kept with the own files of the user, or not at all', () => {
  rein([], { REIN_HOME: join(root, 'state') });
  expect(existsSync(join(root, 'state/cache/compiled'))).toBe(true);
  rein([], { XDG_CACHE_HOME: join(root, 'xdg') });
  expect(existsSync(join(root, 'xdg/rein/compiled'))).toBe(true);
  expect(rein([], { HOME: '/dev/null' })).toMatchObject({ status: 0, stderr: '' });
});

test('an old Node gets one line and exit code 2', () => {
  const source = readFileSync(join(root, 'bin/rein.cjs'), 'utf8');
  write('bin/old.cjs', source.replace('process.versions.node.split', "'20.20.2'.split"));
  const old = spawnSync(process.execPath, [join(root, 'bin/old.cjs'), '--version'], { encoding: 'utf8' });
  expect(old).toMatchObject({ status: 2, stdout: '' });
  expect(old.stderr).toMatch(/^rein needs Node 22\.19 or newer; this is .*\n$/);
});

test('the door speaks the syntax of Node 12', async () => {
  const { transform } = await import('esbuild');
  const source = readFileSync(join(repository, 'bin/rein.cjs'), 'utf8');
  const strip = async (target: string) => (await transform(source, { target, format: 'cjs', minify: true })).code;
  expect(await strip('node12.20')).toBe(await strip('esnext'));
});

test('what is not built says so', () => {
  write('elsewhere/bin/rein.cjs', readFileSync(join(root, 'bin/rein.cjs'), 'utf8'));
  const started = spawnSync(process.execPath, [join(root, 'elsewhere/bin/rein.cjs')], { encoding: 'utf8' });
  expect(started).toMatchObject({ status: 2, stdout: '' });
  expect(started.stderr).toContain('npm run build');
});

test('only a newer source is a reason to build again', async () => {
  expect(await buildIfStale(root)).toBe(false);
  write('src/tools/a.md', 'Other words.\n');
  const later = new Date(Date.now() + 1000);
  utimesSync(join(root, 'src/tools/a.md'), later, later);
  expect(await buildIfStale(root)).toBe(true);
  expect(rein([]).stdout).toBe('Other words. []\n');
});
