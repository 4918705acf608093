import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Scenario } from '../../src/testing/index.ts';
import { it, openRein } from '../support/program.ts';

const CLEAN = '\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[>4;0m\x1b[?25h\x1b[23;0t';

const bash =
  (command: string): Scenario =>
  ({ rounds }) =>
    rounds.length === 0 ? { text: 'Now.', calls: [{ name: 'bash', input: { command } }] } : { text: 'That was it.' };

it('the first run without any key: a key is pasted, kept for its owner alone, and shown to nobody', async () => {
  const pty = await openRein(undefined, { argv: [] });
  const raw = join(pty.home, 'raw');
  pty.record(raw);
  await pty.until('How do you want to begin?');
  pty.keys('Enter');
  await pty.until('Whose key is it?');
  // Also of a vendor whose variable follows from its name.
  pty.type('openrouter');
  await pty.until(/openrouter +OPENROUTER_API_KEY/);
  pty.keys('C-u');
  pty.type('anthropic');
  await pty.until('› anthropic');
  pty.keys('Enter');
  await pty.until('Paste the key (ANTHROPIC_API_KEY)');
  pty.paste('sk-ant-very-secret');
  await pty.until('•••');
  pty.keys('Enter');
  await pty.until(/anthropic\/claude\S+ · ask/);
  const file = join(pty.home, 'rein/credentials.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ANTHROPIC_API_KEY: 'sk-ant-very-secret' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(raw, 'utf8')).not.toContain('very-secret');
});

it('the first run can be left, and a local server that is not there says how to start one', async () => {
  const pty = await openRein(undefined, { argv: [] });
  await pty.until('use a local server');
  pty.keys('Down', 'Enter');
  await pty.until('ollama serve');
  pty.keys('Escape');
  await pty.ended();
});

it('C23 Esc ends a command that ignores signals, at once for the person, and the log is whole', async () => {
  const pty = await openRein(bash("trap '' INT TERM; echo started; sleep 60"));
  pty.type('go');
  pty.keys('Enter');
  await pty.until(/● bash trap[\s\S]*started/);
  pty.keys('Escape');
  await pty.until('■ stopped', { ms: 4000 });
  pty.type('still here');
  await pty.until('still here');
  const [log] = pty.logs();
  expect(log?.entries.filter((entry) => entry.type === 'message' && entry.message.role === 'result')).toHaveLength(1);
});

it('C05 a command that wants the terminal gets none, and the screen is unharmed', async () => {
  const pty = await openRein(bash("read -p 'Password: ' x < /dev/tty; echo got"));
  pty.type('go');
  pty.keys('Enter');
  await pty.until(/✓ bash read -p 'Password: '.*\n\nThat was it\.\n\n─+\n\n─+\nanthropic/);
  pty.keys('C-o');
  await pty.until(/\/dev\/tty: No such device/);
});

it('E33 escapes in the output of a command do nothing', async () => {
  const pty = await openRein(bash("printf 'a\\033]52;c;cHduZWQ=\\007b\\2332J\\033]0;x\\007'; false"));
  const raw = join(pty.home, 'raw');
  pty.record(raw);
  pty.type('go');
  pty.keys('Enter');
  await pty.until('That was it.');
  pty.keys('C-o');
  await pty.until('q goes back');
  const said = readFileSync(raw, 'utf8');
  expect(said).not.toContain('\x1b]52');
  expect(said).not.toContain('\x9b2J');
  expect(said).not.toContain(']0;x\x07');
});

it('SIGTERM and SIGHUP while it works: the terminal is clean, the session is kept', async () => {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    const pty = await openRein(bash('echo started; sleep 60'));
    const raw = join(pty.home, 'raw');
    pty.record(raw);
    pty.type('go');
    pty.keys('Enter');
    await pty.until(/● bash[\s\S]*started/);
    process.kill(pty.pid(), signal);
    await pty.ended();
    expect(readFileSync(raw, 'utf8')).toContain(CLEAN);
    expect(pty.logs()[0]?.entries.some((entry) => entry.type === 'message' && entry.message.role === 'result')).toBe(
      true,
    );
  }
});

it('Esc Esc takes a prompt back, words and files, and /redo brings it back', async () => {
  const pty = await openRein(bash('echo hello > a.txt'));
  const file = join(pty.home, 'work/a.txt');
  pty.type('write it');
  pty.keys('Enter');
  await pty.until('That was it.');
  expect(readFileSync(file, 'utf8')).toBe('hello\n');
  pty.keys('Escape');
  await pty.until('esc again goes back');
  pty.keys('Escape');
  await pty.until(/› write it {2}a\.txt · now/);
  pty.keys('Enter');
  await pty.until('files and conversation');
  pty.keys('Enter');
  await pty.until(/Taken back, with 1 file\.[\s\S]*─\nwrite it\n─/);
  expect(existsSync(file)).toBe(false);
  pty.keys('C-c');
  pty.type('/redo');
  pty.keys('Enter');
  await pty.until('Brought back, with 1 file.');
  expect(readFileSync(file, 'utf8')).toBe('hello\n');
});

it('/model, /effort, /fork and /resume work on the real thing', async () => {
  const pty = await openRein(() => ({ text: 'An answer.' }));
  pty.type('a question');
  pty.keys('Enter');
  await pty.until('An answer.');
  pty.type('/effort high');
  pty.keys('Enter');
  await pty.until(/· model anthropic\/scripted, effort high/);
  pty.type('/fork');
  pty.keys('Enter');
  await pty.until(/── session/);
  pty.type('/resume');
  pty.keys('Enter');
  // What was said is seen before it is opened.
  await pty.until(/› a question[\s\S]*An answer\.[\s\S]*tab all folders/);
});
