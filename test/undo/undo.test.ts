import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LIMITS } from '../../src/undo/rules.ts';
import { storeSize } from '../../src/undo/store.ts';
import { has } from '../support/has.ts';
import { applied, asAgent, bytes, changed, makePlace, paths, planned, stateOf, tree } from './support.ts';

const withGit = test.skipIf(!has('git'));

withGit('F30 undo touches only what the agent changed and shows what somebody else changed too', async () => {
  const place = makePlace();
  const { root, git, write, read, open } = place;
  git('init', '-q');
  write('a.txt', 'one\n');
  write('b.txt', 'two\n');
  git('add', 'a.txt', 'b.txt');
  git('commit', '-qm', 'first');
  write('data.bin', Buffer.from([0, 255, 13, 10]));
  write('.gitignore', 'data.bin\n');
  const undo = open();
  const step = await asAgent(undo, () => {
    write('a.txt', 'one, by the agent\n');
    write('new.txt');
    rmSync(join(root, 'data.bin'));
  });

  write('a.txt', 'one, by the agent\nand a line by the user\n');
  write('b.txt', 'two, by the user\n');
  write('c.txt', 'stash me\n');
  git('add', 'b.txt');
  git('commit', '-qm', 'second');
  git('stash', 'push', '-qu', 'c.txt');
  const repository = stateOf(join(root, '.git'));

  const plan = await planned(undo, [step]);
  expect(paths(plan.conflicts)).toEqual(['a.txt']);
  expect(paths(plan.restore)).toEqual(['data.bin', 'new.txt']);
  const done = await applied(undo, plan);
  expect(done.failed).toEqual([]);
  expect(paths(done.kept)).toEqual(['a.txt']);
  expect(read('a.txt')).toContain('and a line by the user');
  expect(read('b.txt')).toBe('two, by the user\n');
  expect(stateOf(root).get('data.bin')).toBe('file 644 \x00\xff\r\n');
  expect(existsSync(join(root, 'new.txt'))).toBe(false);

  const over = await applied(undo, await planned(undo, [step]), 'overwrite');
  expect(read('a.txt')).toBe('one\n');
  await applied(undo, await planned(undo, [over]));
  expect(read('a.txt')).toContain('and a line by the user');
  expect(stateOf(join(root, '.git'))).toEqual(repository);
});

withGit('F30 what the user changed between two steps of the agent is a conflict, too', async () => {
  const { open, write, read } = makePlace();
  write('a.txt', '1');
  write('b.txt', '1');
  const undo = open();
  const first = await asAgent(undo, () => write('a.txt', '2'));
  write('a.txt', '3 by the user');
  write('b.txt', '3 by the user');
  const second = await asAgent(undo, () => write('a.txt', '4'));
  const plan = await planned(undo, [first, second]);
  expect(paths(plan.conflicts)).toEqual(['a.txt']);
  expect(plan.restore).toEqual([]);
  await applied(undo, await planned(undo, [second]));
  expect([read('a.txt'), read('b.txt')]).toEqual(['3 by the user', '3 by the user']);
});

withGit('a step whose end nobody saw is asked about', async () => {
  const { open, write } = makePlace();
  write('a.txt', '1');
  const undo = open();
  const before = await tree(undo);
  write('a.txt', '2');
  const plan = await planned(undo, [{ before, after: null }]);
  expect([plan.restore.length, paths(plan.conflicts)]).toEqual([0, ['a.txt']]);
});

withGit('undo, redo and undo again are exact, whatever kinds of things took each other’s place', async () => {
  const { open, root, write } = makePlace();
  write('folder/one');
  write('folder/deep/two', '\r\n\0');
  mkdirSync(join(root, 'empty/inner'), { recursive: true });
  mkdirSync(join(root, 'private'), { mode: 0o700 });
  write('file', '#!/bin/sh\n');
  chmodSync(join(root, 'file'), 0o750);
  write('secret', 'x');
  chmodSync(join(root, 'secret'), 0o600);
  symlinkSync('nowhere/at all', join(root, 'link'));
  symlinkSync('folder', join(root, 'way'));
  const undo = open();
  const was = stateOf(root);
  const step = await asAgent(undo, () => {
    rmSync(join(root, 'folder'), { recursive: true });
    write('folder', 'now a file');
    rmSync(join(root, 'file'));
    write('file/inside/it');
    rmSync(join(root, 'empty'), { recursive: true });
    rmSync(join(root, 'link'));
    write('link', 'now a file');
    rmSync(join(root, 'way'));
    mkdirSync(join(root, 'way'));
    chmodSync(join(root, 'secret'), 0o644);
    chmodSync(join(root, 'private'), 0o755);
  });
  const became = stateOf(root);
  const undone = await applied(undo, await planned(undo, [step]));
  expect(undone.failed).toEqual([]);
  expect(stateOf(root)).toEqual(was);
  expect(undone.after).toBe(step.before);
  await applied(undo, await planned(undo, [undone]));
  expect(stateOf(root)).toEqual(became);
  await applied(undo, await planned(undo, [step]));
  expect(stateOf(root)).toEqual(was);
});

withGit('bytes come back exactly under hostile attributes, configuration and environment', async () => {
  const { open, root, write, git, base } = makePlace();
  git('init', '-q');
  const marker = join(base, 'ran');
  write('.gitattributes', '* text eol=crlf ident filter=evil working-tree-encoding=UTF-16 diff=evil merge=evil\n');
  write('.git/info/attributes', '* text eol=crlf filter=evil\n');
  for (const [key, value] of [
    ['filter.evil.clean', `touch ${marker}`],
    ['filter.evil.smudge', `touch ${marker}`],
    ['diff.evil.textconv', `touch ${marker}`],
    ['core.fsmonitor', `touch ${marker}`],
    ['core.autocrlf', 'true'],
    ['core.hooksPath', root],
  ] as const)
    git('config', key, value);
  const texts = {
    lf: 'a\nb\n$Id$\n',
    crlf: 'a\r\nb\r\n',
    mixed: 'a\rb\nc\r\n',
    binary: '\0\xff\xfe\n\r\n',
    bom: '\xff\xfea\0',
    none: '',
  };
  for (const [name, text] of Object.entries(texts)) write(name, bytes(text));
  const was = stateOf(root);
  const before = { ...process.env };
  Object.assign(process.env, {
    GIT_DIR: join(root, '.git'),
    GIT_INDEX_FILE: '/nonexistent',
    GIT_OBJECT_DIRECTORY: '/nonexistent',
  });
  try {
    const undo = open();
    const step = await asAgent(undo, () => Object.keys(texts).forEach((name) => void write(name, 'gone')));
    await undo.patch(step.before, step.after);
    await applied(undo, await planned(undo, [step]));
  } finally {
    for (const name of ['GIT_DIR', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY']) delete process.env[name];
    Object.assign(process.env, before);
  }
  expect(stateOf(root)).toEqual(was);
  expect(existsSync(marker)).toBe(false);
});

withGit('ignored files are covered, generated folders and repositories are left alone', async () => {
  const { open, root, write, read, git, warnings } = makePlace();
  git('init', '-q');
  write('.gitignore', '.env\nnode_modules\n');
  write('.env', 'KEY=1');
  write('node_modules/x/index.js');
  write('target/CACHEDIR.TAG');
  write('target/out.o');
  mkdirSync(join(root, 'nested'));
  execFileSync('git', ['init', '-q', join(root, 'nested')]);
  write('nested/code.c', 'int x;');
  const repository = stateOf(join(root, 'nested/.git'));
  const undo = open();
  const step = await asAgent(undo, () => {
    rmSync(join(root, '.env'));
    rmSync(join(root, 'node_modules'), { recursive: true });
    write('target/out.o', 'built again');
    write('nested/code.c', 'int y;');
    git('add', '.gitignore');
    git('commit', '-qm', 'by the agent');
    write('nested/CACHEDIR.TAG', 'hides nothing that was stored before');
    write('fresh/node_modules/y.js');
    write('fresh/z.js');
  });
  const plan = await planned(undo, [step]);
  expect(plan.blocked).toMatchObject([
    { path: 'fresh/node_modules', uncovered: 'generated folders are not stored' },
    { path: 'node_modules', kind: 'added' },
  ]);
  expect((await applied(undo, plan)).failed).toEqual([]);
  expect([read('.env'), read('nested/code.c'), read('target/out.o')]).toEqual(['KEY=1', 'int x;', 'built again']);
  expect(stateOf(join(root, 'nested/.git'))).toEqual(repository);
  expect(readdirSync(join(root, 'fresh'))).toEqual(['node_modules']);
  expect(git('log', '--format=%s')).toBe('by the agent\n');
  expect(warnings).toEqual([]);
});

withGit('what is too large or no regular file is left out with a note, and never removed', async () => {
  const { open, root, read, write, warnings } = makePlace();
  write('big.bin', '');
  truncateSync(join(root, 'big.bin'), 5 * 2 ** 30);
  execFileSync('mkfifo', [join(root, 'pipe')]);
  write('grows', 'small');
  const undo = open({ limits: { file: 1000 } });
  const step = await asAgent(undo, () => {
    write('grows', 'x'.repeat(2000));
    write('made', 'y'.repeat(2000));
    rmSync(join(root, 'pipe'));
  });
  expect(warnings).toEqual(['Undo does not cover big.bin (too large to be stored), pipe (no regular file).']);
  const plan = await planned(undo, [step]);
  expect([plan.restore, paths(plan.conflicts)]).toEqual([[], ['grows']]);
  expect(paths(plan.blocked)).toEqual(['made', 'pipe']);
  await applied(undo, plan, 'keep');
  expect(lstatSync(join(root, 'grows')).size).toBe(2000);
  // What was stored comes back where it is said; what takes its place is lost with it.
  await applied(undo, plan, 'overwrite');
  expect(read('grows')).toBe('small');
  expect(lstatSync(join(root, 'made')).size).toBe(2000);
});

withGit('what may be all that is left of something is asked about, never removed in silence', async () => {
  const { open, root, read, write, git } = makePlace();
  write('big', 'x'.repeat(2000));
  write('vendor/a.c');
  git('init', '-q', 'vendor');
  git('init', '-q');
  const undo = open({ limits: { file: 1000 } });
  const moved = await asAgent(undo, () => {
    renameSync(join(root, '.git'), join(root, 'old'));
    renameSync(join(root, 'vendor'), join(root, 'lib'));
  });
  const plan = await planned(undo, [moved]);
  expect(plan.blocked).toMatchObject([{ path: 'old', kind: 'deleted', uncovered: 'repositories are not stored' }]);
  expect(paths(plan.conflicts)).toEqual(['lib', 'lib/a.c']);
  const { blocked } = await applied(undo, plan, 'keep');
  expect(paths(blocked)).toEqual(['old']);
  expect(existsSync(join(root, 'old/HEAD')) && existsSync(join(root, 'lib/.git/HEAD'))).toBe(true);
  expect([read('vendor/a.c'), read('lib/a.c')]).toEqual(['vendor/a.c\n', 'vendor/a.c\n']);
  const packed = await asAgent(undo, () => {
    write('big.gz', 'all that is left of big');
    rmSync(join(root, 'big'));
  });
  const second = await planned(undo, [packed]);
  expect([paths(second.restore), paths(second.conflicts), paths(second.blocked)]).toEqual([[], ['big.gz'], ['big']]);
});

withGit('names may be anything that a file system takes', async () => {
  const { open, root } = makePlace();
  const names = [
    'new\nline',
    'tab\t"quoted"',
    '-rf',
    '\xff\xfe',
    'ü',
    ' ',
    '...',
    '*',
    'a\\b',
    '__proto__',
    `${'n'.repeat(255)}`,
  ];
  const fill = (text: string) => {
    for (const name of names) writeFileSync(bytes(join(root, name)), text + name);
  };
  fill('one');
  const was = stateOf(root);
  const undo = open();
  const step = await asAgent(undo, () => fill('two'));
  const changes = await undo.diff(step.before, step.after);
  expect(changes).toHaveLength(names.length);
  await applied(undo, await planned(undo, [step]));
  expect(stateOf(root)).toEqual(was);
});

withGit('a folder that became a link leads nowhere', async () => {
  const { open, root, base, write } = makePlace();
  write('folder/file', 'inside');
  const undo = open();
  const step = await asAgent(undo, () => write('folder/file', 'changed'));
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'outside/file'), 'changed');
  renameSync(join(root, 'folder'), join(base, 'moved'));
  symlinkSync(join(base, 'outside'), join(root, 'folder'));
  const plan = await planned(undo, [step]);
  const done = await applied(undo, plan);
  expect(stateOf(join(base, 'outside')).get('file')).toMatch(/changed$/);
  expect(lstatSync(join(root, 'folder')).isSymbolicLink()).toBe(true);
  expect(done.restored).toBe(0);
});

withGit('a file that changed while a plan was looked at is not overwritten unasked', async () => {
  const { open, write, read } = makePlace();
  write('a.txt', 'one');
  const undo = open();
  const step = await asAgent(undo, () => write('a.txt', 'two'));
  const plan = await planned(undo, [step]);
  expect(plan.conflicts).toEqual([]);
  write('a.txt', 'mine');
  const answer = await undo.apply(plan, { conflicts: 'overwrite' });
  expect(answer).toMatchObject({ conflicts: [{ path: 'a.txt' }] });
  expect(read('a.txt')).toBe('mine');
});

withGit('the other name of a file keeps what the agent wrote', async () => {
  const { open, root, base, write, read } = makePlace();
  write('a.txt', 'one');
  linkSync(join(root, 'a.txt'), join(base, 'twin'));
  const undo = open();
  const step = await asAgent(undo, () => write('a.txt', 'two'));
  await applied(undo, await planned(undo, [step]));
  expect([read('a.txt'), stateOf(base).get('twin')]).toEqual(['one', 'file 644 two']);
});

withGit('a patch shows what changed', async () => {
  const { open, write } = makePlace();
  write('a.txt', 'one\ntwo\n');
  write('b.txt', 'x\n');
  const undo = open();
  const { before, after } = await asAgent(undo, () => {
    write('a.txt', 'one\n2\n');
    write('b.txt', 'y\n');
    write('sub/c.txt', 'new\n');
  });
  expect(await undo.diff(before, after)).toEqual([
    { path: 'a.txt', kind: 'modified', what: 'file' },
    { path: 'b.txt', kind: 'modified', what: 'file' },
    { path: 'sub', kind: 'added', what: 'folder' },
    { path: 'sub/c.txt', kind: 'added', what: 'file' },
  ]);
  expect(await undo.patch(before, after, 'a.txt')).toMatch(/^diff --git a\/a.txt b\/a.txt\n(.*\n)*-two\n\+2\n$/);
  expect(await undo.patch(before, after)).toContain('+++ b/sub/c.txt');
});

test('without git undo is off, and says so once', async () => {
  const { open, write, base, warnings } = makePlace();
  write('a.txt');
  const undo = open({ path: base });
  expect([await undo.snapshot(), await undo.snapshot()]).toEqual([null, null]);
  expect(warnings).toEqual([expect.stringMatching(/^Undo is off for .*: git was not found\. Install it\.$/)]);
  expect(await undo.plan([])).toBe(warnings[0]);
});

withGit('beyond the stated size undo is off, and says so once', async () => {
  const { open, write, warnings } = makePlace();
  for (const name of 'abcdef') write(name);
  const undo = open({ limits: { entries: 5 } });
  expect([await undo.snapshot(), await undo.snapshot()]).toEqual([null, null]);
  expect(warnings).toEqual([expect.stringMatching(/it has more than 5 files\.$/)]);
  const other = open({ limits: { bytes: 5 } });
  expect(await other.snapshot()).toBe(null);
});

withGit('a later session reads only what changed, and a broken cache or store costs nothing but time', async () => {
  const { open, write, store, read, warnings } = makePlace();
  write('a.txt', 'one');
  write('folder/file');
  const first = open();
  const before = await tree(first);
  await first.close();
  write('a.txt', 'two');
  write('folder/CACHEDIR.TAG', 'hides nothing that an earlier session stored');
  const second = open();
  const after = await tree(second);
  expect(paths(await changed(second, before, after))).toEqual(['a.txt', 'folder/CACHEDIR.TAG']);
  await applied(second, await planned(second, [{ before, after }]));
  expect(read('a.txt')).toBe('one');
  await second.close();
  writeFileSync(join(store, 'scan.json'), '{"version":1,');
  const third = open();
  expect(await tree(third)).toBe(before);
  await third.close();
  rmSync(store, { recursive: true });
  const fourth = open();
  expect(await tree(fourth)).toBe(before);
  expect(await fourth.plan([{ before: after, after: before }])).toMatch(/is gone/);
  expect(warnings).toEqual([]);
});

withGit('two sessions share a store, and many snapshots become few packs', async () => {
  const { open, write, store, fsck, root } = makePlace();
  const [one, two] = [open(), open()];
  const states: [string, Map<string, string>][] = [];
  for (let round = 0; round < 60; round++) {
    write('shared.txt', `${round}`);
    const [a, b] = await Promise.all([tree(one), tree(two)]);
    expect(a).toBe(b);
    states.push([a, stateOf(root)]);
  }
  await Promise.all([one.close(), two.close()]);
  const third = open();
  await tree(third);
  for (const [before, state] of [states[0], states[30], states[59]].filter((each) => each !== undefined)) {
    await applied(third, await planned(third, [{ before, after: await tree(third) }]));
    expect(stateOf(root)).toEqual(state);
  }
  await expect
    .poll(() => readdirSync(join(store, 'objects/pack')).filter((name) => name.endsWith('.pack')).length)
    .toBeLessThan(40);
  await third.close();
  await fsck();
});

withGit('a folder gives way only with all that is in it', async () => {
  const { open, root, write, read } = makePlace();
  write('f', 'a file');
  write('g/one', '1');
  const undo = open();
  const step = await asAgent(undo, () => {
    rmSync(join(root, 'f'));
    write('f/agent');
    rmSync(join(root, 'g'), { recursive: true });
  });
  write('f/user', 'mine');
  write('g', 'mine, where a folder was');
  const plan = await planned(undo, [step]);
  expect(paths(plan.conflicts)).toEqual(['f', 'f/user', 'g', 'g/one']);
  expect((await applied(undo, plan)).failed).toEqual([]);
  expect([read('f/user'), read('g')]).toEqual(['mine', 'mine, where a folder was']);
  const over = await applied(undo, await planned(undo, [step]), 'overwrite');
  expect([over.failed, read('f'), read('g/one')]).toEqual([[], 'a file', '1']);
  await applied(undo, await planned(undo, [over]));
  expect([read('f/user'), read('g')]).toEqual(['mine', 'mine, where a folder was']);
});

withGit('a full store lets go of old sessions, never of its own, and is off before it grows without end', async () => {
  const { open, root, write, store, fsck } = makePlace();
  write('a.txt', 'old'.repeat(1000));
  const first = open();
  const old = await tree(first);
  await first.close();
  const long = new Date(Date.now() - 30 * 24 * 3600_000);
  for (const folder of ['refs/heads', 'objects/pack']) {
    for (const name of readdirSync(join(store, folder))) utimesSync(join(store, folder, name), long, long);
  }
  const full = { ...LIMITS, store: storeSize(store) - 1 };
  write('a.txt', 'new');
  const second = open({ limits: full });
  const was = stateOf(root);
  const step = await asAgent(second, () => write('a.txt', 'newer'));
  await second.close();
  const third = open();
  const done = await applied(third, await planned(third, [step]));
  expect([stateOf(root), done.after]).toEqual([was, step.before]);
  expect(await third.plan([{ before: old, after: null }])).toMatch(/is gone/);
  await third.close();
  await fsck();
  const fourth = open({ limits: { store: 10 } });
  expect(await fourth.snapshot()).toBe(null);
  expect(fourth.off()).toMatch(/its store is full\. Remove .*undo to begin anew/);
});
