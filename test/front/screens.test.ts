import { expect } from 'vitest';
import { it, openFixture } from './fixtures/open.ts';

const size = (columns: number, rows = 24) => ({ columns, rows, cwd: '/tmp' });
/** The lines between the first that holds `from` and the first after it that holds `to`. */
const between = (screen: string, from: string, to: string): readonly string[] => {
  const lines = screen.split('\n');
  const first = lines.findIndex((line) => line.includes(from));
  return lines.slice(first, lines.findIndex((line, index) => index > first && line.includes(to)) + 1);
};
const rule = (columns: number) => '─'.repeat(columns);

it('golden, 80 columns: parallel calls and sub-agents are a tree, each with its clock and its bill', async () => {
  const pty = await openFixture(size(80));
  pty.send('crew');
  const screen = await pty.until('suite 3 of 9');
  expect(between(screen, '● task', 'suite').map((line) => line.replace(/\d+ s/g, 'N s'))).toEqual([
    '● task Review the parser · N s · 2 calls · 12.4k tokens · $0.0210',
    '  ├ read_file src/parse.ts · N s',
    '  └ search_files TODO in src · N s',
    '● task Review the tests · N s · 12.4k tokens · $0.0210',
    '  writing',
    '● bash npm test · N s',
    '  suite 3 of 9',
  ]);
  const end = between(await pty.until('All fine.'), '› crew', 'All fine.');
  expect(end.map((line) => line.replace(/\d\.\d s/g, 'N s'))).toEqual([
    '› crew',
    '',
    'Two reviews and the tests, at once.',
    '',
    '✓ task Review the pa… · no complaints · 2 calls · 12.4k tokens · $0.0210 · N s',
    '✓ task Review the tests · no complaints · 12.4k tokens · $0.0210 · N s',
    '✓ bash npm test · N s',
    '',
    'All fine.',
  ]);
});

it('golden, 80 columns: the approval panel has the parsed command, the rules and the keys', async () => {
  const pty = await openFixture(size(80));
  pty.send('ask ls src && git commit -m x');
  const screen = await pty.until('y yes');
  expect(between(screen, '? bash', 'scripted/one')).toEqual([
    '? bash wants to run',
    '    ls src && git commit -m x',
    '    ✓ ls src           reads only',
    '    ? git commit -m x  the default',
    '  shell commands ask by default',
    '  y yes   a always: bash(git commit -m x)   n no, and why   e edit   esc stop',
    rule(80),
    '',
    rule(80),
    'scripted/one · ask · /tmp                     1 job · $0.01 of $5 · ▰▰▱▱▱▱▱▱ 21%',
  ]);
});

it('golden, 40 columns: everything fits, the status line keeps what matters', async () => {
  const pty = await openFixture(size(40, 34));
  pty.send('markdown');
  const screen = await pty.until(/Done\.\n\n─/);
  expect(between(screen, '› markdown', 'scripted/one')).toEqual([
    '› markdown',
    '',
    'A plan',
    '',
    'I read three files and found parse() in',
    'src/a.ts. This line is long enough to be',
    'wrapped by a terminal of eighty columns,',
    '日本語 included.',
    '',
    '• one point',
    '• another, with code',
    '  1. nested',
    '',
    '  ts',
    '  const a: number = 1;',
    '',
    'Name          Size',
    '────────────  ────',
    'a.ts          12',
    'long-name.ts  4',
    '',
    'Done.',
    '',
    rule(40),
    '',
    rule(40),
    'scripted/one · ask          ▰▰▱▱▱▱▱▱ 21%',
  ]);
});

it('golden, 200 columns: one line is one line, and the status line says it all', async () => {
  const pty = await openFixture(size(200));
  pty.send('tools');
  const screen = await pty.until('All is well.');
  expect(between(screen, '› tools', 'scripted/one').map((line) => line.replace(/\d\.\d s/g, 'N s'))).toEqual([
    '› tools',
    '',
    'I will look.',
    '',
    '✓ edit_file a.ts · +1 −1 · N s',
    '  1   const a = 1;',
    '  2 - const b = 2;',
    '  2 + const b = 3;',
    '✓ bash npm test · N s',
    '✗ bash false · exit 1',
    '  it broke',
    '',
    'All is well.',
    '',
    rule(200),
    '',
    rule(200),
    expect.stringMatching(/^scripted\/one · ask · \/tmp {100,}1 job · \$0\.01 of \$5 · ▰▰▱▱▱▱▱▱ 21%$/),
  ]);
});

it('code and changed words are coloured, and the colours are those of the theme', async () => {
  const pty = await openFixture(size(80));
  pty.send('markdown');
  await pty.until('Done.');
  expect(pty.screen({ escapes: true })).toContain('\x1b[35mconst\x1b[39m a: number = \x1b[33m1');
  pty.send('/theme colour-blind');
  await pty.until('theme is colour-blind from now on');
  expect(await pty.once('setting')).toEqual([['theme', 'colour-blind']]);
  pty.send('tools');
  await pty.until('All is well.');
  // tmux tells a background by its number: 94 and 24 mark the words that differ.
  expect(pty.screen({ escapes: true })).toMatch(/const b = \x1b\[48;5;94m2[\s\S]*const b = \x1b\[48;5;24m3/);
});

it('/settings theme changes the colours at once: of what is drawn now, and of what comes', async () => {
  const pty = await openFixture(size(80));
  const shows = (text: string) =>
    pty.until(() => pty.screen({ escapes: true }).replaceAll('\x1b[49m', '').includes(text));
  await shows('\x1b[36m▰▰');
  pty.send('/settings theme light');
  await pty.until('theme is light from now on');
  await shows('\x1b[34m▰▰');
  pty.send('markdown');
  await pty.until('Done.');
  await shows('a: number = \x1b[38;5;130m1');
});

it('a thought is folded into the time it took; Ctrl+O shows it, whole, and leaves no trace', async () => {
  const pty = await openFixture(size(80));
  pty.send('think');
  const before = await pty.until(/∴ thought for 1\.\d s\n\nA cat\./);
  expect(before).not.toContain('dog');
  pty.keys('C-o');
  expect(await pty.until('Is it a cat or a dog?')).toContain('q goes back');
  pty.keys('q');
  await pty.until(/∴ thought for/);
  expect(pty.screen({ scrollback: true })).toBe(before);
});

it('what arrives while everything is shown in full is there afterwards, once', async () => {
  const pty = await openFixture(size(80));
  pty.send('lines 200');
  await pty.until('line 20');
  pty.keys('C-o');
  await pty.until('q goes back');
  await pty.until(() => !pty.title().startsWith('●'));
  pty.resize(70, 20);
  pty.keys('Escape');
  await pty.until(/line 200\n\n─{70}/);
  const lines = pty.screen({ scrollback: true }).match(/^line \d+$/gm) ?? [];
  for (let index = 1; index <= 200; index += 1) expect(lines).toContain(`line ${index}`);
});

it('TERM=dumb and no terminal features: line mode', async () => {
  const plain = await openFixture({ env: { FIXTURE_PLAIN: '1' }, until: 'a warning from before' });
  plain.send('hello');
  await plain.until('echo: hello');
  expect(plain.screen({ escapes: true })).not.toContain('\x1b');
});
