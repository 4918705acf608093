/** `rein permissions test`, `rein doctor`, `rein models`: what they say, and that they run and change nothing. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { has } from '../support/has.ts';
import { createWorld, filesBelow } from '../support/rein.ts';

test('permissions test names each command, the rule that decided, and the rule for always', async () => {
  const world = await createWorld([]);
  const ran = await world.rein([
    'permissions',
    'test',
    'cd x && git push; touch pwned',
    '--allowed-tools',
    'bash(git push *)',
  ]);
  expect(ran.code).toBe(4);
  expect(ran.stdout).toMatch(/^allow {2}git push {2}\(bash\(git push \*\): a rule of settings allows it\)$/m);
  expect(ran.stdout).toMatch(/^ask {4}touch pwned/m);
  expect(ran.stdout).toMatch(/^asked: /m);
  const one = await world.rein(['permissions', 'test', 'git commit -m x', '--json']);
  expect(JSON.parse(one.stdout)).toMatchObject({ verdict: 'ask', mode: 'ask', command: 'git commit -m x' });
  expect(one.stdout).toContain('rule for always: bash(git commit *)');
  expect((await world.rein(['permissions', 'test', 'ls'])).code).toBe(0);
  expect(
    (await world.rein(['permissions', 'test', 'git push', '--disallowed-tools', 'bash(git push *)'])).stdout,
  ).toMatch(/^denied: /m);
  expect((await world.rein(['permissions'])).code).toBe(2);
  expect(filesBelow(world.work)).toEqual([]);
});

test('permissions test shows what is hidden in a command', async () => {
  const world = await createWorld([]);
  const { stdout } = await world.rein(['permissions', 'test', 'echo \u202eok; touch \x1b[2Jx']);
  expect(stdout).not.toMatch(/[\x1b\u202e]/);
  expect(stdout).toContain('U+202E');
});

test('doctor names what is there, keys by name only, and what is wrong with settings', async () => {
  const world = await createWorld([]);
  const well = await world.rein(['doctor', '--offline']);
  expect(well.code, well.stdout).toBe(0);
  for (const row of ['node', 'git', 'ripgrep', 'sandbox', 'keys', 'model', 'state', 'project', 'terminal']) {
    expect(well.stdout).toMatch(new RegExp(`^[✓!✗·] ${row} `, 'm'));
  }
  expect(well.stdout).toContain('ANTHROPIC_API_KEY');
  expect(well.stdout).not.toContain('CANARY');
  if (has('bwrap')) expect(well.stdout).toMatch(/writes outside +fail/);
  const settings = join(world.home, 'rein', 'settings.json');
  mkdirSync(join(world.home, 'rein'), { recursive: true });
  writeFileSync(settings, '{\n"nope": 1}');
  const ill = await world.rein(['doctor', '--offline']);
  expect(ill.code).toBe(1);
  expect(ill.stdout).toMatch(/✗ settings .*settings\.json:2: there is no setting named nope/);
});

test('models shows sizes, prices and whether there is a key', async () => {
  const world = await createWorld([]);
  const { stdout } = await world.rein(['models', 'claude-sonnet-5-5', '--json']);
  const [row]: { name: string; usable: boolean; window: number }[] = JSON.parse(stdout);
  expect(row).toMatchObject({ name: expect.stringMatching(/claude-sonnet-5-5/), usable: true });
  expect((await world.rein(['models'])).stdout).toMatch(/✓ {2}anthropic\/claude-sonnet-5-5 +\S+ +\S+ +\d/);
  const none = await world.rein(['models', '--json'], {
    variables: Object.fromEntries(
      Object.keys(world.variables).map((name) => [
        name,
        /_API_KEY|_BASE_URL/.test(name) ? undefined : world.variables[name],
      ]),
    ),
  });
  const rows: { usable: boolean; name: string }[] = JSON.parse(none.stdout);
  expect(rows.some(({ name, usable }) => usable && name.startsWith('anthropic/'))).toBe(false);
});
