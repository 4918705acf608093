/** What was said is found in every session, with the index and without it. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Entry, Logged } from '../../src/core/types.ts';
import { billOf } from '../../src/harness/bill.ts';
import { forgetRemoved, searchSessions } from '../../src/harness/search.ts';
import { chain, HEADER, message, prompt, reply, textOf } from '../session/made.ts';
import { call, calls } from '../support/agent.ts';

function world() {
  const root = mkdtempSync(join(tmpdir(), 'rein-search-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'file'), '');
  const folders = { sessions: join(root, 'sessions'), index: join(root, 'state', 'index.sqlite') };
  const pathOf = (name: string) => join(folders.sessions, 'w', `20260101-120000-${name}.jsonl`);
  const put = (name: string, entries: readonly Logged[], header = {}) => {
    mkdirSync(dirname(pathOf(name)), { recursive: true });
    writeFileSync(pathOf(name), textOf(entries, { ...HEADER, session: `20260101-120000-${name}`, ...header }));
  };
  const search = async (...terms: string[]) =>
    (await searchSessions(folders, terms)).map(({ path, count }) => [path.slice(-12, -6), count]);
  /** As where this Node has no SQLite: the index can't be had. */
  const scan = async (...terms: string[]) =>
    (await searchSessions({ ...folders, index: join(root, 'file', 'none') }, terms)).map(({ path, count }) => [
      path.slice(-12, -6),
      count,
    ]);
  return { root, folders, pathOf, put, search, scan };
}

const talk = (...texts: readonly string[]): Entry[] => texts.flatMap((text) => [prompt(text), reply(`re: ${text}`)]);

test('a word is found in prompts, replies and calls, case aside, and all words must be in one text', async () => {
  const { put, search, scan } = world();
  put(
    'aaaaaa',
    chain(...talk('Fix the Parser'), message(calls(call('c', 'bash', { command: 'grep -rn "foo_bar" src' })))),
  );
  put('bbbbbb', chain(...talk('the lexer', 'Ünïcode 漢字 "quoted" a-b%_*')));
  for (const find of [search, scan]) {
    expect(await find('parser')).toEqual([['aaaaaa', 2]]);
    expect(await find('PARS', 'fix')).toEqual([['aaaaaa', 2]]);
    expect(await find('parser', 'lexer')).toEqual([]);
    expect(await find('"foo_bar" src')).toEqual([['aaaaaa', 1]]);
    expect(await find('ÜNÏCODE')).toEqual([['bbbbbb', 2]]);
    expect(await find('漢字')).toEqual([['bbbbbb', 2]]);
    expect(await find('%_*')).toEqual([['bbbbbb', 2]]);
    expect(await find('the')).toHaveLength(2);
    expect(await find('nowhere')).toEqual([]);
  }
});

test('the index and the plain reading agree on any words', async () => {
  const { put, search, scan } = world();
  const texts = fc.sample(
    fc.string({ unit: fc.constantFrom('a', 'b', 'B', ' ', '"', "'", '*', 'é', '漢', '-', '\n'), maxLength: 12 }),
    60,
  );
  texts.forEach((text, index) => {
    put(`aaaa${String(index).padStart(2, '0')}`, chain(prompt(text)));
  });
  for (const text of texts) {
    const terms = text.split(' ').slice(0, 2);
    expect(await search(...terms)).toEqual(await scan(...terms));
  }
});

test('the index follows the logs: what is new, what was torn, what is gone', async () => {
  const { put, search, pathOf, folders } = world();
  put('aaaaaa', chain(...talk('first')));
  expect(await search('first')).toEqual([['aaaaaa', 2]]);
  const text = readFileSync(pathOf('aaaaaa'), 'utf8');
  const more = textOf(chain(...talk('first', 'second'))).slice(text.length);
  writeFileSync(pathOf('aaaaaa'), text + more.slice(0, 30));
  expect(await search('second')).toEqual([]);
  writeFileSync(pathOf('aaaaaa'), text + more);
  expect(await search('second')).toEqual([['aaaaaa', 2]]);
  expect(await search('first')).toEqual([['aaaaaa', 2]]);
  put('bbbbbb', chain(...talk('first')));
  expect(await search('first')).toHaveLength(2);
  rmSync(pathOf('aaaaaa'));
  await forgetRemoved(folders);
  expect(readFileSync(folders.index, 'latin1')).not.toContain('second');
  expect(await search('first')).toEqual([['bbbbbb', 2]]);
});

test('a damaged index, one of another version and one that is none are made anew; it is the user’s alone', async () => {
  const { put, search, folders } = world();
  put('aaaaaa', chain(...talk('first')));
  expect(await search('first')).toEqual([['aaaaaa', 2]]);
  const { DatabaseSync } = await import('node:sqlite');
  const edit = (sql: string) => {
    const database = new DatabaseSync(folders.index);
    database.exec(sql);
    database.close();
  };
  for (const damage of [
    () => writeFileSync(folders.index, 'this is no database, and long enough to be looked at'.repeat(20)),
    () => writeFileSync(folders.index, readFileSync(folders.index).fill(7, 4096)),
    () => writeFileSync(folders.index, ''),
    () => edit('PRAGMA user_version = 99'),
    () => edit('DROP TABLE texts'),
  ]) {
    damage();
    expect(await search('first')).toEqual([['aaaaaa', 2]]);
  }
  expect(statSync(folders.index).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(folders.index))).toEqual(['index.sqlite']);
});

const spent = (model: string, cost: number | undefined, why = 'a summary'): Entry => ({
  type: 'usage',
  model,
  usage: { input: 1000, output: 10, cacheRead: 0, cacheWrite: 0, ...(cost === undefined ? {} : { cost }) },
  why,
});

test('the bill counts each request once: forks, sub-agents with a log and without', () => {
  const { put, pathOf, folders } = world();
  const entries = chain(
    spent('a/b', 1),
    spent('a/c', undefined),
    spent('a/b', 5, 'sub-agent 20260101-120000-cccccc'),
    spent('a/b', 7, 'sub-agent 20260101-120000-dddddd'),
  );
  put('aaaaaa', entries, { cwd: '/one' });
  copyFileSync(pathOf('aaaaaa'), pathOf('bbbbbb'));
  const child = chain(spent('a/b', 4), spent('a/b', 1)).map((entry) => ({ ...entry, id: `c${entry.id}` }));
  put('cccccc', child, { cwd: '/one/deeper', startedBy: { session: '20260101-120000-aaaaaa', call: 'c' } });
  const bill = billOf(folders.sessions);
  expect(bill.total).toMatchObject({ usage: { cost: 13 }, requests: 5, unpriced: 1 });
  expect(bill.models.map(([name, { usage }]) => [name, usage.cost])).toEqual([
    ['a/b', 13],
    ['a/c', undefined],
  ]);
  expect(bill.folders).toMatchObject([['/one', { requests: 5 }]]);
});

test('the bill of a time leaves out what was spent before', () => {
  const { put, folders } = world();
  put(
    'aaaaaa',
    chain(spent('a/b', 1), spent('a/b', 2)).map((entry, index) => ({ ...entry, time: index * 1000 })),
  );
  expect(billOf(folders.sessions, 500).total.usage.cost).toBe(2);
  expect(billOf(folders.sessions, 5000).total).toMatchObject({ requests: 0 });
});
