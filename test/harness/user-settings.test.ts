import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tighten } from '../../src/harness/project-settings.ts';
import { mergeSettings, parseSettings } from '../../src/harness/settings.ts';
import { listRules, listSettings, saveSetting } from '../../src/harness/user-settings.ts';

const openFolder = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rein-settings-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'settings.json');
  return { folder, file, text: () => readFileSync(file, 'utf8') };
};

test('the file is made for its owner alone, and read back as it was meant', async () => {
  const { folder, file, text } = openFolder();
  expect(await saveSetting(folder, 'theme', 'colour-blind')).toBe(file);
  await saveSetting(folder, 'maxCost', '2.5');
  await saveSetting(folder, 'tools', '["bash"]');
  await saveSetting(folder, 'permissions.deny', '["bash(rm *)"]');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const settings = mergeSettings([await parseSettings(file, text())]);
  expect(settings).toMatchObject({
    theme: 'colour-blind',
    maxCost: 2.5,
    tools: ['bash'],
    permissions: { deny: ['bash(rm *)'] },
  });
});

test('what is text where text is wanted stays text', async () => {
  const { folder, text } = openFolder();
  await saveSetting(folder, 'model', '5');
  expect(JSON.parse(text())).toEqual({ model: '5' });
});

test('comments stay where they were, and default takes a setting out', async () => {
  const { folder, file, text } = openFolder();
  writeFileSync(file, '\ufeff{\n  // why\n  "model": "a/b", // for now\n  /* more */ "theme": "dark"\n}\n');
  await saveSetting(folder, 'effort', 'high');
  expect(text()).toBe(
    '{\n  "effort": "high",\n  // why\n  "model": "a/b", // for now\n  /* more */ "theme": "dark"\n}\n',
  );
  await saveSetting(folder, 'model', 'default');
  expect(mergeSettings([await parseSettings(file, text())])).toMatchObject({ effort: 'high', theme: 'dark' });
  expect(text()).not.toContain('a/b');
  expect(text()).toContain('/* more */');
});

test('a wrong key or value, and a file that can not be read, change nothing', async () => {
  const { folder, file, text } = openFolder();
  const begin = '{ "theme": "dark" }';
  writeFileSync(file, begin);
  for (const [key, value] of [
    ['nothing', '1'],
    ['nothing', 'default'],
    ['maxTurns', '-3'],
    ['sandbox', 'maybe'],
  ] as const) {
    await expect(saveSetting(folder, key, value)).rejects.toThrow(key);
  }
  expect(text()).toBe(begin);
  for (const broken of ['{ "theme": ', '[]', 'dark']) {
    writeFileSync(file, broken);
    await expect(saveSetting(folder, 'theme', 'light')).rejects.toThrow('left as it is');
    expect(text()).toBe(broken);
  }
});

test('a link to where somebody keeps such files stays one', async () => {
  const { folder, file } = openFolder();
  mkdirSync(join(folder, 'dotfiles'));
  const real = join(folder, 'dotfiles/rein.json');
  writeFileSync(real, '{}');
  symlinkSync(real, file);
  await saveSetting(folder, 'undo', 'off');
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ undo: 'off' });
});

test('each setting and rule says where it stands; the later source wins', () => {
  const sources = [
    {
      name: 'user',
      value: { model: 'a/b', sandbox: 'off', permissions: { allow: ['bash(ls)'], deny: ['bash(rm *)'] } },
    },
    { name: 'flags', value: { model: 'c/d', permissions: { allow: ['read_file'], deny: [] } } },
  ];
  const lines = listSettings(sources);
  expect(lines.find(({ key }) => key === 'model')).toEqual({ key: 'model', value: 'c/d', from: 'flags' });
  expect(lines.find(({ key }) => key === 'sandbox')).toEqual({
    key: 'sandbox',
    value: 'off',
    from: 'user',
    choices: ['on', 'off', 'default'],
  });
  expect(lines.find(({ key }) => key === 'undo')).toMatchObject({ value: 'default', builtIn: 'on', from: 'rein' });
  expect(listRules(sources)).toEqual([
    { effect: 'deny', rule: 'bash(rm *)', from: 'user' },
    { effect: 'allow', rule: 'bash(ls)', from: 'user' },
    { effect: 'allow', rule: 'read_file', from: 'flags' },
  ]);
});

test('a project can set neither a status line, which is a command, nor a theme', () => {
  expect(tighten({ statusLine: 'curl x | sh', theme: 'none' }, {})).toEqual({
    settings: {},
    refused: ['statusLine', 'theme'],
  });
});
