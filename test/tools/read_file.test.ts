import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { has } from '../support/has.ts';
import { hex, workspace } from './workspace.ts';

const png = (width: number, height: number, size = 100): Buffer => {
  const bytes = Buffer.alloc(size);
  hex('89 50 4E 47 0D 0A 1A 0A 00 00 00 0D 49 48 44 52').copy(bytes);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};

test('text comes with line numbers, in pages that say how to go on', async () => {
  const w = workspace();
  w.put('a.txt', Array.from({ length: 10 }, (_, index) => `l${index + 1}\n`).join(''));
  expect((await w.read('a.txt', { start: 3, limit: 2 })).said).toBe(
    '3\tl3\n4\tl4\n[lines 3–4 of 10; go on with start: 5]',
  );
  expect((await w.read('a.txt', { start: 9 })).said).toBe('9\tl9\n10\tl10\n[end of the file]');
});

test('a page ends at 32,000 characters', async () => {
  const w = workspace();
  w.put('a.txt', `${'x'.repeat(1000)}\n`.repeat(100));
  const page = await w.read('a.txt');
  expect(page.said.length).toBeLessThan(32_200);
  expect(page.said).toContain('[lines 1–31 of 100; go on with start: 32]');
});

test('D18 a single look-alike of a name is read; two of them are listed and can be named', async () => {
  const w = workspace();
  w.put('shot 9.41\u202fPM.png', png(3, 2));
  const read = await w.read('shot 9.41 PM.png');
  expect(read.output?.content[1]).toMatchObject({ type: 'image', mediaType: 'image/png' });
  w.put('shot 9.41\u00a0PM.png', 'text\n');
  const two = await w.read('shot 9.41 PM.png');
  expect(two.said).toContain('"shot 9.41\\u00A0PM.png"');
  expect(two.said).toContain('"shot 9.41\\u202FPM.png"');
  expect((await w.read('shot 9.41\\u00A0PM.png')).said).toContain('text');
});

test('D21 the tilde is the home folder', async () => {
  const w = workspace();
  w.put('../h/n.txt', 'at home\n');
  expect((await w.read('~/n.txt')).said).toContain('at home');
  expect((await w.read('$HOME/n.txt')).said).toContain('not expanded');
});

test('D22 a folder is listed; a missing file and an empty path are said in words', async () => {
  const w = workspace();
  w.put('src/a.txt', 'x');
  mkdirSync(join(w.root, 'src/sub'));
  symlinkSync('a.txt', join(w.root, 'src/l'));
  expect((await w.read('src')).said).toBe('[src is a folder of 3]\na.txt\nl@\nsub/');
  expect((await w.read('none.txt')).said).toBe('ERROR: there is no none.txt. Look with list_files.');
  expect((await w.read('src/a.txt/b')).said).toContain('is a file, not a folder');
  expect((await w.read('')).said).toContain('the path is empty');
});

test.skipIf(!has('mkfifo'))('D23 a pipe, a device and a socket are refused at once', async () => {
  const w = workspace();
  spawnSync('mkfifo', [join(w.root, 'p')]);
  expect((await w.read('p')).said).toContain('named pipe (FIFO)');
  expect((await w.read('/dev/zero')).said).toContain('device');
  expect((await w.search('x')).said).toContain('nothing found');
  expect((await w.search('x', { path: 'p' })).said).toContain('named pipe (FIFO)');
});

test('D24 a 3 GB file is read in pages with bounded memory', async () => {
  const w = workspace();
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}\n`).join('');
  truncateSync(w.put('big', lines), 3 * 2 ** 30);
  const before = process.memoryUsage().rss;
  const page = await w.read('big', { start: 5, limit: 3 });
  expect(page.said).toBe('5\tline 5\n6\tline 6\n7\tline 7\n[lines 5–7; go on with start: 8]');
  expect((await w.read('big', { start: 6000 })).said).toContain('has only 5001 lines');
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  expect((await w.write('big', 'short')).failed).toBe(true);
});

test('D24 a small text with a tail of NULs is still text', async () => {
  const w = workspace();
  truncateSync(w.put('sparse.log', 'a\nb\n'), 2 ** 30);
  expect((await w.read('sparse.log', { limit: 2 })).said).toBe('1\ta\n2\tb\n[lines 1–2; go on with start: 3]');
});

test('D25 a long line is cut with a note of its length and read on by column', async () => {
  const w = workspace();
  const content = `${'a'.repeat(4_000_000)}needle${'b'.repeat(1_000_000)}`;
  w.put('m.js', content);
  const page = await w.read('m.js');
  expect(page.said.length).toBeLessThan(10_000);
  expect(page.said).toContain('[line of 5,000,006 characters; go on with column: 2001]');
  const there = await w.read('m.js', { column: 4_000_001 });
  expect(there.said).toMatch(/^1\tneedleb/);
  expect(there.said).toContain('go on with column: 4032001]');
  expect((await w.read('m.js', { column: 5_000_000 })).said).toBe('1\tbbbbbbb\n[end of line 1]');
});

test('D25 a long line of a file too large to hold is read on by column, too', async () => {
  const w = workspace();
  const half = 'é'.repeat(3 << 20);
  w.put('m.js', `first\n${half}needle${half}\n`);
  expect((await w.read('m.js')).said).toContain('[line of more than ');
  const there = await w.read('m.js', { start: 2, column: 2 * (3 << 20) + 1 });
  expect(there.said).toMatch(/^2\tneedleé/);
});

test('D32 an empty file, a start behind the end and odd numbers have different words', async () => {
  const w = workspace();
  w.put('e.txt', '');
  w.put('a.txt', 'a\nb\nc\n');
  expect((await w.read('e.txt')).said).toBe('[e.txt is empty]');
  expect((await w.read('a.txt', { start: 10 })).said).toContain('has only 3 lines');
  expect((await w.read('a.txt', { limit: 0 })).said).toContain('"limit"');
  expect((await w.read('a.txt', { limit: -1 })).said).toContain('"limit"');
  expect((await w.read('a.txt', { start: '2' })).said).toBe('2\tb\n3\tc\n[end of the file]');
});

test('D35 names that need quoting are read, a byte that is not UTF-8 as it is shown', async () => {
  const w = workspace();
  const names = ['a b.txt', "it's.txt", '$(touch pwned).txt', '-n.txt', 'new\nline.txt', '100%.txt', '[x].txt'];
  for (const name of names) w.put(name, `in ${name}\n`);
  for (const name of names) expect((await w.read(name)).failed).toBe(false);
  const odd = Buffer.concat([Buffer.from(`${w.root}/caf`), hex('E9')]);
  writeFileSync(odd, 'needle\n');
  expect((await w.list()).said).toContain('caf\\xE9\n');
  expect((await w.list()).said).toContain('new\\x0Aline.txt\n');
  expect((await w.read('caf\\xE9')).said).toBe('1\tneedle');
  expect((await w.read('new\\x0Aline.txt')).said).toContain('in new');
  expect((await w.edit('caf\\xE9', 'needle', 'NEEDLE')).failed).toBe(false);
  expect((await w.search('NEEDLE')).said).toContain('caf\\xE9\n1: NEEDLE');
  expect((await w.search('NEEDLE', { path: 'caf\\xE9' })).said).toContain('caf\\xE9\n1: NEEDLE');
  for (const name of names) expect((await w.search('in', { path: name })).said).toContain('1: in');
  expect((await w.list({ pattern: '[x].txt' })).said).toContain('[x].txt\n');
});

test('an image is shown by what its bytes say', async () => {
  const w = workspace();
  w.put('a.txt', png(640, 480));
  const read = await w.read('a.txt');
  expect(read.said).toBe('[a.txt: image/png, 640×480 pixels]');
  expect(read.output?.content[1]).toEqual({
    type: 'image',
    mediaType: 'image/png',
    data: png(640, 480).toString('base64'),
  });
});

test('an image beyond the limits of providers is refused with the way to shrink it', async () => {
  const w = workspace();
  w.put('wide.png', png(9000, 10));
  w.put('heavy.png', png(10, 10, 4_000_000));
  expect((await w.read('wide.png')).said).toMatch(/9000×10 pixels.*resize/s);
  expect((await w.read('heavy.png')).said).toMatch(/4,000,000 bytes.*resize/s);
});

test('a notebook is shown as cells with the text of their outputs', async () => {
  const w = workspace();
  const cells = [
    { cell_type: 'markdown', source: ['# Title\n', 'text'] },
    {
      cell_type: 'code',
      source: 'print(1)',
      outputs: [
        { output_type: 'stream', text: ['1\n'] },
        { output_type: 'display_data', data: { 'image/png': 'AAAA', 'text/plain': ['<Figure>'] } },
        { output_type: 'error', ename: 'ValueError', evalue: 'bad' },
      ],
    },
  ];
  w.put('n.ipynb', JSON.stringify({ cells, nbformat: 4 }));
  const { said } = await w.read('n.ipynb');
  expect(said).toContain('[cell 1, markdown]\n2\t# Title');
  expect(said).toContain('print(1)');
  expect(said).toContain('(image/png left out)');
  expect(said).toContain('ValueError: bad');
  expect((await w.write('n.ipynb', '{}')).said).toContain('only');
  w.put('broken.ipynb', 'no json\n');
  expect((await w.read('broken.ipynb')).said).toBe('1\tno json');
});

test('a PDF and a binary file are refused with type, size and another way', async () => {
  const w = workspace();
  w.put('a.pdf', '%PDF-1.7\n');
  w.put('b', hex('7F 45 4C 46 02 01 01 00'));
  expect((await w.read('a.pdf')).said).toContain('pdftotext');
  expect((await w.read('b')).said).toContain('ELF program, 8 bytes');
});

test('E23 the access of a read is what its link leads to', async () => {
  const w = workspace();
  w.put('../h/.ssh/id', 'secret');
  symlinkSync('../h/.ssh/id', join(w.root, 'l'));
  expect((await w.access('read_file', { path: 'l' })).reads).toEqual([join(w.home, '.ssh/id')]);
  expect((await w.access('read_file', { path: '../w/./../h//.ssh/id' })).reads).toEqual([join(w.home, '.ssh/id')]);
});

test('a file under /proc, whose size is 0, is read', async () => {
  const w = workspace();
  if (process.platform !== 'linux') return;
  expect((await w.read('/proc/version')).said).toContain('Linux');
});
