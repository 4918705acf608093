import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRipgrep } from '../../src/env/ripgrep.ts';
import { listFiles } from '../../src/tools/list_files.ts';
import { finish, workspace } from './workspace.ts';

test('files are listed by path, ready to be used as paths', async () => {
  const w = workspace();
  for (const path of ['b.ts', 'src/a.ts', 'src/deep/x.ts', '.github/ci.yml']) w.put(path, 'x');
  expect((await w.list()).said).toBe(
    '.github/ci.yml\nb.ts\nsrc/a.ts\nsrc/deep/x.ts\n[4 files; ignored ones are not listed]',
  );
  expect((await w.list({ path: 'src' })).said).toContain('src/a.ts\nsrc/deep/x.ts\n');
  expect((await w.list({ pattern: '**/*.ts' })).said).toContain('b.ts\nsrc/a.ts\nsrc/deep/x.ts\n[3 files');
  expect((await w.list({ pattern: 'src/*.ts' })).said).toContain('src/a.ts\n[1 files');
  expect((await w.list({ pattern: `${w.root}/src/**/x.ts` })).said).toContain('src/deep/x.ts\n');
});

test('D26 a huge tree is an outline that fits, and its pages go on', async () => {
  const w = workspace();
  for (let index = 0; index < 2500; index += 1) w.put(`gen/d${index % 5}/f${index}.ts`, 'x');
  w.put('a.ts', 'x');
  symlinkSync('.', join(w.root, 'loop'));
  const { said } = await w.list();
  expect(said).toContain('a.ts\ngen/d0/ (500 files)\n');
  expect(said).toContain('2,501 files');
  expect(said).toContain('loop@');
  const flat = await w.list({ pattern: '**/*.ts' });
  expect(flat.said).toContain('[lines 1–1000 of 2501; go on with start: 1001;');
  const last = await w.list({ pattern: '**/*.ts', start: 2501 });
  expect(last.said.split('\n')).toHaveLength(2);
});

test('D26 an interrupt ends a listing', async () => {
  const w = workspace();
  const abort = new AbortController();
  abort.abort();
  expect((await w.call('list_files', {}, abort.signal)).said).toContain('stopped by the user');
});

test('D27 ignored files are left out, named as left out, and listed when the path names them', async () => {
  const w = workspace();
  w.put('.gitignore', 'out/\n*.log\n');
  w.put('out/x', 'x');
  w.put('a.log', 'x');
  w.put('a.ts', 'x');
  w.put('.git/config', 'x');
  mkdirSync(join(w.root, 'empty'));
  const { said } = await w.list();
  expect(said).toMatch(/^\.gitignore\na\.ts\n\[/);
  expect(said).toContain('also there, ignored, empty or special: .git/ a.log empty/ out/');
  expect((await w.list({ path: 'out' })).said).toContain('out/x');
  expect((await w.list({ pattern: '**/*' })).said).not.toContain('a.log');
  expect((await w.list({ pattern: '*.log' })).said).toContain('[0 files');
});

test('what cannot be read is named, the rest is listed', async () => {
  const w = workspace();
  if (process.platform === 'linux')
    expect((await w.search('zzz', { path: '/proc/self/attr' })).said).toMatch(/\d+ could not be read: /);
  // Nothing is closed to root.
  if (process.getuid?.() === 0) return;
  w.put('locked/x', 'x');
  w.put('a', 'x');
  chmodSync(join(w.root, 'locked'), 0);
  const { said } = await w.list();
  chmodSync(join(w.root, 'locked'), 0o755);
  expect(said).toMatch(/^a\n/);
  expect(said).toContain('1 could not be read');
});

test('a broken glob is explained', async () => {
  const w = workspace();
  expect((await w.list({ pattern: 'src/{a' })).said).toMatch(/^ERROR: .*glob/s);
});

test('without ripgrep the result says what else to do', async () => {
  const w = workspace();
  const tool = listFiles({ ...w.ports, ripgrep: createRipgrep('/nowhere/rg') });
  const prepared = await tool.prepare({});
  if (typeof prepared === 'string') throw new Error(prepared);
  const answer = await finish(prepared.run({ call: 'c', signal: new AbortController().signal }));
  expect(answer.said).toContain('ripgrep is missing here. Use bash');
});
