/** Everything that the model is told can be seen, weighed and replaced. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { has } from '../support/has.ts';
import { bash, createWorld, lastResults, onGo } from '../support/rein.ts';

test('each sentence has a name, a price and a time; one can be read whole', async () => {
  const world = await createWorld([]);
  const list = await world.rein(['prompts']);
  expect(list).toMatchObject({ code: 0, stderr: '' });
  for (const name of ['system', 'bash', 'task', 'todo', 'instructions', 'plan', 'init', 'summary', 'agent explore'])
    expect(list.stdout).toMatch(new RegExp(`^${name} +\\d+ {2}\\w`, 'm'));
  expect((await world.rein(['prompts', 'system'])).stdout).toMatch(/^You are rein/);
  expect(await world.rein(['prompts', 'nope'])).toMatchObject({ code: 2 });
  expect(world.server.requests).toHaveLength(0);
});

test('each can be replaced by the user, as text or as a file beside the settings', async () => {
  const world = await createWorld([{ text: 'done' }]);
  const folder = join(world.home, 'rein');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'settings.json'), '{"prompts": {"system": "@mine.md", "bash": "Run it.", "nope": "x"}}');
  writeFileSync(join(folder, 'mine.md'), 'You work in {folder}.');
  const ran = await world.rein(['-p', 'go']);
  expect(world.server.requests[0]?.asked?.system).toMatch(new RegExp(`^You work in ${world.work}\\.`));
  expect(world.server.requests[0]?.asked?.tools.find(({ name }) => name === 'bash')?.description).toBe('Run it.');
  expect(ran.stderr).toMatch(/prompts\.nope: see rein prompts/);
  expect((await world.rein(['prompts'])).stdout).toMatch(/^system .*\(your own\)$/m);
});

test.skipIf(!has('git'))(
  '-w works in a git worktree of its own, on a branch of that name, and finds it again',
  async () => {
    const world = await createWorld(onGo({ calls: [bash('echo x > made.txt; git branch --show-current')] }));
    expect(await world.rein(['-p', 'go', '-w', 'try'])).toMatchObject({ code: 2 });
    const git = (...args: string[]) => execFileSync('git', args, { cwd: world.work, encoding: 'utf8' });
    git('init', '-q');
    mkdirSync(join(world.work, 'sub'));
    writeFileSync(join(world.work, 'sub/a.txt'), 'a');
    git('add', '.');
    git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-qm', 'first');
    const ran = await world.rein(['-p', 'go', '-w', 'try', '--yolo'], { cwd: join(world.work, 'sub') });
    expect(ran).toMatchObject({ code: 0 });
    expect(lastResults(world)[0]).toMatch(/^rein\/try\n/);
    expect(world.file('sub/made.txt')).toBeUndefined();
    expect(world.logs()[0]?.header?.cwd).toMatch(/worktrees\/named\/work-try\/sub$/);
    expect(await world.rein(['-p', 'go', '-w', 'try', '--yolo'], { cwd: join(world.work, 'sub') })).toMatchObject({
      code: 0,
    });
    expect(await world.rein(['-p', 'go', '-w', '../x'])).toMatchObject({ code: 2 });
    expect(git('branch', '--list', 'rein/*').trim().split('\n')).toHaveLength(1);
  },
);
