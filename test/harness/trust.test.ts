/** What a folder brings along is bound to its bytes and its place, and may only tighten. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tighten } from '../../src/harness/project-settings.ts';
import { mergeSettings, parseSettings } from '../../src/harness/settings.ts';
import { describeProject, findProject, isDeclined, isTrusted, keepAnswer, trustedIn } from '../../src/harness/trust.ts';

const folder = (): string => {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'rein-trust-')));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

const put = (path: string, text = ''): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const project = (cwd: string) => {
  const found = findProject(cwd);
  if (!found) throw new Error('there is no project');
  return found;
};

test('a yes holds for these bytes in this place, a no too; every change asks again', async () => {
  const root = folder();
  const state = join(folder(), 'state');
  put(join(root, '.rein/settings.json'), '{}');
  put(join(root, '.rein/skills/s/SKILL.md'), 'x');
  const before = project(root);
  expect(isTrusted(before, state)).toBe(false);
  await keepAnswer(before, state, true);
  expect(isTrusted(project(root), state)).toBe(true);
  expect(statSync(join(state, 'trust.json')).mode & 0o777).toBe(0o600);
  expect(trustedIn(root, before.hash)).toBe(before.hash);
  for (const change of [
    '.rein/settings.local.json',
    '.rein/skills/s/run.sh',
    '.agents/skills/t/SKILL.md',
    '.mcp.json',
  ]) {
    put(join(root, change), 'y');
    expect(isTrusted(project(root), state), change).toBe(false);
    expect(trustedIn(root, before.hash)).toBeUndefined();
    rmSync(join(root, change));
    expect(isTrusted(project(root), state), change).toBe(true);
  }
  await keepAnswer(before, state, false);
  expect(isTrusted(before, state)).toBe(false);
  expect(isDeclined(before, state)).toBe(true);
  const copy = folder();
  put(join(copy, '.rein/settings.json'), '{}');
  put(join(copy, '.rein/skills/s/SKILL.md'), 'x');
  expect(project(copy).hash).not.toBe(before.hash);
});

test('what a link leads to counts as well', () => {
  const root = folder();
  const elsewhere = join(folder(), 'skill');
  put(join(elsewhere, 'SKILL.md'), 'one');
  mkdirSync(join(root, '.rein/skills'), { recursive: true });
  symlinkSync(elsewhere, join(root, '.rein/skills/s'));
  symlinkSync(root, join(root, '.rein/skills/loop'));
  const before = project(root).hash;
  put(join(elsewhere, 'SKILL.md'), 'two');
  expect(project(root).hash).not.toBe(before);
});

test('what can not be read is never trusted', () => {
  const root = folder();
  mkdirSync(join(root, '.rein'));
  // Nobody reads a circle of links, root neither.
  symlinkSync('settings.json', join(root, '.rein/settings.json'));
  expect(project(root).hash).toBeUndefined();
  expect(isTrusted(project(root), root)).toBe(false);
});

test('D34 the root is the repository’s, also where .git is a file; an empty folder marks nothing', () => {
  const root = folder();
  put(join(root, '.rein/settings.json'), '{}');
  put(join(root, '.git/HEAD'), 'x');
  mkdirSync(join(root, 'sub/.rein'), { recursive: true });
  expect(project(join(root, 'sub')).root).toBe(root);
  put(join(root, 'module/.git'), 'gitdir: ../.git/modules/x');
  mkdirSync(join(root, 'module/deep'));
  expect(findProject(join(root, 'module/deep'))).toBeUndefined();
  put(join(root, 'module/.rein/settings.json'), '{}');
  expect(project(join(root, 'module/deep')).root).toBe(join(root, 'module'));
});

test('the question says what would be in effect', () => {
  const root = folder();
  put(join(root, '.rein/settings.json'), '{}');
  put(join(root, '.rein/commands/ship.md'), 'x');
  put(join(root, '.claude/skills/pdf/SKILL.md'), 'x');
  expect(describeProject(project(root))).toEqual(['settings: .rein/settings.json', 'commands: ship', 'skills: pdf']);
});

test('E21 a project tightens; wherever it would loosen, the key is named and left out', () => {
  const user = { permissionMode: 'acceptEdits', maxTurns: 50, maxCost: 1, tools: ['bash', 'read_file'] } as const;
  const settings = mergeSettings([{ name: 'user', value: user }]);
  const wishes = {
    model: 'a/b',
    permissionMode: 'ask',
    maxTurns: 20,
    maxCost: 2,
    maxTime: 60,
    tools: ['bash', 'write_file'],
    permissions: { allow: ['bash'], deny: ['bash(rm *)'], ask: ['web_fetch'] },
    sandbox: 'on',
    undo: 'off',
    vendors: {},
    hiddenVariables: [],
    constructor: 1,
  };
  expect(tighten(wishes, settings)).toEqual({
    settings: {
      model: 'a/b',
      permissionMode: 'ask',
      maxTurns: 20,
      maxTime: 60,
      permissions: { deny: ['bash(rm *)'], ask: ['web_fetch'] },
      sandbox: 'on',
    },
    refused: ['maxCost', 'tools', 'permissions.allow', 'undo', 'vendors', 'hiddenVariables', 'constructor'],
  });
  expect(tighten({ permissionMode: 'auto', maxTurns: 201 }, {})).toEqual({
    settings: {},
    refused: ['permissionMode', 'maxTurns'],
  });
  expect(tighten([], {}).refused).toHaveLength(1);
});

test('lists of rules add up over all sources', () => {
  const source = (name: string, deny: string[]) => ({ name, value: { permissions: { deny } } });
  expect(
    mergeSettings([source('user', ['a']), source('project', ['b']), source('flags', ['c'])]).permissions?.deny,
  ).toEqual(['a', 'b', 'c']);
});

test('F29 an error names file, line and key; commas at the end, a BOM and an empty file are none', async () => {
  const read = async (text: string) => mergeSettings([await parseSettings('s.json', text)]);
  expect(await read('\uFEFF{"maxTurns": 5, // five\n}')).toMatchObject({ maxTurns: 5 });
  expect(await read('')).toMatchObject({});
  await expect(read('{\n  "permissions": {\n    "deny": "bash"\n  }\n}')).rejects.toThrow(
    /^s\.json:3: permissions\.deny/,
  );
  await expect(read('{\n\n"maxTurn": 5}')).rejects.toThrow(/^s\.json:3: there is no setting named maxTurn/);
  await expect(read('{\n"maxTurns" 5}')).rejects.toThrow(/^s\.json:2: .*left as it is/);
});
