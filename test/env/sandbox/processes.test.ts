import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProcesses, type Processes } from '../../../src/env/processes/processes.ts';
import { has } from '../../support/has.ts';
import { type Cell, createCell, OPEN } from './cell.ts';

describe.skipIf(!has('bwrap') || process.platform !== 'linux')('processes in a sandbox', () => {
  let cell: Cell;
  let processes: Processes;
  beforeAll(() => {
    cell = createCell((base, root) => {
      mkdirSync(join(base, 'state/output'), { recursive: true });
      return { hidden: [join(base, 'state')], readable: [join(base, 'state/output')], protect: [join(root, '.rein')] };
    });
    processes = createProcesses({
      folder: join(cell.base, 'state/output'),
      env: { PATH: process.env['PATH'], HOME: cell.home },
      wrap: (launch) => cell.found.sandbox.wrap(launch, OPEN),
    });
  });
  afterAll(async () => {
    await processes.close();
    cell.close();
  });
  const start = (command: string, more: { timeout?: number; cwd?: string } = {}) =>
    processes.start({ command, cwd: cell.root, ...more });

  test('both streams in order, the code and the directory at the end come through', async () => {
    const run = await start('mkdir -p sub; echo out; echo err >&2; echo more > /dev/stderr; cd sub; exit 7');
    const end = await run.ended;
    expect(end).toMatchObject({ cause: 'exit', code: 7, cwd: join(cell.root, 'sub') });
    expect(run.output.text()).toContain('out\nerr\nmore\n');
  });

  test('a text that is too long for an argument is read from the hidden folder', async () => {
    const run = await start(`: ${'x'.repeat(200_000)}; echo long`);
    await run.ended;
    expect(run.output.text()).toContain('long');
  });

  test('C04 a deadline ends everything, whatever it did to get away', async () => {
    const run = await start('env -i setsid sleep 4119 & trap "" TERM; env -i setsid sleep 4119 & sleep 4119', {
      timeout: 300,
    });
    expect(await run.ended).toMatchObject({ cause: 'deadline' });
    await expect.poll(() => running('4119'), { timeout: 10_000 }).toEqual([]);
  });

  test('a harness that is killed takes its sandboxes with it', async () => {
    const script = `import { createCell } from ${JSON.stringify(join(import.meta.dirname, 'cell.ts'))};
      const cell = createCell(); cell.run('touch ready; env -i setsid sleep 4120 & sleep 4120'); console.log(cell.root);`;
    const harness = spawn(process.execPath, ['--input-type=module', '-e', script]);
    const root = await new Promise<string>((resolve) =>
      harness.stdout.once('data', (text) => resolve(String(text).trim())),
    );
    await expect.poll(() => existsSync(join(root, 'ready')), { timeout: 10_000 }).toBe(true);
    await expect.poll(() => running('4120').length, { timeout: 10_000 }).toBe(2);
    harness.kill('SIGKILL');
    await expect.poll(() => running('4120'), { timeout: 10_000 }).toEqual([]);
    rmSync(dirname(root), { recursive: true, force: true });
  });
});

const running = (seconds: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\x00${seconds}\x00`;
    } catch {
      return false;
    }
  });
