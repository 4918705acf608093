import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { it, openFixture } from './fixtures/open.ts';

/** What a terminal is told last: keyboard, paste and focus reports off, the cursor shown, the title given back. */
const CLEAN = '\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[>4;0m\x1b[?25h\x1b[23;0t';

it('a crash gives the terminal back before the trace is printed', async () => {
  const pty = await openFixture();
  const raw = join(pty.folder, 'raw');
  pty.record(raw);
  pty.send('crash');
  await pty.until('Error: on purpose');
  await pty.ended();
  const said = readFileSync(raw, 'utf8');
  expect(said.indexOf(CLEAN)).toBeGreaterThan(0);
  expect(said.indexOf('on purpose')).toBeGreaterThan(said.indexOf(CLEAN));
});

it.for(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  '%s gives the terminal back, with everything shown in full too',
  async (signal) => {
    const pty = await openFixture();
    const raw = join(pty.folder, 'raw');
    pty.record(raw);
    pty.keys('C-o');
    await pty.until('q goes back');
    process.kill(pty.pid(), signal);
    await pty.ended();
    expect(readFileSync(raw, 'utf8')).toContain('\x1b[?1049l');
    expect(readFileSync(raw, 'utf8')).toContain(CLEAN);
  },
);

it('Ctrl+Z suspends, and fg goes on with what was typed', async () => {
  const pty = await openFixture({ shell: true });
  pty.type('half a thought');
  await pty.until('half a thought');
  pty.keys('C-z');
  await pty.until(/Stopped|suspended/);
  expect(execFileSync('ps', ['-o', 'stat=', '--ppid', String(pty.pid())], { encoding: 'utf8' })).toMatch(/^T/m);
  pty.send('fg');
  await pty.until(/─\nhalf a thought\n─/);
  pty.keys('Enter');
  await pty.until('echo: half a thought');
});

it('20,000 tokens at full speed: nothing is cleared, nothing is lost, and keys are taken meanwhile', async () => {
  const pty = await openFixture();
  const raw = join(pty.folder, 'raw');
  pty.record(raw);
  pty.send('flood 20');
  await pty.until('compute(');
  pty.type('typed meanwhile');
  await pty.until('typed meanwhile');
  await pty.until((screen) => !screen.includes('esc stops'), { ms: 30_000 });
  const all = pty.screen({ scrollback: true });
  expect(all.match(/^Part$/gm)).toHaveLength(20);
  expect(all.match(/^ {2}const value24 = compute\(24, 'text'\); \/\/ note 24$/gm)).toHaveLength(20);
  expect(readFileSync(raw, 'utf8')).not.toMatch(/\x1b\[[23]J/);
});

it('title and progress say what is going on; a bell only where nobody looks', async () => {
  const pty = await openFixture({ env: { FIXTURE_OSC9: '1' }, cwd: '/tmp' });
  const raw = join(pty.folder, 'raw');
  pty.record(raw);
  const said = () => readFileSync(raw, 'utf8');
  pty.send('hello');
  await pty.until('echo: hello');
  await pty.until(() => said().includes('\x1b]9;4;0\x07'));
  expect(said()).toContain('\x1b]0;● tmp · rein\x07');
  expect(said()).toContain('\x1b]9;4;3\x07');
  expect(said()).not.toContain('rein is done');
  pty.type('ask touch a');
  pty.bytes(0x1b, 0x5b, 0x4f);
  pty.keys('Enter');
  await pty.until('y yes');
  expect(said()).toContain('\x1b]0;? tmp · rein\x07');
  expect(said()).toContain('\x1b]9;rein asks in tmp\x07\x07');
});
