/** One writer at a time, whoever dies and whoever comes at once. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeLock } from '../../src/env/lock.ts';

const FIXTURE = new URL('lock.fixture.ts', import.meta.url).pathname;

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rein-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'deep', 'lock');
}

const run = (...argv: readonly string[]) =>
  new Promise<{ readonly out: string; readonly signal: string | null }>((done) => {
    const child = spawn(process.execPath, ['--no-warnings', FIXTURE, ...argv], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (data) => (out += data));
    child.on('close', (_, signal) => done({ out, signal }));
  });

test('F05 of many processes that come at once, some of which die, never two hold the lock', async () => {
  const path = place();
  const ends = await Promise.all([
    run(path, '40'),
    run(path, '40'),
    run(path, '40'),
    run(path, '5', 'die'),
    run(path, '15', 'die'),
    run(path, '25', 'die'),
  ]);
  expect(ends.map(({ out, signal }) => signal ?? out)).toEqual([
    ...Array.from({ length: 3 }, () => 'held 40\n'),
    ...Array.from({ length: 3 }, () => 'SIGKILL'),
  ]);
  // It can still be had, and leaves nothing.
  await run(path, '1');
  expect(readdirSync(join(path, '..')).filter((name) => name.startsWith('lock') && !name.endsWith('-inside'))).toEqual(
    [],
  );
}, 60_000);

test('F05 a living holder is named, also to itself; a damaged lock and a process id used again hold nothing', async () => {
  const path = place();
  const first = takeLock(path);
  expect(takeLock(path)).toBe(process.pid);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  if (typeof first !== 'number') first.release();
  expect(existsSync(path)).toBe(false);
  const id = '00000000-0000-4000-8000-000000000000';
  for (const text of [
    '',
    '{"pid":',
    JSON.stringify({ id, pid: process.pid, started: 'long ago' }),
    '{"pid":1,"id":"../x"}',
  ]) {
    writeFileSync(path, text);
    const lock = takeLock(path);
    expect(lock).toMatchObject({ release: expect.any(Function) });
    expect(takeLock(path)).toBe(process.pid);
    if (typeof lock !== 'number') lock.release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  }
});
