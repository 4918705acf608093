import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { measure, quantile } from '../../bench/measure.ts';
import { renderDerived, renderTable, type Sample, turnsOf } from '../../bench/report.ts';
import { startServer } from '../../src/testing/server.ts';

const floor = resolve(import.meta.dirname, '../../bench/floor.mjs');
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bench-'));
});
afterEach(() => rm(folder, { recursive: true }));

const runFloor = (url: string, ...args: string[]) =>
  measure({
    command: [process.execPath, floor, ...args],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'key' },
  });

test('the floor is an agent of 60 lines that a strict server accepts: retries, runs calls at once, goes on with -c', async () => {
  expect((await readFile(floor, 'utf8')).trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  const bash = (command: string) => ({ name: 'bash', input: { command } });
  const server = await startServer([
    { status: 529 },
    { text: 'Looking.', calls: [bash('echo one; exit 3'), bash('echo two')] },
    { text: 'Done.' },
    { text: 'Lost and found.' },
  ]);
  const first = await runFloor(server.url, '-p', 'look');
  expect(first).toMatchObject({ code: 0, out: 'Looking.\nDone.\n' });
  const results = server.requests[2]?.asked?.rounds[0]?.map(({ text }) => text);
  expect(results).toEqual(['one\n\n[exit code: 3]', 'two\n\n[exit code: 0]']);

  // A kill between the reply and its results.
  const log = join(folder, '.floor.jsonl');
  const lines = (await readFile(log, 'utf8')).split('\n');
  await writeFile(log, `${lines.slice(0, 2).join('\n')}\n`);
  expect(await runFloor(server.url, '-c', '-p', 'go on')).toMatchObject({ code: 0, out: 'Lost and found.\n' });
  expect(server.violations).toEqual([]);
  await server.close();
});

test('a run is measured with its children: code, output, time, memory', async () => {
  const command = [
    'bash',
    '-c',
    'echo out; for i in 1 2 3; do head -c 3000000 /dev/urandom | sha256sum; done >/dev/null; echo err >&2; exit 3',
  ];
  const cost = await measure({ command, cwd: folder, env: { PATH: process.env['PATH'] ?? '' } });
  expect(cost).toMatchObject({ code: 3, out: 'out\n', err: 'err\n' });
  expect(cost.cpu).toBeGreaterThan(0);
  expect(cost.wall).toBeGreaterThan(0);
  expect(cost.memory).toBeGreaterThan(1_000_000);
});

test('the table has medians and ratios to the floor', () => {
  const sample = (wall: number, turn: number): Sample => ({
    wall,
    cpu: wall / 2,
    memory: 50 * 2 ** 20,
    code: 0,
    out: '',
    err: '',
    exchanges: [
      { came: 0, left: 10 },
      { came: 10 + turn, left: 40 },
    ],
  });
  const runs = new Map([
    ['floor', [sample(100, 10), sample(300, 10), sample(200, 10)]],
    ['rein', [sample(300, 15)]],
  ]);
  expect(turnsOf(sample(100, 10))).toEqual([10]);
  const table = renderTable(new Map([['hello', runs]]));
  expect(table).toContain('| hello | floor | 200 ms | 1.00 | 100 ms | 1.00 | 50 MB | 10.0 ms | 1.00 | 10.0 ms | 2 |');
  expect(table).toContain('| hello | rein | 300 ms | 1.50 | 150 ms | 1.50 | 50 MB | 15.0 ms | 1.50 | 15.0 ms | 2 |');
  expect(renderDerived(new Map([['turns300', runs]]))).toEqual([
    '- turns300, floor: the first 30 turns 10.0 ms, the last 30 10.0 ms (× 1.00)',
    '- turns300, rein: the first 30 turns 15.0 ms, the last 30 15.0 ms (× 1.00)',
  ]);
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
  expect(quantile([], 0.5)).toBeNaN();
});
