import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hex, workspace } from './workspace.ts';

test('matches are grouped by file and sorted by path, with context where it is wanted', async () => {
  const w = workspace();
  w.put('b/x.ts', 'one\nneedle\nthree\n');
  w.put('a.ts', 'needle needle\n');
  expect((await w.search('needle')).said).toBe(
    'a.ts\n1: needle needle\n\nb/x.ts\n2: needle\n[2 matches; ignored files are not searched]',
  );
  expect((await w.search('needle', { path: 'b', context: 1 })).said).toContain('b/x.ts\n1- one\n2: needle\n3- three\n');
  expect((await w.search('needle', { glob: 'b/*' })).said).toContain('[1 matches');
  expect((await w.search('needle', { glob: '*.md' })).said).toContain('[nothing found');
  expect((await w.search('needle', { path: 'b/x.ts' })).said).toBe('b/x.ts\n2: needle\n[1 matches]');
});

test('very many matches come in pages whose order never changes', async () => {
  const w = workspace();
  for (let file = 0; file < 50; file += 1) w.put(`f${String(file).padStart(2, '0')}`, 'needle\n'.repeat(100));
  const first = await w.search('needle');
  expect(first.said).toContain('[1–200 of more than 201 matches; go on with start: 201');
  expect(first.said).toMatch(/^f00\n1: needle/);
  const second = await w.search('needle', { start: 201 });
  expect(second.said).toMatch(/^f02\n1: needle/);
  expect((await w.search('needle', { start: 201 })).said).toBe(second.said);
  expect((await w.search('needle', { start: 5001 })).said).toContain('only 5000 matches');
});

test('D05 UTF-16 text is searched', async () => {
  const w = workspace();
  w.put('a.txt', hex('FF FE 6E 00 E4 00 0A 00'));
  expect((await w.search('nä')).said).toContain('a.txt\n1: nä');
});

test('D25 a match in a line of 5 MB is shown with its neighbourhood', async () => {
  const w = workspace();
  w.put('m.js', `${'a'.repeat(4_000_000)}needle${'b'.repeat(1_000_000)}`);
  const { said } = await w.search('needle');
  expect(said.length).toBeLessThan(10_000);
  expect(said).toMatch(/1: … a+needleb+ … \[line of 5,000,006 characters\]/);
});

test('D27 hidden files are searched, ignored ones when the path names them', async () => {
  const w = workspace();
  w.put('.github/ci.yml', 'needle\n');
  w.put('.gitignore', 'out/\n');
  w.put('out/x', 'needle\n');
  w.put('.git/x', 'needle\n');
  const all = await w.search('needle');
  expect(all.said).toBe('.github/ci.yml\n1: needle\n[1 matches; ignored files are not searched]');
  expect((await w.search('needle', { path: 'out' })).said).toContain('out/x\n1: needle');
  expect((await w.search('needle', { path: 'out/x' })).said).toContain('out/x\n1: needle');
});

test('D27 a named folder whose files are ignored one by one is searched, and that is said', async () => {
  const w = workspace();
  w.put('.gitignore', '*.log\n');
  w.put('logs/x.log', 'needle\n');
  expect((await w.search('needle', { path: 'logs' })).said).toContain('ignored files are searched, too');
});

test('D23 D26 pipes are skipped and link loops are not followed', async () => {
  const w = workspace();
  spawnSync('mkfifo', [join(w.root, 'p')]);
  symlinkSync('.', join(w.root, 'loop'));
  w.put('a', 'needle\n');
  expect((await w.search('needle')).said).toContain('[1 matches');
});

test('D31 a pattern that blows up elsewhere takes linear time, and a broken one is explained', async () => {
  const w = workspace();
  w.put('a.txt', `${'a'.repeat(50_000)}b\n`);
  expect((await w.search('(a+)+$')).said).toContain('[nothing found');
  const broken = await w.search('(a');
  expect(broken.said).toMatch(/^ERROR: .*unclosed group.*Correct the pattern/s);
});

test('D31 an interrupt ends a search', async () => {
  const w = workspace();
  w.put('a.txt', 'x\n'.repeat(100_000));
  const abort = new AbortController();
  const answer = w.call('search_files', { pattern: 'y' }, abort.signal);
  abort.abort();
  expect((await answer).said).toContain('stopped by the user');
});

test('a pattern that looks like an option is a pattern', async () => {
  const w = workspace();
  w.put('a.txt', 'x --files y\n');
  expect((await w.search('--files')).said).toContain('a.txt\n1: x --files y');
});

test('a Latin-1 line is shown as text', async () => {
  const w = workspace();
  w.put('a.txt', hex('6E 61 EF 66 20 78 0A'));
  expect((await w.search('x$')).said).toContain('1: naïf x');
});
