import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDisk } from '../../src/env/disk.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'rein-disk-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test.each([
  ['[core]\n\tbare = false\n[remote "origin"]\n\turl = https://example.com/a.git\n', false],
  ['[core]\n\tfsmonitor = touch pwned\n', true],
  ['[diff "x"]\n  textconv = sh x.sh\n', true],
  ['[filter "x"]\n\tclean = ./x\n', true],
  ['[include]\n\tpath = ../evil\n', true],
  ['[core] fsmonitor = touch pwned\n', true],
])('E28 a repository configuration that names programs is known: %j', (config, armed) => {
  const root = folder();
  mkdirSync(join(root, '.git'));
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, '.git', 'config'), config);
  expect(createDisk().arms(root)).toBe(armed);
  expect(createDisk().arms(join(root, 'src'))).toBe(armed);
});

test('E28 a folder that is shaped like a bare repository is looked at too', () => {
  const root = folder();
  writeFileSync(join(root, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(root, 'config'), '[core]\n\tfsmonitor = touch pwned\n');
  expect(createDisk().arms(root)).toBe(true);
});

test('E28 a configuration that stands elsewhere is looked at too', () => {
  const evil = '[core]\n\tfsmonitor = touch pwned\n';
  const linked = folder();
  mkdirSync(join(linked, 'evil'));
  writeFileSync(join(linked, 'evil', 'config'), evil);
  writeFileSync(join(linked, '.git'), 'gitdir: evil\n');
  expect(createDisk().arms(linked)).toBe(true);
  const common = folder();
  mkdirSync(join(common, '.git'));
  mkdirSync(join(common, 'evil'));
  writeFileSync(join(common, 'evil', 'config'), evil);
  writeFileSync(join(common, '.git', 'commondir'), '../evil\n');
  expect(createDisk().arms(common)).toBe(true);
});
