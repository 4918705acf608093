import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { has } from '../support/has.ts';
import { openPty, type Pty, type PtyOptions } from '../support/pty.ts';

const fixture = join(import.meta.dirname, 'fixtures/repl-fixture.ts');
const it = test.skipIf(!has('tmux'));

let folder = '';
let pty: Pty;
const start = async (options: PtyOptions = {}) => {
  pty = openPty([process.execPath, fixture], {
    ...options,
    env: { FIXTURE_LOG: join(folder, 'log'), FIXTURE_HISTORY: join(folder, 'history'), ...options.env },
  });
  await pty.until('scripted/one');
};
const send = (text: string) => {
  pty.type(text);
  pty.keys('Enter');
};
/** What the session behind the screen saw. */
const seen = (kind: string): readonly unknown[] =>
  readFileSync(join(folder, 'log'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): [string, unknown] => JSON.parse(line))
    .flatMap(([name, data]) => (name === kind ? [data] : []));
const once = async (kind: string, count = 1): Promise<readonly unknown[]> => {
  const end = Date.now() + 10_000;
  for (;;) {
    try {
      if (seen(kind).length >= count) return seen(kind);
    } catch {
      // No line was written yet.
    }
    if (Date.now() > end) throw new Error(`no ${kind}; the screen:\n${pty.screen()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-front-'));
});
afterEach(() => {
  pty.close();
  rmSync(folder, { recursive: true, force: true });
});

it('a prompt is answered, and the answer stands above an empty editor', async () => {
  await start();
  send('hello');
  expect(await pty.until('echo: hello')).toContain('! a warning from before');
  expect(await once('prompt')).toEqual(['hello']);
  expect(pty.cursor()).toMatchObject({ x: 0, visible: true });
});

it('streamed Markdown is shown once, as text, with a table in columns', async () => {
  await start();
  send('markdown');
  await pty.until('Done.');
  const screen = pty.screen({ scrollback: true });
  expect(screen.match(/A plan/g)).toHaveLength(1);
  expect(screen.match(/one point/g)).toHaveLength(1);
  expect(screen).toContain('I read three files and found parse() in src/a.ts.');
  expect(screen).toContain('a.ts          12');
  expect(screen).not.toMatch(/\*\*|```|\|/);
});

it('output lives in the scrollback, whole, in order and once', async () => {
  await start();
  send('lines 300');
  await pty.until('line 300');
  const lines = pty.screen({ scrollback: true }).match(/^line \d+$/gm);
  expect(lines).toEqual(Array.from({ length: 300 }, (_, index) => `line ${index + 1}`));
});

it('F20 after any number of sizes the screen is right, and nothing is lost', async () => {
  await start();
  send('lines 60');
  await pty.until('line 60');
  for (const [columns, rows] of [
    [7, 3],
    [1, 1],
    [2, 5],
    [120, 40],
    [30, 10],
  ] as const)
    pty.resize(columns, rows);
  pty.resize(80, 24);
  send('hello again');
  const screen = await pty.until('echo: hello again');
  expect(screen).toMatch(/line 60\n\n› hello again\n\necho: hello again\n\n─{80}\n\n─{80}\nscripted\/one/);
  const all = pty.screen({ scrollback: true });
  for (let index = 1; index <= 60; index += 1) expect(all).toMatch(new RegExp(`^line ${index}$`, 'm'));
});

it('F18 a paste of 10,000 lines is one message with exactly these bytes', async () => {
  await start();
  const text = Array.from({ length: 10_000 }, (_, index) => `row ${index}\twith a tab`).join('\n');
  pty.paste(text);
  await pty.until('[paste #1 +10000 lines]');
  pty.keys('Enter');
  await pty.until('characters');
  expect(await once('prompt')).toEqual([text]);
});

it('F18 a paste without brackets is one message too', async () => {
  await start();
  pty.type('first line\rsecond line\rthird');
  await pty.until('third');
  pty.keys('Enter');
  expect(await once('prompt')).toEqual(['first line\nsecond line\nthird']);
});

it('F27 a text in any script arrives whole, and the cursor is where it is typed', async () => {
  await start();
  pty.type('日本語 👩‍👩‍👧‍👦');
  await pty.until('日本語');
  pty.keys('Enter');
  expect(await once('prompt')).toEqual(['日本語 👩‍👩‍👧‍👦']);
});

it('Ctrl+J and a backslash before Enter make a new line', async () => {
  await start();
  pty.type('one');
  pty.keys('C-j');
  pty.type('two\\');
  await pty.until(/^two\\$/m);
  pty.keys('Enter');
  await pty.until(/^two$/m);
  pty.type('three');
  await pty.until('three');
  pty.keys('Enter');
  expect(await once('prompt')).toEqual(['one\ntwo\nthree']);
});

it('calls are shown as they run and how they ended', async () => {
  await start();
  send('tools');
  await pty.until(/● bash npm test · 1 s\n {2}test 2 ok/);
  const screen = await pty.until('All is well.');
  expect(screen).toMatch(/● edit_file a\.ts\n {2}✓ \+1 −1.*\n {4}@@/);
  expect(screen).toMatch(/● bash npm test\n {2}✓ exit 0 · \d\.\d s/);
  expect(screen).toMatch(/● bash false\n {2}✗ exit 1\n {4}it broke/);
});

it('what a retry retracts disappears', async () => {
  await start();
  send('retract');
  await pty.until('first try');
  const screen = await pty.until('second try, whole');
  expect(screen).not.toContain('first try');
  expect(screen).toContain('the server is overloaded · trying again in 0.3 s (1 of 5)');
});

it('Esc stops the turn and loses nothing', async () => {
  await start();
  send('slow');
  await pty.until('working on it');
  send('and more');
  await pty.until('⧗ and more');
  pty.keys('Escape');
  const screen = await pty.until('■ stopped');
  expect(screen).toContain('working on it');
  // What was queued is in the editor again.
  expect(screen).toMatch(/─\nand more\n─/);
});

it('Ctrl+C stops; idle it clears, and twice it leaves with a clean terminal', async () => {
  await start();
  send('slow');
  await pty.until('working on it');
  const file = join(folder, 'raw');
  pty.record(file);
  pty.keys('C-c');
  await pty.until('■ stopped');
  pty.keys('C-c');
  const screen = await pty.until('left with 0');
  expect(screen).not.toContain('scripted/one');
  await pty.ended();
  // Bracketed paste off, keyboard protocols popped, cursor shown.
  expect(readFileSync(file, 'utf8')).toMatch(/\x1b\[\?2004l\x1b\[<u\x1b\[>4;0m\x1b\[\?25h/);
});

it('Ctrl+C clears what is typed; Ctrl+D leaves on an empty line only', async () => {
  await start();
  send('hello');
  await pty.until('echo: hello');
  pty.type('draft');
  await pty.until('draft');
  pty.keys('C-d');
  pty.keys('C-c');
  await pty.until(/─\n\n─/);
  pty.keys('C-d');
  expect(await pty.until('left with 0')).toMatch(/› hello\n\necho: hello\n+left with 0/);
});

it('F19 wide, joined and combining characters fit every width', async () => {
  await start();
  const nasty = '👩‍👩‍👧‍👦🇩🇪e\u0301ﷺ한글日本語\u200b';
  send(nasty.repeat(12));
  await pty.until('echo: ');
  for (let columns = 20; columns <= 81; columns += 7) {
    pty.resize(columns, 24);
    await pty.until(new RegExp(`^─{${columns}}$`, 'm'));
  }
  send('hello');
  await pty.until('echo: hello');
});

it('Enter while it works steers, and is shown as queued until it is delivered', async () => {
  await start();
  send('steer');
  await pty.until('waiting');
  send('turn left');
  const screen = await pty.until('heard turn left');
  expect(await once('steered')).toEqual([['turn left']]);
  expect(screen).not.toContain('⧗');
});

it('history is kept between runs, in a file of mode 0600', async () => {
  await start({ cwd: folder });
  send('remember me');
  await pty.until('echo: remember me');
  pty.keys('C-d');
  await pty.until('left with 0');
  expect(statSync(join(folder, 'history')).mode & 0o777).toBe(0o600);
  pty.close();
  await start({ cwd: folder });
  pty.keys('Up');
  await pty.until(/─\nremember me\n─/);
});

it('commands: help, completion, unknown ones, another session, a model', async () => {
  await start();
  send('/nonsense');
  await pty.until('/nonsense is not a command');
  pty.keys('C-c');
  pty.type('/he');
  await pty.until('commands and keys');
  pty.keys('Enter');
  await pty.until('/clear /reset /new');
  send('/cost');
  await pty.until('2 model requests, $0.0123');
  send('/model');
  await pty.until('scripted/two');
  pty.keys('Down', 'Enter');
  await pty.until('· model scripted/two');
  send('/new');
  await pty.until('── session second-session ──');
  send('/resume');
  await pty.until('enter picks');
  pty.keys('Enter');
  await pty.until('an old answer');
  send('/resume nowhere');
  await pty.until('no session nowhere');
  expect(existsSync(join(folder, 'log'))).toBe(false);
});

it('a path at the start of a prompt is no command', async () => {
  await start();
  send('/etc/hosts looks odd');
  expect(await once('prompt')).toEqual(['/etc/hosts looks odd']);
});

it('a question is answered yes, always with its rule, or no with a reason', async () => {
  await start();
  send('ask git commit -m x');
  await pty.until('y yes');
  pty.keys('y');
  await pty.until('It ran.');
  send('ask git commit -m x');
  await pty.until(/It ran\.[\s\S]*a always: bash\(git commit -m x\) {3}esc no, and stop/);
  pty.keys('a');
  await pty.until('yes, always in this session: bash(git commit -m x)');
  send('ask rm -rf build');
  await pty.until('esc no, and stop');
  pty.keys('n');
  await pty.until('Why not?');
  pty.type('use make clean');
  pty.keys('Enter');
  await pty.until('no: use make clean');
  expect(await once('answer', 3)).toEqual([
    { allow: true },
    { allow: true, always: true },
    { allow: false, reason: 'use make clean' },
  ]);
});

it('no key typed before a question appeared answers it', async () => {
  await start();
  pty.type('ask touch a');
  await pty.until('ask touch a');
  pty.keys('Enter', 'y', 'a', 'y');
  await pty.until('esc no, and stop');
  expect(pty.screen()).toMatch(/─\nyay\n─/);
  pty.keys('Escape');
  expect(await once('answer')).toEqual([{ allow: false, end: true }]);
});

it('E34 all of a command can be read before yes: far away, far down, hidden', async () => {
  await start();
  send('ask echo ok BLANKS; touch pwned');
  expect(await pty.until('esc no, and stop')).toContain('echo ok ‹301 blanks› ; touch pwned');
  pty.keys('Escape');
  await pty.until('■ stopped');
  const lines = Array.from({ length: 40 }, (_, index) => (index === 29 ? 'touch pwned' : `echo ${index}`));
  send(`ask ${lines.join('\\n')}`);
  await pty.until('esc no, and stop');
  const all = pty.screen({ scrollback: true });
  expect(all).toContain('40 lines');
  for (const line of lines) expect(all).toContain(`    ${line}`);
  pty.keys('Escape');
  await pty.until('■ stopped');
  send('ask echo \\u202edenwp hcuot');
  expect(await pty.until('esc no, and stop')).toContain('echo <U+202E>denwp hcuot');
});

it('several questions queue up, and say who asks', async () => {
  await start();
  send('asks');
  expect(await pty.until('(1 more waiting)')).toContain('asked by reviewer › one');
  pty.keys('y');
  await pty.until('asked by reviewer › two');
  await pty.until(/y yes {3}n no {3}esc no, and stop$/m);
  pty.keys('n');
  await pty.until('Why not?');
  pty.keys('Enter');
  await pty.until('both answered');
  expect(await once('answers')).toEqual([[{ allow: true }, { allow: false }]]);
});

it('F34 leaving while a question is open refuses it', async () => {
  await start();
  send('ask touch a');
  await pty.until('esc no, and stop');
  pty.keys('C-c', 'C-c');
  await pty.until('left with 0');
  expect(await once('answer')).toMatchObject([{ allow: false, end: true }]);
});

it('E33 nothing in an answer moves the cursor, sets the clipboard or the title', async () => {
  await start();
  const file = join(folder, 'raw');
  pty.record(file);
  send('escape');
  await pty.until('a␛]52;c;cHduZWQ=␇b');
  const raw = readFileSync(file, 'utf8');
  expect(raw).not.toContain('\x1b]52');
  expect(raw).not.toContain('\x9b');
  expect(raw).not.toContain('\x1b[1A\x1b[2K end');
});

it('F26 NO_COLOR: no colour, only what moves the cursor', async () => {
  await start({ env: { NO_COLOR: '1' } });
  send('markdown');
  await pty.until('Done.');
  expect(pty.screen({ escapes: true })).not.toMatch(/\x1b\[(1|2|3[0-9]|9[0-9])m/);
});

it('F13 a terminal that goes away ends the program', async () => {
  await start();
  const pid = pty.pid();
  pty.close();
  const end = Date.now() + 3000;
  const alive = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  while (alive() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(alive()).toBe(false);
});
