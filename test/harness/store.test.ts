/** Sessions on disk: found, opened, forked, removed. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Entry } from '../../src/core/types.ts';
import { createStore, type Stored } from '../../src/harness/store.ts';
import { createLog, project, readRecords } from '../../src/session/index.ts';
import { HEADER, prompt, reply } from '../session/made.ts';

function world() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rein-store-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [work, sessions] = [join(root, 'work'), join(root, 'state', 'sessions')];
  mkdirSync(work);
  let time = Date.UTC(2026, 0, 1);
  const store = createStore(sessions, () => (time += 1000));
  return { root, work, sessions, store };
}

type World = ReturnType<typeof world>;

const got = (stored: Stored | string): Stored => {
  if (typeof stored === 'string') throw new Error(stored);
  return stored;
};

const logOf = (stored: Stored) => {
  let ids = 0;
  const newId = () => `${stored.header.session.slice(-6)}${stored.records?.entries.length ?? 0}.${ids++}`;
  return createLog({ ...stored, time: () => 0, newId, warn: expect.unreachable });
};

/** A session of these entries, closed. Returns its path. */
async function make({ store, work }: World, entries: readonly Entry[], wanted = {}): Promise<string> {
  const stored = got(await store.take({ cwd: work, ...wanted }));
  const log = logOf(stored);
  for (const entry of entries) await log.append(entry);
  await stored.release();
  return stored.path ?? '';
}

const opened = (cwd: string): Entry => ({ type: 'opened', version: 1, cwd, system: 's', tools: [], model: 'a/b' });
const said = (stored: Stored | string) =>
  project(got(stored).records?.entries ?? []).map((each) =>
    each.content.map((part) => ('text' in part ? part.text : '')).join(''),
  );

test('a fork begins with what led to its place; the first session stays as it is', async () => {
  const at = world();
  const path = await make(at, [opened(at.work), prompt('one'), reply('1'), prompt('two'), reply('2')]);
  const before = readFileSync(path, 'utf8');
  const entries = at.store.read(path).entries;
  const fork = got(await at.store.take({ cwd: at.work, resume: path, fork: true, at: entries[2]?.id }));
  expect(said(fork)).toEqual(['one', '1']);
  expect(fork.header.forkedFrom).toEqual({ session: at.store.list()[1]?.id, entry: entries[2]?.id });
  expect(readRecords(readFileSync(fork.path ?? '', 'utf8')).entries).toEqual(entries.slice(0, 3));
  await logOf(fork).append(prompt('three'));
  await fork.release();
  expect(said(await at.store.take({ cwd: at.work, resume: fork.path ?? '' }))).toEqual(['one', '1', 'three']);
  expect(await at.store.take({ cwd: at.work, resume: path, fork: true, at: 'nowhere' })).toMatch(
    /has no entry nowhere/,
  );
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a fork leaves out the branches that were left', async () => {
  const at = world();
  const stored = got(await at.store.take({ cwd: at.work }));
  const log = logOf(stored);
  for (const entry of [opened(at.work), prompt('one'), reply('1')]) await log.append(entry);
  const place = log.leaf()?.id;
  await log.append(prompt('two'));
  await log.append({ type: 'rewind' }, place);
  await log.append(prompt('three'));
  await stored.release();
  expect(said(await at.store.take({ cwd: at.work, resume: stored.path ?? '', fork: true }))).toEqual([
    'one',
    '1',
    'three',
  ]);
});

test('F02 a session whose first line is damaged is listed and goes on all the same', async () => {
  const at = world();
  const path = await make(at, [opened(at.work), prompt('one'), reply('1')]);
  const [, ...rest] = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, ['\0'.repeat(100), ...rest].join('\n'));
  expect(at.store.list(at.work)).toMatchObject([{ title: 'one', cwd: at.work }]);
  const stored = got(await at.store.take({ cwd: at.work, resume: path }));
  expect(stored.header.session).toBe(at.store.list()[0]?.id);
  expect(stored.records?.complaints).toEqual(['line 1 is damaged; what can be read of it is kept']);
  expect(said(stored)).toEqual(['one', '1']);
});

test('F22 a session works in its own folder, wherever it is resumed; a folder that is gone is an error', async () => {
  const at = world();
  const path = await make(at, [opened(at.work), prompt('one')]);
  const other = join(at.root, 'other');
  mkdirSync(other);
  const stored = got(await at.store.take({ cwd: other, resume: path }));
  expect(stored.cwd).toBe(at.work);
  await stored.release();
  renameSync(at.work, `${at.work}-moved`);
  for (const fork of [false, true]) {
    const gone = await at.store.take({ cwd: other, resume: path, fork });
    expect(gone).toBe(
      `the folder of this session, ${at.work}, is gone. If it was moved, leave a link in its place: ln -s NEW ${at.work}`,
    );
  }
  symlinkSync(`${at.work}-moved`, at.work);
  expect(got(await at.store.take({ cwd: other, resume: path })).cwd).toBe(`${at.work}-moved`);
});

test('F05 a session that is open is refused, and what a fork is made of may be open', async () => {
  const at = world();
  const path = await make(at, [opened(at.work), prompt('one')]);
  const first = got(await at.store.take({ cwd: at.work, resume: path }));
  expect(await at.store.take({ cwd: at.work, resume: path })).toMatch(/open in another process.*--fork/);
  expect(at.store.remove(path)).toMatch(/open in another process/);
  expect(said(await at.store.take({ cwd: at.work, resume: path, fork: true }))).toEqual(['one']);
  await first.release();
  expect(said(await at.store.take({ cwd: at.work, resume: path }))).toEqual(['one']);
});

test('E30 ids match a strict pattern: what a file says of itself leads nowhere', async () => {
  const at = world();
  const path = await make(at, [opened(at.work), prompt('one')]);
  for (const query of ['', '../../x', '..', '%', '-rf', 'x.jsonl', `${path}/..`])
    expect(at.store.find(at.work, query)).toMatch(/^there is no session/);
  const foreign = join(at.root, 'foreign.jsonl');
  const hostile = { ...HEADER, session: '../../../escape', cwd: at.work };
  writeFileSync(foreign, `${JSON.stringify(hostile)}\n`);
  expect(at.store.find(at.work, foreign)).toEqual({ path: foreign });
  expect(await at.store.take({ cwd: at.work, resume: foreign })).toMatch(/is not a session of rein/);
  // In the store the file's name counts.
  const [id] = at.store.list().map(({ id }) => id);
  const [, ...rest] = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, [JSON.stringify(hostile), ...rest].join('\n'));
  expect(got(await at.store.take({ cwd: at.work, resume: path })).header.session).toBe(id);
  // A file that is no session is not removed, and gets no lock beside it.
  writeFileSync(foreign, 'precious');
  expect(at.store.remove(foreign)).toMatch(/is not a session of rein/);
  expect(await at.store.take({ cwd: at.work, resume: foreign })).toMatch(/is not a session of rein/);
  expect(readdirSync(at.root)).toEqual(['foreign.jsonl', 'state', 'work']);
});

test('sub-agents stand below the session that started them, never instead of it', async () => {
  const at = world();
  const parent = await make(at, [opened(at.work), prompt('parent')]);
  const id = at.store.list()[0]?.id ?? '';
  const startedBy = { session: id, call: 'c' };
  const child = await make(at, [opened(at.work), prompt('child')], { startedBy });
  utimesSync(parent, 1, 1);
  expect(at.store.list(at.work)).toMatchObject([{ title: 'parent', children: [{ title: 'child', startedBy: id }] }]);
  expect(at.store.find(at.work)).toMatchObject({ path: parent });
  writeFileSync(`${child}.lock.stale`, '');
  expect(at.store.remove(parent)).toEqual([id, expect.any(String)]);
  expect(readdirSync(dirname(parent))).toEqual([]);
});

test('F23 a prompt far into a file is found, and a file that holds none is not listed', async () => {
  const at = world();
  const big: Entry = { ...opened(at.work), type: 'opened', system: 'x'.repeat(300_000) } as Entry;
  await make(at, [big, prompt('late')]);
  await make(at, [opened(at.work)]);
  expect(at.store.list().map(({ title }) => title)).toEqual(['late']);
});

test('E31 E32 whatever the umask, folders are 0700 and files 0600', async () => {
  const at = world();
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  const path = await make(at, [opened(at.work), prompt('one')]);
  const stored = got(await at.store.take({ cwd: at.work, resume: path }));
  for (let folder = dirname(path); folder !== at.root; folder = dirname(folder))
    expect([folder, statSync(folder).mode & 0o777]).toEqual([folder, 0o700]);
  for (const name of readdirSync(dirname(path)))
    expect([name, statSync(join(dirname(path), name)).mode & 0o777]).toEqual([name, 0o600]);
  expect(readdirSync(dirname(path))).toHaveLength(2);
  await stored.release();
});

test('F01 what is appended to a torn file is read again, and so is what was there', async () => {
  const at = world();
  const path = await make(at, [opened(at.work), prompt('one'), reply('1')]);
  appendFileSync(path, '{"type":"assist');
  const stored = got(await at.store.take({ cwd: at.work, resume: path }));
  await logOf(stored).append(prompt('two'));
  await stored.release();
  expect(said(await at.store.take({ cwd: at.work, resume: path }))).toEqual(['one', '1', 'two']);
  expect(existsSync(`${path}.lock`)).toBe(true);
});
