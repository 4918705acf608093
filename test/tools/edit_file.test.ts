import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finish, hex, workspace } from './workspace.ts';

test('D01 a CRLF file is edited with LF text and stays CRLF', async () => {
  const w = workspace();
  w.put('a.txt', hex('61 0D 0A 62 0D 0A 63 0D 0A'));
  expect((await w.edit('a.txt', 'a\nb', 'a\nB\nX')).failed).toBe(false);
  expect(w.bytes('a.txt')).toEqual(hex('61 0D 0A 42 0D 0A 58 0D 0A 63 0D 0A'));
});

test('D01 an LF file is edited with CRLF text and stays LF', async () => {
  const w = workspace();
  w.put('a.txt', 'a\nb\nc\n');
  await w.edit('a.txt', 'a\r\nb', 'a\nB');
  expect(w.bytes('a.txt').toString()).toBe('a\nB\nc\n');
});

test('D01 a line added to one line of a CRLF file ends as the lines around it', async () => {
  const w = workspace();
  w.put('a.txt', 'a\r\nb\r\n');
  await w.edit('a.txt', 'b', 'b\nc');
  expect(w.bytes('a.txt').toString()).toBe('a\r\nb\r\nc\r\n');
});

test('D02 mixed line ends and a CR as data stay where nobody edits', async () => {
  const w = workspace();
  w.put('a.txt', hex('61 0D 0A 62 0A 63 0D 64 0A'));
  await w.edit('a.txt', 'b', 'B');
  expect(w.bytes('a.txt')).toEqual(hex('61 0D 0A 42 0A 63 0D 64 0A'));
});

test('D03 a byte-order mark survives edit and overwrite, and new files get none', async () => {
  const w = workspace();
  w.put('a.txt', hex('EF BB BF 61 62 63 0A'));
  await w.edit('a.txt', 'abc', 'abd');
  expect(w.bytes('a.txt')).toEqual(hex('EF BB BF 61 62 64 0A'));
  await w.write('a.txt', 'xyz\n');
  expect(w.bytes('a.txt')).toEqual(hex('EF BB BF 78 79 7A 0A'));
  await w.write('new.txt', 'xyz\n');
  expect(w.bytes('new.txt')).toEqual(hex('78 79 7A 0A'));
});

test('D04 a Latin-1 file keeps its odd bytes, on edit and on overwrite', async () => {
  const w = workspace();
  w.put('a.py', hex('78 20 3D 20 31 0A 23 20 6E 61 EF 66 0A'));
  expect((await w.read('a.py')).said).toContain('# naïf');
  await w.edit('a.py', 'x = 1', 'x = 2');
  expect(w.bytes('a.py')).toEqual(hex('78 20 3D 20 32 0A 23 20 6E 61 EF 66 0A'));
  await w.edit('a.py', 'naïf', 'été');
  expect(w.bytes('a.py')).toEqual(hex('78 20 3D 20 32 0A 23 20 E9 74 E9 0A'));
  const before = w.bytes('a.py');
  const strange = await w.edit('a.py', 'été', '日本');
  expect(strange.said).toContain('Latin-1, which has no "日"');
  expect((await w.write('a.py', '日本\n')).failed).toBe(true);
  expect(w.bytes('a.py')).toEqual(before);
});

test('D04 UTF-8 with stray bytes keeps them', async () => {
  const w = workspace();
  w.put('a.txt', hex('C3 A9 C3 A9 0A FF 78 0A'));
  expect((await w.read('a.txt')).said).toContain('�x');
  await w.edit('a.txt', 'x', 'é');
  expect(w.bytes('a.txt')).toEqual(hex('C3 A9 C3 A9 0A FF C3 A9 0A'));
});

test('D05 a UTF-16 file is read, searched and edited as text', async () => {
  const w = workspace();
  w.put('a.txt', hex('FF FE 61 00 0D 00 0A 00'));
  expect((await w.read('a.txt')).said).toMatch(/UTF-16LE.*\n.*CRLF.*\n1\ta$/);
  expect((await w.search('a')).said).toContain('a.txt\n1: a');
  await w.edit('a.txt', 'a', 'b');
  expect(w.bytes('a.txt')).toEqual(hex('FF FE 62 00 0D 00 0A 00'));
  await w.write('a.txt', 'c\n');
  expect(w.bytes('a.txt')).toEqual(hex('FF FE 63 00 0D 00 0A 00'));
});

test('D06 the end of the last line is what the edit says', async () => {
  const w = workspace();
  const cases = [
    ['61 0A 62', 'b', 'c', '61 0A 63'],
    ['61 0A 62 0A', 'b\n', 'b\nc\n', '61 0A 62 0A 63 0A'],
    ['61 0A 62 0A', 'b', '', '61 0A 0A'],
  ] as const;
  for (const [index, [before, old, wanted, after]] of cases.entries()) {
    w.put(`${index}.txt`, hex(before));
    await w.edit(`${index}.txt`, old, wanted);
    expect(w.bytes(`${index}.txt`)).toEqual(hex(after));
  }
});

test('D07 no match is no change: the nearest line is shown and what differs in it', async () => {
  const w = workspace();
  w.put('a.txt', hex('E2 80 9C 61 E2 80 9D 20 20 0A 66 6F 6F 09 0A'));
  const before = w.hex('a.txt');
  const miss = await w.edit('a.txt', 'foo    ', 'bar');
  expect(miss.said).toContain('line 2 (differs in tabs and spaces)');
  expect(miss.said).toContain('file: "foo\\t"');
  const quotes = await w.edit('a.txt', '"a"', 'b');
  expect(quotes.said).toContain('line 1 (differs in quotes)');
  expect(w.hex('a.txt')).toBe(before);
});

test.each([
  [
    '  if (x) {\n    go();\n  }\n',
    '\tif (x) {\n\t\tgo();\n',
    'lines 1–2, which differ at line 1 (differs in tabs and spaces)',
  ],
  ['a && b\n', 'a &amp;&amp; b', 'line 1 (differs in HTML entities)'],
  ['a – b\n', 'a - b', 'line 1 (differs in dashes)'],
  ['one\u00a0two\n', 'one two', 'line 1 (differs in special blanks)'],
  ['x\nconst total = count + 1;\ny\n', 'const total = counts + 1;', 'line 2.'],
  ['Hello World\n', 'hello world', 'line 1 (differs in capital letters)'],
  ['abc\n', 'completely unlike', 'nor anything like it'],
])('D07 near miss %#: it says where and what', async (content, old, words) => {
  const w = workspace();
  w.put('a.txt', content);
  expect((await w.edit('a.txt', old, 'new')).said).toContain(words);
});

test('D08 an old text that occurs more often is refused with count and lines', async () => {
  const w = workspace();
  w.put('a.txt', 'x=1\ny\nx=1\n');
  w.put('b.txt', 'aaa\n');
  expect((await w.edit('a.txt', 'x=1', 'x=2')).said).toContain('occurs 2 times, at lines 1, 3');
  expect((await w.edit('b.txt', 'aa', 'b')).said).toContain('occurs 2 times, at lines 1, 1');
  expect(w.bytes('a.txt').toString() + w.bytes('b.txt')).toBe('x=1\ny\nx=1\naaa\n');
  expect((await w.edit('a.txt', 'x=1', 'x=2', true)).said).toContain('2 places');
  expect(w.bytes('a.txt').toString()).toBe('x=2\ny\nx=2\n');
});

test('D09 dollar patterns in the new text are literal', async () => {
  const w = workspace();
  w.put('a.txt', 'KEY\n');
  await w.edit('a.txt', 'KEY', 'a$&b$$c$1d');
  expect(w.bytes('a.txt').toString()).toBe('a$&b$$c$1d\n');
});

test('D10 edits of one file that run one after the other are all there, through a link too', async () => {
  const w = workspace();
  w.put('a.txt', '1\n2\n3\n4\n5\n');
  symlinkSync('a.txt', join(w.root, 'l.txt'));
  const paths = ['a.txt', 'l.txt', 'a.txt', './a.txt', 'l.txt'];
  const accesses = await Promise.all(
    paths.map((path, index) => w.access('edit_file', { path, edits: [{ old: `${index + 1}`, new: 'x' }] })),
  );
  // The loop serialises what writes the same path: all five say the same one.
  expect(new Set(accesses.flatMap((access) => access.writes))).toEqual(new Set([join(w.root, 'a.txt')]));
  for (const [index, path] of paths.entries()) await w.edit(path, `${index + 1}`, `${index + 1}!`);
  expect(w.bytes('a.txt').toString()).toBe('1!\n2!\n3!\n4!\n5!\n');
});

test('D12 an edit through a link changes the target and leaves the link', async () => {
  const w = workspace();
  w.put('real/t.txt', 'old\n');
  symlinkSync('real/t.txt', join(w.root, 'link.txt'));
  await w.edit('link.txt', 'old', 'new');
  expect(lstatSync(join(w.root, 'link.txt')).isSymbolicLink()).toBe(true);
  expect(w.bytes('real/t.txt').toString()).toBe('new\n');
});

test('D13 modes, owner and hard links are kept', async () => {
  const w = workspace();
  for (const [name, mode] of [
    ['run.sh', 0o755],
    ['key', 0o600],
    ['suid', 0o4755],
    ['h1', 0o644],
  ] as const) {
    chmodSync(w.put(name, 'old\n'), mode);
  }
  linkSync(join(w.root, 'h1'), join(w.root, 'h2'));
  const before = ['run.sh', 'key', 'suid', 'h1', 'h2'].map((name) => statSync(join(w.root, name)));
  for (const name of ['run.sh', 'key', 'suid', 'h1'])
    expect((await w.edit(name, 'old', 'new and longer')).failed).toBe(false);
  const after = ['run.sh', 'key', 'suid', 'h1', 'h2'].map((name) => statSync(join(w.root, name)));
  expect(after.map(({ mode, uid, gid, nlink }) => [mode, uid, gid, nlink])).toEqual(
    before.map(({ mode, uid, gid, nlink }) => [mode, uid, gid, nlink]),
  );
  expect(after[3]?.ino).toBe(after[4]?.ino);
  expect(w.bytes('h2').toString()).toBe('new and longer\n');
});

test('D14 a file changed since it was read is not edited, and the difference is shown once', async () => {
  const w = workspace();
  const path = w.put('a.txt', 'mine\nrest\n');
  const { atime, mtime } = statSync(path);
  await w.read('a.txt');
  w.put('a.txt', 'user\nrest\n');
  utimesSync(path, atime, mtime);
  const refused = await w.edit('a.txt', 'rest', 'tail');
  expect(refused.failed).toBe(true);
  expect(refused.said).toContain('changed since it was read');
  expect(refused.said).toContain('-mine\n+user');
  expect(w.bytes('a.txt').toString()).toBe('user\nrest\n');
  expect((await w.edit('a.txt', 'rest', 'tail')).failed).toBe(false);
  expect(w.bytes('a.txt').toString()).toBe('user\ntail\n');
});

test('D15 own edits, a touch and restored bytes are no foreign change', async () => {
  const w = workspace();
  const path = w.put('a.txt', 'a\nb\n');
  await w.read('a.txt');
  expect((await w.edit('a.txt', 'a', 'A')).failed).toBe(false);
  expect((await w.edit('a.txt', 'b', 'B')).failed).toBe(false);
  expect((await w.write('a.txt', 'c\n')).failed).toBe(false);
  utimesSync(path, new Date(), new Date(Date.now() + 86_400_000));
  w.put('a.txt', 'other\n');
  w.put('a.txt', 'c\n');
  expect((await w.edit('a.txt', 'c', 'C')).failed).toBe(false);
});

test('D20 a missing or null field of edit_file is named and nothing is touched', async () => {
  const w = workspace();
  w.put('a.txt', 'x\n');
  expect((await w.call('edit_file', { path: 'a.txt', edits: [{ old: 'x' }] })).said).toContain('"edits.0.new"');
  expect((await w.call('edit_file', { edits: [{ old: 'x', new: 'y' }] })).said).toContain('"path"');
  expect(w.bytes('a.txt').toString()).toBe('x\n');
});

test('D24 a very large file is not edited, and its size is said', async () => {
  const w = workspace();
  truncateSync(w.put('big', 'line\n'.repeat(5000)), 3 * 2 ** 30);
  const refused = await w.edit('big', 'line', 'LINE');
  expect(refused.said).toContain('3,221,225,472 bytes');
});

test('D29 entities are text: nothing is decoded', async () => {
  const w = workspace();
  w.put('a.html', 'a < b\n');
  expect((await w.edit('a.html', 'a &lt; b', 'x')).said).toContain('HTML entities');
  w.put('b.html', 'a &lt; b &amp;&amp; c\n');
  await w.edit('b.html', '&lt;', '&gt;');
  expect(w.bytes('b.html').toString()).toBe('a &gt; b &amp;&amp; c\n');
});

test('D30 an empty old text, a no-op and a missing file are refused', async () => {
  const w = workspace();
  w.put('a.txt', 'abc\n');
  expect((await w.edit('a.txt', '', 'X')).said).toContain('"old" is empty');
  expect((await w.edit('a.txt', 'b', 'b')).said).toContain('no change');
  expect((await w.edit('none.txt', 'b', 'c')).said).toContain('write_file');
  expect((await w.call('edit_file', { path: 'a.txt', edits: [] })).said).toContain('"edits" is empty');
  expect(w.bytes('a.txt').toString()).toBe('abc\n');
});

test('several edits apply in order, each on what the ones before left', async () => {
  const w = workspace();
  w.put('a.txt', 'one\ntwo\n');
  const edits = [
    { old: 'one', new: 'two' },
    { old: 'two\ntwo', new: 'done' },
  ];
  expect((await w.call('edit_file', { path: 'a.txt', edits })).said).toContain('2 places');
  expect(w.bytes('a.txt').toString()).toBe('done\n');
});

test('one edit that does not apply voids the others', async () => {
  const w = workspace();
  w.put('a.txt', 'one\ntwo\n');
  const edits = [
    { old: 'one', new: '1' },
    { old: 'three', new: '3' },
  ];
  expect((await w.call('edit_file', { path: 'a.txt', edits })).said).toContain('edit 2:');
  expect(w.bytes('a.txt').toString()).toBe('one\ntwo\n');
});

test('the result, the details and the preview carry the change as a unified diff', async () => {
  const w = workspace();
  w.put('a.txt', Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join(''));
  const input = { path: 'a.txt', edits: [{ old: 'line 50\n', new: 'LINE 50\nmore\n' }] };
  const access = await w.access('edit_file', input);
  const diff =
    '@@ -47,7 +47,8 @@\n line 47\n line 48\n line 49\n-line 50\n+LINE 50\n+more\n line 51\n line 52\n line 53';
  expect(await access.preview?.()).toBe(diff);
  const edited = await w.call('edit_file', input);
  expect(edited.said).toBe(`Edited a.txt: 1 place.\n${diff}`);
  expect(edited.output?.details).toEqual({ path: join(w.root, 'a.txt'), diff });
});

test('the preview of an edit that does not apply says so', async () => {
  const w = workspace();
  w.put('a.txt', 'abc\n');
  const access = await w.access('edit_file', { path: 'a.txt', edits: [{ old: 'nothing of that', new: 'x' }] });
  expect(await access.preview?.()).toContain("can't be applied");
});

test('E23 a link that leads elsewhere since it was allowed is not followed', async () => {
  const w = workspace();
  w.put('a/x.txt', 'x\n');
  w.put('../h/x.txt', 'x\n');
  symlinkSync('a', join(w.root, 'd'));
  const prepared = await w.tool('edit_file').prepare({ path: 'd/x.txt', edits: [{ old: 'x', new: 'y' }] });
  if (typeof prepared === 'string') throw new Error(prepared);
  expect(prepared.access.writes).toEqual([join(w.root, 'a/x.txt')]);
  rmSync(join(w.root, 'd'));
  symlinkSync(w.home, join(w.root, 'd'));
  const refused = await finish(prepared.run({ call: 'c', signal: new AbortController().signal }));
  expect(refused.said).toContain('another place');
  expect(w.bytes('../h/x.txt').toString()).toBe('x\n');
});

test('a folder and a binary file are not edited', async () => {
  const w = workspace();
  mkdirSync(join(w.root, 'd'));
  w.put('b.bin', hex('00 01 02 61'));
  expect((await w.edit('d', 'a', 'b')).said).toContain('is a folder');
  expect((await w.edit('b.bin', 'a', 'b')).said).toContain('not a text file');
});
