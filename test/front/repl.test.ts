import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { it, openFixture } from './fixtures/open.ts';

it('a prompt is answered, and the answer stands above an empty editor', async () => {
  const pty = await openFixture();
  pty.send('hello');
  expect(await pty.until('echo: hello')).toContain('! a warning from before');
  expect(await pty.once('prompt')).toEqual(['hello']);
  expect(pty.cursor()).toMatchObject({ x: 0, visible: true });
});

it('streamed Markdown is shown once, as text, with a table in columns', async () => {
  const pty = await openFixture();
  pty.send('markdown');
  await pty.until('Done.');
  const screen = pty.screen({ scrollback: true });
  expect(screen.match(/A plan/g)).toHaveLength(1);
  expect(screen.match(/one point/g)).toHaveLength(1);
  expect(screen).toContain('I read three files and found parse() in src/a.ts.');
  expect(screen).toContain('a.ts          12');
  expect(screen).not.toMatch(/\*\*|```|\|/);
});

it('output lives in the scrollback, whole, in order and once', async () => {
  const pty = await openFixture();
  pty.send('lines 300');
  await pty.until('line 300');
  const lines = pty.screen({ scrollback: true }).match(/^line \d+$/gm);
  expect(lines).toEqual(Array.from({ length: 300 }, (_, index) => `line ${index + 1}`));
});

/** An empty editor and the status line under it, drawn for this width. */
const frame = (columns: number) => new RegExp(`^─{${columns}}\\n\\n─{${columns}}\\nscripted/one`, 'm');

it('F20 after another size the screen is right, and nothing is lost', async () => {
  const pty = await openFixture();
  pty.send('lines 60');
  await pty.until('line 60');
  for (const columns of [120, 40, 51, 80]) {
    pty.resize(columns, columns === 80 ? 24 : 12);
    await pty.until(frame(columns));
  }
  pty.send('hello again');
  const screen = await pty.until('echo: hello again');
  expect(screen).toMatch(/line 60\n\n› hello again\n\necho: hello again\n\n─{80}\n\n─{80}\nscripted\/one/);
  const all = pty.screen({ scrollback: true });
  for (let index = 1; index <= 60; index += 1) expect(all).toMatch(new RegExp(`^line ${index}$`, 'm'));
});

it('F20 a hundred sizes while it writes, the smallest too, and it goes on', async () => {
  const pty = await openFixture();
  pty.send('lines 400');
  await pty.until('line 39');
  for (let index = 0; index < 100; index += 1) pty.resize(1 + ((index * 37) % 110), 1 + ((index * 13) % 40));
  pty.resize(82, 24);
  await pty.until(frame(82));
  await pty.until('line 400', { scrollback: true });
  pty.send('hello again');
  await pty.until(/› hello again\n\necho: hello again\n\n─{82}\n\n─{82}\nscripted\/one/);
});

it('F18 a paste of 10,000 lines is one message with exactly these bytes', async () => {
  const pty = await openFixture();
  const text = Array.from({ length: 10_000 }, (_, index) => `row ${index}\twith a tab`).join('\n');
  pty.paste(text);
  await pty.until('[paste #1 +10000 lines]');
  pty.keys('Enter');
  await pty.until('characters');
  expect(await pty.once('prompt')).toEqual([text]);
});

it('F18 a paste without brackets is one message too', async () => {
  const pty = await openFixture();
  pty.type('first line\rsecond line\rthird');
  await pty.until('third');
  pty.keys('Enter');
  expect(await pty.once('prompt')).toEqual(['first line\nsecond line\nthird']);
});

it('F27 a text in any script arrives whole, and the cursor is where it is typed', async () => {
  const pty = await openFixture();
  pty.type('日本語 👩‍👩‍👧‍👦');
  await pty.until('日本語');
  pty.keys('Enter');
  expect(await pty.once('prompt')).toEqual(['日本語 👩‍👩‍👧‍👦']);
});

it('Ctrl+J and a backslash before Enter make a new line', async () => {
  const pty = await openFixture();
  pty.type('one');
  pty.keys('C-j');
  pty.type('two\\');
  await pty.until(/^two\\$/m);
  pty.keys('Enter');
  await pty.until(/^two$/m);
  pty.type('three');
  await pty.until('three');
  pty.keys('Enter');
  expect(await pty.once('prompt')).toEqual(['one\ntwo\nthree']);
});

it('calls are shown as they run and how they ended', async () => {
  const pty = await openFixture();
  pty.send('tools');
  await pty.until(/● bash npm test · 1 s\n {2}test 2 ok/);
  const screen = await pty.until('All is well.');
  expect(screen).toMatch(
    /✓ edit_file a\.ts · \+1 −1 · 0\.\d s\n {2}1 {3}const a = 1;\n {2}2 - const b = 2;\n {2}2 \+ const b = 3;/,
  );
  expect(screen).toMatch(/✓ bash npm test · \d\.\d s/);
  expect(screen).toMatch(/✗ bash false · exit 1\n {2}it broke/);
});

it('what a retry retracts disappears', async () => {
  const pty = await openFixture();
  pty.send('retract');
  await pty.until('first try');
  const screen = await pty.until('second try, whole');
  expect(screen).not.toContain('first try');
  expect(screen).toContain('the server is overloaded · trying again in 0.3 s (1 of 5)');
});

it('Esc stops the turn and loses nothing', async () => {
  const pty = await openFixture();
  pty.send('slow');
  await pty.until('working on it');
  pty.send('and more');
  await pty.until('⧗ and more');
  pty.keys('Escape');
  const screen = await pty.until('■ stopped');
  expect(screen).toContain('working on it');
  // What was queued is in the editor again.
  expect(screen).toMatch(/─\nand more\n─/);
});

it('Ctrl+C stops; idle it clears, and twice it leaves with a clean terminal', async () => {
  const pty = await openFixture();
  pty.send('slow');
  await pty.until('working on it');
  const file = join(pty.folder, 'raw');
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
  const pty = await openFixture();
  pty.send('hello');
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
  const pty = await openFixture();
  const nasty = '👩‍👩‍👧‍👦🇩🇪e\u0301ﷺ한글日本語\u200b';
  pty.send(nasty.repeat(12));
  await pty.until('echo: ');
  for (let columns = 20; columns <= 81; columns += 7) {
    pty.resize(columns, 24);
    await pty.until(new RegExp(`^─{${columns}}$`, 'm'));
  }
  pty.send('hello');
  await pty.until('echo: hello');
});

it('Enter while it works steers, and is shown as queued until it is delivered', async () => {
  const pty = await openFixture();
  pty.send('steer');
  await pty.until('waiting');
  pty.send('turn left');
  const screen = await pty.until('heard turn left');
  expect(await pty.once('steered')).toEqual([['turn left']]);
  expect(screen).not.toContain('⧗');
});

it('history is kept between runs, in a file of mode 0600', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-front-'));
  const pty = await openFixture({ cwd: folder, folder });
  pty.send('remember me');
  await pty.until('echo: remember me');
  pty.keys('C-d');
  await pty.until('left with 0');
  expect(statSync(join(pty.folder, 'history')).mode & 0o777).toBe(0o600);
  const again = await openFixture({ cwd: folder, folder });
  again.keys('Up');
  await again.until(/─\nremember me\n─/);
});

it('commands: help, completion, unknown ones, another session, a model', async () => {
  const pty = await openFixture();
  pty.send('/nonsense');
  await pty.until('/nonsense is not a command');
  pty.keys('C-c');
  pty.type('/he');
  await pty.until('commands and keys');
  pty.keys('Enter');
  await pty.until('q goes back');
  // A text is read from its start.
  await pty.until('/clear /reset /new');
  pty.keys('q');
  pty.send('/cost');
  await pty.until('2 model requests, $0.0123');
  pty.send('/model');
  await pty.until('scripted/two');
  pty.keys('Down', 'Enter');
  await pty.until('· model scripted/two');
  pty.send('/new');
  await pty.until('── session second-session ──');
  pty.send('/resume');
  await pty.until('enter picks');
  pty.keys('Enter');
  await pty.until('an old answer');
  pty.send('/resume nowhere');
  await pty.until('no session nowhere');
  expect(existsSync(join(pty.folder, 'log'))).toBe(false);
});

it('a command that is written out whole comes before those that begin with it', async () => {
  const pty = await openFixture();
  pty.type('/mode');
  await pty.until(/^→ \/mode +the mode, the rules.*\n +\/model +show/m);
  pty.keys('Enter');
  await pty.until(/^Permissions/m);
});

it('a path at the start of a prompt is no command', async () => {
  const pty = await openFixture();
  pty.send('/etc/hosts looks odd');
  expect(await pty.once('prompt')).toEqual(['/etc/hosts looks odd']);
});

it('a question is answered yes, always with its rule, or no with a reason', async () => {
  const pty = await openFixture();
  pty.send('ask git commit -m x');
  await pty.until('y yes');
  pty.keys('y');
  await pty.until('It ran.');
  pty.send('ask git commit -m x');
  await pty.until(/It ran\.[\s\S]*a always: bash\(git commit -m x\) {3}n no, and why/);
  pty.keys('a');
  await pty.until('· always allowed in this session: bash(git commit -m x)');
  pty.send('ask rm -rf build');
  await pty.until('esc stop');
  pty.keys('n');
  await pty.until('Why not?');
  pty.type('use make clean');
  pty.keys('Enter');
  await pty.until('no: use make clean');
  expect(await pty.once('answer', 3)).toEqual([
    { allow: true },
    { allow: true, always: true },
    { allow: false, reason: 'use make clean' },
  ]);
});

it('no key typed before a question appeared answers it', async () => {
  const pty = await openFixture();
  pty.type('ask touch a');
  await pty.until('ask touch a');
  pty.keys('Enter', 'y', 'a', 'y');
  await pty.until('esc stop');
  expect(pty.screen()).toMatch(/─\nyay\n─/);
  pty.keys('Escape');
  expect(await pty.once('answer')).toEqual([{ allow: false, end: true }]);
});

it('E34 all of a command can be read before yes: far away, far down, hidden', async () => {
  const pty = await openFixture();
  pty.send('ask echo ok BLANKS; touch pwned');
  expect(await pty.until('esc stop')).toContain('echo ok ‹301 blanks› ; touch pwned');
  pty.keys('Escape');
  await pty.until('■ stopped');
  const lines = Array.from({ length: 40 }, (_, index) => (index === 29 ? 'touch pwned' : `echo ${index}`));
  pty.send(`ask ${lines.join('\\n')}`);
  // Its beginning, how much more there is, and the keys: on one screen.
  const first = await pty.until('esc stop');
  expect(first).toMatch(
    /\? bash wants to run\n {4}40 lines\n {4}echo 0\n[\s\S]*… \d+ more lines, ctrl\+o shows all\n {2}y yes/,
  );
  pty.keys('C-o');
  let all = await pty.until(/echo 0\n[\s\S]*q goes back/);
  pty.keys('G');
  all += await pty.until('echo 39');
  for (const line of lines) expect(all).toContain(`    ${line}`);
  expect(all).toContain('always would allow: bash(git commit -m x)');
  pty.keys('q');
  await pty.until('esc stop');
  pty.keys('PageUp');
  await pty.until('q goes back');
  pty.keys('q');
  await pty.until('esc stop');
  pty.keys('Escape');
  await pty.until('■ stopped');
  pty.send('ask echo \\u202edenwp hcuot');
  expect(await pty.until('esc stop')).toContain('echo <U+202E>denwp hcuot');
});

it('a long question on a small screen keeps its head and its keys, and what is seen while it is written about', async () => {
  const pty = await openFixture({ columns: 40, rows: 10 });
  pty.send(`ask ${Array.from({ length: 80 }, (_, index) => `echo ${index}`).join('\\n')}`);
  await pty.until(
    /\? bash wants to run\n {4}80 lines\n.*… \d+ more lines, ctrl\+o shows all\n {2}y yes[\s\S]*esc stop/,
  );
  pty.keys('n');
  await pty.until('goes back.');
  pty.keys('Escape');
  await pty.until(/\? bash wants to run\n[\s\S]*esc stop/);
  pty.resize(60, 20);
  await pty.until(/\? bash wants to run\n {4}80 lines\n {4}echo 0\n[\s\S]*esc stop/);
  pty.keys('y');
  await pty.until('It ran.');
});

it('several questions queue up, and say who asks', async () => {
  const pty = await openFixture();
  pty.send('asks');
  expect(await pty.until('(1 more waiting)')).toContain('asked by reviewer › one');
  pty.keys('y');
  await pty.until('asked by reviewer › two');
  await pty.until(/y yes {3}n no, and why {3}e edit {3}esc stop$/m);
  pty.keys('n');
  await pty.until('Why not?');
  pty.keys('Enter');
  await pty.until('both answered');
  expect(await pty.once('answers')).toEqual([[{ allow: true }, { allow: false }]]);
});

it('F34 leaving while a question is open refuses it', async () => {
  const pty = await openFixture();
  pty.send('ask touch a');
  await pty.until('esc stop');
  pty.keys('C-c', 'C-c');
  await pty.until('left with 0');
  expect(await pty.once('answer')).toMatchObject([{ allow: false, end: true }]);
});

it('E33 nothing in an answer moves the cursor, sets the clipboard or the title', async () => {
  const pty = await openFixture();
  const file = join(pty.folder, 'raw');
  pty.record(file);
  pty.send('escape');
  await pty.until('a␛]52;c;cHduZWQ=␇b');
  const raw = readFileSync(file, 'utf8');
  expect(raw).not.toContain('\x1b]52');
  expect(raw).not.toContain('\x9b');
  expect(raw).not.toContain('\x1b[1A\x1b[2K end');
});

it('F26 NO_COLOR: no colour, only what moves the cursor', async () => {
  const pty = await openFixture({ env: { NO_COLOR: '1' } });
  pty.send('markdown');
  await pty.until('Done.');
  expect(pty.screen({ escapes: true })).not.toMatch(/\x1b\[(1|2|3[0-9]|9[0-9])m/);
});

it('F13 a terminal that goes away ends the program', async () => {
  const pty = await openFixture();
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
