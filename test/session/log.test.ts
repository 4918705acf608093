/** The log is a tree that only grows. */
import { expect, test } from 'vitest';
import { goTo, prompts, rewindTo, tree } from '../../src/harness/positions.ts';
import { createRecord } from '../../src/harness/record.ts';
import {
  createLog,
  createTally,
  foldGrants,
  foldMode,
  foldModel,
  foldTotals,
  project,
  readRecords,
} from '../../src/session/index.ts';
import { chain, HEADER, memoryFile, prompt, reply, textOf } from './made.ts';

function open(text?: string) {
  const file = memoryFile();
  const warnings: string[] = [];
  let ids = 0;
  const records = text === undefined ? undefined : readRecords(text);
  file.text = text ?? '';
  const warn = (line: string) => warnings.push(line);
  const log = createLog({ header: HEADER, records, file, time: () => 0, newId: () => `n${ids++}`, warn });
  const opening = { type: 'opened', version: 1, cwd: '/w', system: '', tools: [], model: 'a/first' } as const;
  return { log, file, warnings, record: createRecord(log, () => opening) };
}

const said = (messages: ReturnType<typeof project>) =>
  messages.map((each) =>
    'content' in each ? each.content.map((part) => ('text' in part ? part.text : '')).join('') : '',
  );

/** one → 1, then two → 2 with a grant, a mode and a model on that branch. */
async function branched() {
  const opened = open();
  const { record } = opened;
  for (const entry of [
    prompt('one'),
    reply('1'),
    prompt('two'),
    { type: 'grant', rule: 'bash(make)' },
    { type: 'mode', mode: 'auto' },
    { type: 'model', model: 'a/other' },
    reply('2'),
  ] as const)
    await record.commit(entry);
  return opened;
}

test('a rewind removes nothing: the model sees the path, and so do grants, mode and model', async () => {
  const { record, file } = await branched();
  const [, two] = prompts(record);
  const before = file.text;
  expect(await rewindTo(record, two?.entry ?? '')).toMatchObject({ text: 'two' });
  expect(file.text.startsWith(before)).toBe(true);
  expect(said(record.messages())).toEqual(['one', '1']);
  expect([foldGrants(record.path()), foldMode(record.path()), foldModel(record.path())?.model]).toEqual([
    [],
    undefined,
    'a/first',
  ]);
  await record.commit(prompt('three'));
  expect(said(record.messages())).toEqual(['one', '1', 'three']);
  // What is resumed stands where it was left.
  const resumed = open(file.text);
  expect(said(resumed.record.messages())).toEqual(['one', '1', 'three']);
  expect(resumed.record.all()).toHaveLength(10);
});

test('a grant that was taken back holds no more, until it is given again', async () => {
  const { record } = await branched();
  await record.commit({ type: 'grant', rule: 'bash(make)', revoked: true });
  expect(foldGrants(record.path())).toEqual([]);
  await record.commit({ type: 'grant', rule: 'bash(make)' });
  expect(foldGrants(record.path())).toEqual(['bash(make)']);
});

test('the other branch is still there to go back to, with its grants', async () => {
  const { record } = await branched();
  const [one, two] = prompts(record);
  await rewindTo(record, two?.entry ?? '');
  await record.commit(prompt('three'));
  await record.commit(reply('3'));
  const [root] = tree(record);
  expect(root).toMatchObject({ entry: one?.entry, text: 'one', current: true });
  expect(root?.next.map(({ text, current }) => [text, current])).toEqual([
    ['two', false],
    ['three', true],
  ]);
  await goTo(record, root?.next[0]?.end ?? '');
  expect(said(record.messages())).toEqual(['one', '1', 'two', '2']);
  expect([foldGrants(record.path()), foldMode(record.path())]).toEqual([['bash(make)'], 'auto']);
  expect(tree(record)[0]?.next.map(({ current }) => current)).toEqual([true, false]);
});

test('rewinding to the first prompt leaves what was opened, and nothing else', async () => {
  const { record } = await branched();
  await rewindTo(record, prompts(record)[0]?.entry ?? '');
  expect(record.messages()).toEqual([]);
  expect(record.path().map(({ type }) => type)).toEqual(['opened', 'rewind']);
  expect(await rewindTo(record, 'nowhere')).toBe('there is no prompt nowhere in this session.');
  expect(await goTo(record, 'nowhere')).toBe('there is no entry nowhere in this session.');
});

test('F25 order is the place in the file, whatever the times say; a missing parent is the entry before', () => {
  const entries = chain(prompt('one'), reply('1'), prompt('two'), reply('2')).map((entry, index) => ({
    ...entry,
    time: 1e12 - index * 3.6e6,
  }));
  expect(said(project(open(textOf(entries)).log.path()))).toEqual(['one', '1', 'two', '2']);
  const damaged = entries.filter(({ id }) => id !== 'e1');
  expect(said(project(open(textOf(damaged)).log.path()))).toEqual(['one', 'two', '2']);
  // A parent that stands behind its child can't lead in circles.
  const circle = entries.map((entry, index) => ({ ...entry, parent: `e${index + 1}` }));
  expect(said(project(open(textOf(circle)).log.path()))).toEqual(['one', '1', 'two', '2']);
});

test('F07 a full disk is said once, the session goes on, and later everything is there', async () => {
  const { log, file, warnings } = open();
  await log.append(prompt('one'));
  file.left = 0;
  await log.append(prompt('two'));
  await log.append(prompt('three'));
  expect(warnings).toEqual([expect.stringMatching(/can't be saved: ENOSPC.*lost if the program ends/)]);
  expect(said(project(log.path()))).toEqual(['one', 'two', 'three']);
  file.left = Number.POSITIVE_INFINITY;
  await log.append(prompt('four'));
  expect(warnings).toEqual([expect.anything(), 'The session is being saved again; nothing is missing.']);
  expect(readRecords(file.text)).toMatchObject({ entries: log.all(), complaints: [] });
});

test('totals of a list that grows are those of the whole', () => {
  const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
  const entries = chain(
    { type: 'usage', model: 'a/b', usage: { ...usage, cost: 1 }, why: 'a summary' },
    { type: 'usage', model: 'a/c', usage, why: 'a summary' },
    { type: 'usage', model: 'a/b', usage: { ...usage, cost: 2 }, why: 'a summary' },
  );
  const some = entries.slice(0, 1);
  const tally = createTally(() => some);
  expect(tally()).toEqual(foldTotals(entries.slice(0, 1)));
  some.push(...entries.slice(1));
  expect(tally()).toEqual(foldTotals(entries));
  expect(tally()).toMatchObject({ usage: { cost: 3, input: 3 }, unpriced: true, models: { 'a/c': usage } });
});
