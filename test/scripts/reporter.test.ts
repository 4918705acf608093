import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const repository = resolve(import.meta.dirname, '../..');

const runTests = (body: string, ci: boolean) => {
  const folder = mkdtempSync(join(repository, 'node_modules/.reporter-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'a.test.ts'), `import { expect, test } from 'vitest';\n${body}`);
  writeFileSync(join(folder, 'vitest.config.mjs'), "export default { test: { include: ['a.test.ts'] } };\n");
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs');
  const args = ['run', '--root', folder, '--reporter', join(repository, 'scripts/reporter.ts')];
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], CI: ci ? 'true' : 'false' };
  return spawnSync(process.execPath, [vitest, ...args], { encoding: 'utf8', env });
};

const pass = "test('good', () => {});\n";
const skip = "test.skipIf(true)('needs a tool', () => {});\n";
const fail = "test('bad', () => expect(1).toBe(2));\n";

test('a run closes with its counts alone on a line', () => {
  const { status, stdout } = runTests(pass + fail, false);
  expect(status).toBe(1);
  expect(stdout).toMatch(/^1 passed, 1 failed$/m);
});

test('a skip is named, and fails only in CI', () => {
  const own = runTests(pass + skip, false);
  expect(own.stdout).toMatch(/^skipped: a\.test\.ts > needs a tool$/m);
  expect(own.status).toBe(0);
  const ci = runTests(pass + skip, true);
  expect(ci.stdout).toMatch(/^1 skipped, and with CI=true nothing may be/m);
  expect(ci.status).toBe(1);
});

test('a file that does not load counts as failed', () => {
  const { status, stdout } = runTests("import './missing.ts';\n", false);
  expect(status).toBe(1);
  expect(stdout).toMatch(/^0 passed, 1 failed$/m);
});
