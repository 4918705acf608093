import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { highlight } from '../../src/front/render/highlight.ts';
import { markdownRows } from '../../src/front/render/markdown.ts';
import { ansiTheme, plainLook, THEMES, themeOf } from '../../src/front/render/theme.ts';
import { markWords } from '../../src/front/render/words.ts';
import { createBeacon } from '../../src/front/repl/beacon.ts';
import { readBranch } from '../../src/front/repl/branch.ts';
import { bestOf } from '../../src/front/repl/fuzzy.ts';
import { loadPi } from '../../src/front/repl/pi.ts';
import { createTerminal } from '../../src/front/repl/terminal.ts';
import { scriptedSession } from './fixtures/session.ts';

const unstyled = (text: string) => text.replace(/\x1b\[[\d;]+m/g, '');
const marks = (text: string) =>
  text.replace(/\x1b\[(?:35|32|33|2|48;5;\d+)m/g, '<').replace(/\x1b\[(?:39|22|49)m/g, '>');

test('colours change no character of code, whatever the language', () => {
  const languages = ['ts', 'python', 'go', 'rust', 'sh', 'sql', 'css', 'json', 'yaml', 'ruby', 'c++', 'nonsense', ''];
  fc.assert(
    fc.property(
      fc.string(),
      fc.constantFrom(...languages),
      fc.constantFrom(null, '*/', '`', '"""'),
      (line, name, open) => {
        expect(unstyled(highlight(line.replaceAll('\x1b', ''), name, open, ansiTheme).text)).toBe(
          line.replaceAll('\x1b', ''),
        );
      },
    ),
  );
});

test('a comment that is open goes on in the next line', () => {
  const first = highlight('let a = 1; /* begins', 'ts', null, ansiTheme);
  expect(marks(first.text)).toBe('<let> a = <1>; </* begins>');
  const second = highlight('still */ return "x" // end', 'ts', first.open, ansiTheme);
  expect(marks(second.text)).toBe('<still */> <return> <"x"> <// end>');
  expect(marks(highlight('echo https://x.dev#frag # note', 'sh', null, ansiTheme).text)).toBe(
    '<echo> https://x.dev#frag <# note>',
  );
});

test('words that differ are marked, neighbours together, and only in lines that are alike', () => {
  const bracket = (text: string) => (text === '' ? '' : `[${text}]`);
  expect(markWords('const a = old(1);', 'const a = fresh(1, 2);', bracket, bracket)).toEqual({
    before: 'const a = [old](1);',
    after: 'const a = [fresh](1[, 2]);',
  });
  expect(markWords('one', 'completely other', bracket, bracket)).toEqual({ before: 'one', after: 'completely other' });
});

test('a line of bars is no table; a table has its rule', () => {
  const show = (text: string) =>
    markdownRows(text, plainLook(false))
      .flatMap((row) => row(80))
      .join('\n');
  expect(show('| . . |\n| . [] |')).toBe('| . . |\n| . [] |');
  expect(show('| a |\n|---|\n| 1 |')).toBe('a\n─\n1');
});

test('every theme ends what it begins, and none has no colour at all', () => {
  for (const name of THEMES) {
    for (const style of Object.values(themeOf(true, name))) {
      const text = style('x');
      expect(name === 'none' ? text : text.replace(/^\x1b\[[\d;]+m(x)\x1b\[\d+m$/, '$1')).toBe('x');
    }
  }
});

test('fuzzy: names before folders, word starts before scattered letters, and 100,000 in a moment', () => {
  const files = ['src/front/repl/scene.ts', 'scenes/other/readme.md', 'src/obscene-name.ts', 'docs/s-c-e-n-e.md'];
  expect(bestOf(files, 'scene', (path) => path, 3)[0]).toBe('src/front/repl/scene.ts');
  expect(bestOf(files, 'frsc', (path) => path, 1)).toEqual(['src/front/repl/scene.ts']);
  expect(bestOf(files, 'zzz', (path) => path, 3)).toEqual([]);
  const many = Array.from({ length: 100_000 }, (_, index) => `packages/p${index % 300}/src/module${index}/index.ts`);
  expect(bestOf([...many, 'a/needle.ts'], 'ndl', (path) => path, 5)[0]).toBe('a/needle.ts');
});

test('the branch is read from files: a branch, a commit, a worktree, none', () => {
  const root = mkdtempSync(join(tmpdir(), 'rein-branch-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const git = join(root, 'repo/.git');
  mkdirSync(join(root, 'repo/deep/er'), { recursive: true });
  mkdirSync(join(git, 'worktrees/w'), { recursive: true });
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/feature/x\n');
  expect(readBranch(join(root, 'repo/deep/er'))).toBe('feature/x');
  writeFileSync(join(git, 'HEAD'), '0123456789abcdef0123456789abcdef01234567\n');
  expect(readBranch(join(root, 'repo'))).toBe('0123456');
  mkdirSync(join(root, 'tree'));
  writeFileSync(join(root, 'tree/.git'), `gitdir: ${join(git, 'worktrees/w')}\n`);
  writeFileSync(join(git, 'worktrees/w/HEAD'), 'ref: refs/heads/w\n');
  expect(readBranch(join(root, 'tree'))).toBe('w');
});

test('E33 a folder’s name can’t set the title', () => {
  const sent: string[] = [];
  const beacon = createBeacon((data) => sent.push(data), false);
  beacon.show('works', { ...scriptedSession(async () => {}), cwd: '/tmp/a\x07\x1b]52;c;x\x07' });
  expect(sent.join('')).toBe('\x1b]0;● a␇␛]52;c;x␇ · rein\x07');
});

test('F27 characters whose bytes come one at a time are whole, and a late arrow is told from Esc', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  /** What was written arrives, then so many milliseconds go by. */
  const wait = async (ms: number) => {
    await turn();
    vi.advanceTimersByTime(ms);
  };
  const terminal = createTerminal(await loadPi(), stdin, stdout, () => {});
  const keys: string[] = [];
  terminal.start(
    (data) => keys.push(data),
    () => {},
  );
  for (const byte of Buffer.from('日本')) stdin.write(Buffer.from([byte]));
  stdin.write('\x1b');
  await wait(40);
  stdin.write('[D');
  await wait(80);
  expect(keys).toEqual(['日', '本', '\x1b[D']);
  stdin.write('\x1b');
  await wait(60);
  expect(keys).toEqual(['日', '本', '\x1b[D', '\x1b']);
  terminal.stop();
});
