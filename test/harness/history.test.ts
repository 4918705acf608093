/** Going back in a real session: files by snapshots, words by positions in the log. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createHarness, type Session } from '../../src/harness/index.ts';
import { type Asked, startServer, type Turn } from '../../src/testing/index.ts';
import { has } from '../support/has.ts';

/** Does the shell lines that a prompt holds, one reply each. */
const doer = (asked: Asked): Turn => {
  const lines = asked.prompt.split('\n');
  const next = lines[asked.rounds.length];
  return next === undefined ? { text: 'done' } : { calls: [{ name: 'bash', input: { command: next } }] };
};

async function open(): Promise<{ session: Session; work: string; say: (prompt: string) => Promise<void> }> {
  const server = await startServer(doer);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rein-history-')));
  const work = join(root, 'work');
  mkdirSync(work);
  const harness = createHarness({
    cwd: work,
    settings: { permissionMode: 'bypass', model: 'anthropic/claude-sonnet-5-5' },
    home: root,
    configFolder: join(root, 'config'),
    stateFolder: join(root, 'state'),
    variables: { PATH: process.env['PATH'] ?? '', ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url },
    offline: true,
    warn: () => {},
    program: [],
    client: [],
  });
  const session = await harness.open();
  if (typeof session === 'string') throw new Error(session);
  onTestFinished(async () => {
    await session.close();
    await server.close();
    rmSync(root, { recursive: true, force: true });
  });
  const say = async (prompt: string) => {
    session.send(prompt);
    expect((await session.settled()).stop).toBe('done');
  };
  return { session, work, say };
}

const needsGit = { skip: !has('git') };

test(
  'undo takes back the last prompt, its words and what its shell commands did; redo brings both again',
  needsGit,
  async () => {
    const { session, work, say } = await open();
    writeFileSync(join(work, 'a.txt'), 'one\n');
    await say('echo two > a.txt');
    await say('rm a.txt; echo new > b.txt');
    const undone = await session.history.undo();
    expect(undone).toMatchObject({ prompt: { text: 'rm a.txt; echo new > b.txt' } });
    expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('two\n');
    expect(session.history.prompts().map(({ text }) => text)).toEqual(['echo two > a.txt']);
    await session.history.undo();
    expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('one\n');
    await session.history.redo();
    expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('two\n');
  },
);

test('F30 what a person changed since is asked about, and never overwritten without a word', needsGit, async () => {
  const { session, work, say } = await open();
  writeFileSync(join(work, 'a.txt'), 'one\n');
  await say('echo two > a.txt');
  writeFileSync(join(work, 'a.txt'), 'two\nmine\n');
  expect(await session.history.undo()).toMatchObject({ conflicts: [{ path: 'a.txt' }] });
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('two\nmine\n');
  expect(session.history.prompts().length).toBe(1);
  await session.history.undo('keep');
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('two\nmine\n');
  expect(session.history.prompts().length).toBe(0);
});

test('rewind of the files alone leaves the conversation, and the other way round', needsGit, async () => {
  const { session, work, say } = await open();
  await say('echo one > a.txt');
  await say('echo two > a.txt');
  const [first] = session.history.prompts();
  await session.history.rewind(session.history.prompts()[1]?.entry ?? '', 'files');
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('one\n');
  expect(session.history.prompts().length).toBe(2);
  await session.history.rewind(first?.entry ?? '', 'conversation');
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('one\n');
  expect(session.history.prompts().length).toBe(0);
});

test('diff shows what the last prompt, or the whole session, changed', needsGit, async () => {
  const { session, work, say } = await open();
  writeFileSync(join(work, 'a.txt'), 'one\n');
  await say('echo two > a.txt');
  await say('echo three > a.txt');
  expect(await session.history.diff('prompt')).toMatch(/-two\n\+three/);
  expect(await session.history.diff('start')).toMatch(/-one\n\+three/);
  expect(await session.history.changes({ entry: session.history.prompts()[0]?.entry ?? '' })).toMatchObject([
    { path: 'a.txt', kind: 'modified' },
  ]);
});
