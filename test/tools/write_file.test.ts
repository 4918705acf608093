import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFiles } from '../../src/env/files/index.ts';
import { has } from '../support/has.ts';
import { hex, workspace } from './workspace.ts';

test('a new file is made with its folders and the default mode', async () => {
  const w = workspace();
  expect((await w.write('a/b/c.txt', 'x\ny\n')).said).toBe('Created a/b/c.txt (2 lines, 4 bytes).');
  expect(statSync(join(w.root, 'a/b/c.txt')).mode & 0o777).toBe(0o666 & ~process.umask());
  expect(readdirSync(join(w.root, 'a/b'))).toEqual(['c.txt']);
});

test('an overwrite says what changed, and the preview shows it', async () => {
  const w = workspace();
  w.put('a.txt', 'a\nb\n');
  const access = await w.access('write_file', { path: 'a.txt', content: 'a\nc\n' });
  expect(await access.preview?.()).toContain('-b\n+c');
  const done = await w.write('a.txt', 'a\nc\n');
  expect(done.said).toContain('+1 −1 lines');
  expect(done.output?.details).toMatchObject({ diff: expect.stringContaining('-b\n+c') });
  expect((await w.write('a.txt', 'a\nc\n')).said).toContain('already has exactly this content');
});

test('CRLF line ends of a file that is overwritten with LF text are kept, and that is said', async () => {
  const w = workspace();
  w.put('a.txt', 'a\r\nb\r\n');
  expect((await w.write('a.txt', 'c\nd\n')).said).toContain('CRLF line ends kept');
  expect(w.bytes('a.txt').toString()).toBe('c\r\nd\r\n');
});

test('D12 a write through a link goes to its target, one that is not there yet included', async () => {
  const w = workspace();
  w.put('real/t.txt', 'old\n');
  symlinkSync('real/t.txt', join(w.root, 'link.txt'));
  symlinkSync('../h/outside.txt', join(w.root, 'dangling.txt'));
  await w.write('link.txt', 'new\n');
  expect(w.bytes('real/t.txt').toString()).toBe('new\n');
  const access = await w.access('write_file', { path: 'dangling.txt', content: 'x' });
  expect(access.writes).toEqual([join(w.home, 'outside.txt')]);
  await w.write('dangling.txt', 'x\n');
  expect(w.bytes('../h/outside.txt').toString()).toBe('x\n');
  expect(readlinkSync(join(w.root, 'dangling.txt'))).toBe('../h/outside.txt');
});

test('D13 an overwrite keeps mode and hard links', async () => {
  const w = workspace();
  chmodSync(w.put('run.sh', 'old\n'), 0o755);
  linkSync(w.put('h1', 'a much longer old text\n'), join(w.root, 'h2'));
  await w.write('run.sh', 'new\n');
  await w.write('h1', 'new\n');
  expect(statSync(join(w.root, 'run.sh')).mode & 0o7777).toBe(0o755);
  expect(w.bytes('h2').toString()).toBe('new\n');
  expect(statSync(join(w.root, 'h1')).nlink).toBe(2);
});

test.skipIf(!has('python3') || process.platform !== 'linux')('D13 extended attributes are kept', async () => {
  const w = workspace();
  const path = w.put('a.txt', 'old\n');
  const python = (code: string) => spawnSync('python3', ['-c', `import os,sys; p=sys.argv[1]; ${code}`, path]);
  // Not every file system has them.
  if (python('os.setxattr(p, "user.color", b"red")').status !== 0) return;
  await w.write('a.txt', 'new\n');
  expect(python('print(os.getxattr(p, "user.color").decode())').stdout.toString().trim()).toBe('red');
});

test('D14 a file changed since it was read is not overwritten', async () => {
  const w = workspace();
  w.put('a.txt', 'mine\n');
  await w.read('a.txt');
  w.put('a.txt', 'user\n');
  const refused = await w.write('a.txt', 'model\n');
  expect(refused.said).toContain('changed since it was read');
  expect(w.bytes('a.txt').toString()).toBe('user\n');
});

test('D16 a file that was read in part is not overwritten until the rest was read', async () => {
  const w = workspace();
  w.put('big.txt', Array.from({ length: 5000 }, (_, index) => `${index + 1}\n`).join(''));
  const before = w.hex('big.txt');
  const page = await w.read('big.txt');
  expect(page.said).toContain('[lines 1–2000 of 5000; go on with start: 2001]');
  const refused = await w.write('big.txt', 'short\n');
  expect(refused.said).toContain('has 5000 lines and only 2000 of them were read');
  expect(w.hex('big.txt')).toBe(before);
  await w.edit('big.txt', '3000\n', 'three\n');
  expect((await w.write('big.txt', 'short\n')).failed).toBe(true);
  await w.read('big.txt', { start: 2001 });
  await w.read('big.txt', { start: 4001 });
  expect((await w.write('big.txt', 'short\n')).failed).toBe(false);
});

const SIZE = 8_000_000;

test('D17 a write killed at any moment leaves the old content or the new, and the next write clears up', async () => {
  const w = workspace();
  const path = w.put('a.bin', Buffer.alloc(SIZE, 'a'));
  const before = readdirSync(w.root);
  const script = `
    import { createFiles } from ${JSON.stringify(join(import.meta.dirname, '../../src/env/files/index.ts'))};
    const files = createFiles({ home: '/' });
    for (let round = 0; ; round += 1) {
      const place = await files.find(${JSON.stringify(path)}, '/', 'write');
      await files.replace(place, Buffer.alloc(${SIZE}, round % 2 ? 'a' : 'b'));
      if (round === 0) process.stdout.write('on');
    }`;
  for (let round = 0; round < 15; round += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await new Promise((resolve) => setTimeout(resolve, round * 5));
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
    const bytes = w.bytes('a.bin');
    expect(bytes.length).toBe(SIZE);
    expect(bytes.equals(Buffer.alloc(SIZE, bytes[0]))).toBe(true);
  }
  const files = createFiles({ home: w.home });
  await files.replace(await files.find(path, w.root, 'write'), Buffer.from('done'));
  expect(readdirSync(w.root)).toEqual(before);
});

test.skipIf(!has('unshare') || process.getuid?.() !== 0)(
  'D17 a full disk leaves the old content and no stray file',
  async () => {
    const w = workspace();
    const disk = join(w.root, 'disk');
    mkdirSync(disk);
    const files = JSON.stringify(join(import.meta.dirname, '../../src/env/files/index.ts'));
    const script = `
    import { createFiles, explain } from ${files};
    import { readdirSync, readFileSync, writeFileSync, linkSync } from 'node:fs';
    const disk = process.argv[1];
    writeFileSync(disk + '/a.txt', 'old'); writeFileSync(disk + '/h1', 'old'); linkSync(disk + '/h1', disk + '/h2');
    const port = createFiles({ home: '/' });
    for (const name of ['a.txt', 'h1', 'new.txt']) {
      const words = await port.find(name, disk, 'write').then((place) => port.replace(place, Buffer.alloc(4 << 20, 'x')))
        .catch((error) => explain(error, name));
      console.log(words);
    }
    console.log(readdirSync(disk).join(), readFileSync(disk + '/a.txt', 'utf8'), readFileSync(disk + '/h1', 'utf8'));`;
    // A mount of its own namespace: it goes with the process.
    const shell = 'mount -t tmpfs -o size=1m tmpfs "$1" && exec "$2" --input-type=module -e "$3" "$1"';
    const args = ['-m', 'sh', '-c', shell, 'sh', disk, process.execPath, script];
    const ran = spawnSync('unshare', args, { encoding: 'utf8' });
    if (/not permitted|denied/.test(ran.stderr)) return;
    const full = (name: string) => `the disk is full. ${name} was not changed.`;
    expect(ran.stdout.trim().split('\n')).toEqual([full('a.txt'), full('h1'), full('new.txt'), 'a.txt,h1,h2 old old']);
  },
);

test('D19 a name in another composition is the same file', async () => {
  const w = workspace();
  const decomposed = hex('61 CC 88').toString();
  w.put(`${decomposed}.txt`, 'old\n');
  expect((await w.read('\u00e4.txt')).said).toContain('old');
  expect((await w.edit('\u00e4.txt', 'old', 'new')).failed).toBe(false);
  expect((await w.write('\u00e4.txt', 'last\n')).failed).toBe(false);
  expect(readdirSync(w.root)).toEqual([`${decomposed}.txt`]);
  expect(w.bytes(`${decomposed}.txt`).toString()).toBe('last\n');
});

test('D18 a write beside a name that only looks the same is refused with that name', async () => {
  const w = workspace();
  w.put('shot 9.41\u202fPM.png', 'x');
  const refused = await w.write('shot 9.41 PM.png', 'y');
  expect(refused.said).toContain('"shot 9.41\\u202FPM.png"');
  expect((await w.write('shot 9.41\\u202FPM.png', 'y')).failed).toBe(false);
  expect(readdirSync(w.root)).toEqual(['shot 9.41\u202fPM.png']);
});

test('D20 a missing or null field of write_file is named and no file is made', async () => {
  const w = workspace();
  expect((await w.call('write_file', { path: 'a.txt' })).said).toContain('"content"');
  expect((await w.call('write_file', { content: 'x' })).said).toContain('"path"');
  expect((await w.call('write_file', { path: null, content: 'x' })).said).toContain('"path"');
  expect(readdirSync(w.root)).toEqual([]);
});

test('D21 the tilde is the home folder, and variables are not expanded', async () => {
  const w = workspace();
  expect((await w.access('write_file', { path: '~/note.txt', content: 'x' })).writes).toEqual([
    join(w.home, 'note.txt'),
  ]);
  await w.write('~/note.txt', 'x');
  expect(existsSync(join(w.home, 'note.txt'))).toBe(true);
  expect((await w.write('$HOME/n.txt', 'x')).said).toContain('$HOME is not expanded');
  expect((await w.write(['$', '{HOME}/n.txt'].join(''), 'x')).said).toContain('not expanded');
  expect((await w.write('~root/n.txt', 'x')).said).toContain('~root is not expanded');
  expect(readdirSync(w.root)).toEqual([]);
});

test('D22 a folder where a file is wanted, and the reverse, are said in words', async () => {
  const w = workspace();
  w.put('src/a.txt', 'x\n');
  w.put('a.txt', 'x\n');
  expect((await w.write('src', 'x')).said).toBe('ERROR: src is a folder, not a file.');
  expect((await w.write('a.txt/b', 'x')).said).toContain('a part of a.txt/b is a file');
  expect((await w.write('new/', 'x')).said).toContain('names a folder');
  expect((await w.write('', 'x')).said).toContain('the path is empty');
  expect((await w.list({ path: 'a.txt' })).said).toContain('not a folder');
});

test('D23 nothing is written to a pipe or a device', async () => {
  const w = workspace();
  spawnSync('mkfifo', [join(w.root, 'p')]);
  expect((await w.write('p', 'x')).said).toContain('named pipe');
  expect((await w.write('/dev/null', 'x')).said).toContain('device');
});

test('D28 D29 content is written as it is', async () => {
  const w = workspace();
  await w.write('a.txt', hex('22 5C 6E 5C 74 5C 5C 22').toString());
  expect(w.bytes('a.txt')).toEqual(hex('22 5C 6E 5C 74 5C 5C 22'));
  await w.write('b.txt', 'a &lt; b &amp;&amp; c &quot;d&quot; <e>');
  expect(w.bytes('b.txt').toString()).toBe('a &lt; b &amp;&amp; c &quot;d&quot; <e>');
});

test('D33 relative paths start at the root of the session, never at the folder of the process', async () => {
  const [main, tree] = [workspace(), workspace()];
  await tree.write('x.txt', 'x');
  expect(existsSync(join(tree.root, 'x.txt'))).toBe(true);
  expect(existsSync(join(main.root, 'x.txt'))).toBe(false);
  expect(existsSync(join(process.cwd(), 'x.txt'))).toBe(false);
});

test.skipIf(process.platform !== 'linux')(
  'E24 a folder that is swapped for a link never lets a write out',
  async () => {
    const w = workspace();
    const [d, real, out] = [join(w.root, 'd'), join(w.root, 'real'), join(w.home, 'out')];
    mkdirSync(d);
    mkdirSync(out);
    const swapper = `
    import { renameSync, symlinkSync, rmSync } from 'node:fs';
    const [d, real, out] = process.argv.slice(1);
    process.stdout.write('on');
    for (;;) try { renameSync(d, real); symlinkSync(out, d); rmSync(d); renameSync(real, d); } catch {}`;
    const args = ['--input-type=module', '-e', swapper, d, real, out];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const gone = new Promise((resolve) => child.once('close', resolve));
    try {
      await new Promise((resolve) => child.stdout.once('data', resolve));
      const allowed = join(w.root, 'd/x');
      for (let round = 0; round < 200; round += 1) {
        const prepared = await w.tool('write_file').prepare({ path: 'd/x', content: `${round}` });
        // The gate refuses what leads out of the workspace.
        if (typeof prepared === 'string' || prepared.access.writes?.[0] !== allowed) continue;
        const run = prepared.run({ call: 'c', signal: new AbortController().signal });
        while (!(await run.next()).done);
      }
    } finally {
      child.kill('SIGKILL');
      await gone;
    }
    expect(readdirSync(out)).toEqual([]);
  },
);

test('D35 names that need quoting are written as they are', async () => {
  const w = workspace();
  const names = ['a b.txt', "it's.txt", '$(touch pwned).txt', '-n.txt', 'new\nline.txt', '100%.txt', '[x].txt'];
  for (const name of names) expect((await w.write(name, 'one\n')).failed).toBe(false);
  for (const name of names) expect((await w.edit(name, 'one', 'two')).failed).toBe(false);
  expect(readdirSync(w.root).sort()).toEqual([...names].sort());
  for (const name of names) expect(w.bytes(name).toString()).toBe('two\n');
});

test('a file that somebody changes between check and write is left as they wrote it', async () => {
  const w = workspace();
  const path = w.put('a.txt', 'old\n');
  const place = await w.ports.files.find('a.txt', w.root, 'write');
  writeFileSync(join(w.root, 'b.txt'), 'user\n');
  rmSync(path);
  renameSync(join(w.root, 'b.txt'), path);
  await expect(w.ports.files.replace(place, Buffer.from('model\n'))).rejects.toThrow('somebody else');
  expect(w.bytes('a.txt').toString()).toBe('user\n');
  expect(lstatSync(path).isFile()).toBe(true);
  expect(readdirSync(w.root)).toEqual(['a.txt']);
});
