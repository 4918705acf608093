/** `rein permissions test`, `rein doctor`, `rein models`: what they say, and that they run and change nothing. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { has } from '../support/has.ts';
import { createWorld, filesBelow, lastResults, runs } from '../support/rein.ts';

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

test('in plan mode it refuses what a plan would refuse, and names no rule that would not help', async () => {
  const turn = runs('touch pwned', 'echo x > pwned', 'ls');
  const world = await createWorld((asked) => (asked.rounds.length === 0 ? turn : { text: 'done' }));
  for (const line of ['touch pwned', 'npm test', 'echo x > pwned']) {
    const ran = await world.rein(['permissions', 'test', line, '--plan']);
    expect(ran.code).toBe(4);
    expect(ran.stdout).toMatch(/^denied: .*\(plan mode\)$/m);
    expect(ran.stdout).not.toContain('rule for always');
  }
  expect((await world.rein(['permissions', 'test', 'git log | head', '--plan'])).code).toBe(0);
  const ran = await world.rein(['-p', 'go', '--plan', '-o', 'json']);
  expect(ran.code, ran.stderr).toBe(0);
  const [touch, echo, ls] = lastResults(world);
  for (const refused of [touch, echo]) {
    expect(refused).toMatch(/^ERROR: Not allowed: .*plan mode/);
    expect(refused).not.toContain('--allowed-tools');
  }
  expect(ls).not.toMatch(/^ERROR/);
});

test('permissions test offers no rule for files of keys', async () => {
  const world = await createWorld([]);
  writeFileSync(join(world.work, '.env'), 'A=1\n');
  const { stdout } = await world.rein(['permissions', 'test', 'cat .env']);
  expect(stdout).toMatch(/^asked: .*may hold keys/m);
  expect(stdout).not.toContain('rule for always');
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
