import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { has } from '../support/has.ts';
import { applied, asAgent, git, makePlace, planned, stateOf, tree } from './support.ts';

const withGit = test.skipIf(!has('git'));

const startWorker = async (...args: string[]): Promise<ChildProcess> => {
  const script = join(import.meta.dirname, 'fixtures/worker.ts');
  const worker = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void worker.kill('SIGKILL'));
  await once(worker.stdout, 'data');
  return worker;
};

const kill = async (worker: ChildProcess) => {
  const ended = worker.exitCode === null ? once(worker, 'exit') : undefined;
  worker.kill('SIGKILL');
  await ended;
};

withGit('F31 a kill during a snapshot harms neither the repositories nor the store', { timeout: 120_000 }, async () => {
  const { root, store, open, write, fsck } = makePlace();
  git(root, 'init', '-q');
  mkdirSync(join(root, 'nested'));
  git(join(root, 'nested'), 'init', '-q');
  for (const folder of ['', 'nested/']) {
    write(`${folder}kept.txt`);
    git(join(root, folder), 'add', 'kept.txt');
    git(join(root, folder), 'commit', '-qm', 'first');
  }
  write('sparse.bin', '');
  truncateSync(join(root, 'sparse.bin'), 5 * 2 ** 30);
  const repositories = () => [stateOf(join(root, '.git')), stateOf(join(root, 'nested/.git'))];
  const were = repositories();
  for (let round = 0; round < 20; round++) {
    const worker = await startWorker('snapshot', root, store);
    await sleep(Math.random() * 400);
    await kill(worker);
    expect(repositories()).toEqual(were);
    expect(git(join(root, 'nested'), 'status', '--porcelain')).toBe('');
  }
  expect(git(root, 'status', '--porcelain')).toContain('?? sparse.bin');
  const undo = open();
  const step = await asAgent(undo, () => rmSync(join(root, 'nested/kept.txt')));
  await applied(undo, await planned(undo, [step]));
  expect(git(join(root, 'nested'), 'status', '--porcelain')).toBe('');
  await fsck();
});

withGit('F31 an undo that was killed can be repeated', { timeout: 120_000 }, async () => {
  const { root, store, open, write } = makePlace();
  const undo = open();
  const fill = (text: string) => {
    for (let file = 0; file < 400; file++) write(`folder-${file % 20}/file-${file}`, `${text} ${file}\n`.repeat(100));
  };
  fill('one');
  write('gone/again', 'x');
  const was = stateOf(root);
  const step = await asAgent(undo, () => {
    fill('two');
    rmSync(join(root, 'gone'), { recursive: true });
    write('made/by/agent');
  });
  for (let round = 0; round < 6; round++) {
    const worker = await startWorker('undo', root, store, step.before, step.after);
    await sleep(50 + Math.random() * 150);
    await kill(worker);
  }
  const plan = await planned(undo, [{ before: step.before, after: step.after }]);
  expect(plan.conflicts).toEqual([]);
  expect((await applied(undo, plan)).failed).toEqual([]);
  expect(stateOf(root)).toEqual(was);
  expect(await tree(undo)).toBe(step.before);
});
