import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffRows } from '../../src/front/render/diff.ts';
import { emptyMarkdown, feed, finish, markdownRows } from '../../src/front/render/markdown.ts';
import type { Row } from '../../src/front/render/row.ts';
import { exposed, oneLine, safe } from '../../src/front/render/safe.ts';
import { ansiTheme, plainLook } from '../../src/front/render/theme.ts';
import { resultRows } from '../../src/front/render/tools.ts';
import { duration, money, ticking, tokens } from '../../src/front/render/units.ts';
import { questionRows } from '../../src/front/repl/questions.ts';

const look = plainLook(false);
const show = (rows: readonly Row[], width = 80): string => rows.flatMap((row) => row(width)).join('\n');

test('E33 after `safe` nothing is left that a terminal would obey', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(safe(text)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
  expect(safe('a\x1b]0;x\x07\r\nb\rc')).toBe('a␛]0;x␇\nb␍c');
});

test('E34 after `exposed` nothing is hidden, and plain text is unchanged', () => {
  expect(exposed('a\u200bb\u00adc\u00a0d\u{e0041}e\u3164')).toBe('a<U+200B>b<U+00AD>c<U+00A0>d<U+E0041>e<U+3164>');
  expect(exposed('git commit -m "Grüße, 日本"')).toBe('git commit -m "Grüße, 日本"');
});

test('E34 a question tells each reason once', () => {
  const question = {
    call: { type: 'call', id: 'c', vendorId: 'v', name: 'bash', input: {} },
    access: { show: 'x', command: 'touch $x > y' },
    why: 'touch $x: not known\nwrite y: no rule',
    from: [],
  } as const;
  const part = (text: string, rule: string) => ({ text, verdict: 'ask' as const, rule });
  const rows = [part('touch $x', 'default: not known'), part('write y', 'default: no rule')];
  const told = show(questionRows(look, question, rows));
  expect(told.match(/not known|no rule/g)).toEqual(['not known', 'no rule']);
  expect(show(questionRows(look, question, rows.slice(0, 1)))).toContain('write y: no rule');
  expect(show(questionRows(look, question, [part('a', 'x: y'), part('b', 'x: y')]))).toContain('write y: no rule');
});

test('one line says how many lines it left out', () => {
  expect(oneLine('npm test\nnpm run build\n')).toBe('npm test (+1 lines)');
});

test('Markdown streams: any cut gives the same rows as the whole', () => {
  const text = '# T\n\ntext **b** `c`\n\n- a\n- b\n\n```js\nx  *y*\n```\n| a | b |\n|---|---|\n| 1 | 2 |\nend';
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
      const marks = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      let markdown = emptyMarkdown;
      const rows: Row[] = [];
      for (let index = 1; index < marks.length; index += 1) {
        const fed = feed(markdown, text.slice(marks[index - 1], marks[index]), look);
        markdown = fed.markdown;
        rows.push(...fed.rows);
      }
      expect(show([...rows, ...finish(markdown, look)])).toBe(show(markdownRows(text, look)));
    }),
  );
});

test('Markdown reads as text where there is no colour', () => {
  const text =
    '## Head\nSee [the docs](https://x.dev) and **this** or _that_, not snake_case_name or 2*3*4.\n> said\n1. one\n- [x] done\n---';
  expect(show(markdownRows(text, look))).toBe(
    `Head\nSee the docs (https://x.dev) and this or that, not snake_case_name or 2*3*4.\n│ said\n1. one\n☑ done\n${'─'.repeat(40)}`,
  );
});

test('a table that does not fit is a list', () => {
  const table = '| Name | What |\n|---|---|\n| a | something long |\n| b | short |';
  expect(show(markdownRows(table, look), 10)).toBe('Name: a\nWhat: something long\n\nName: b\nWhat: short');
});

test('styles end themselves, so that they nest', () => {
  const styled = { ...look, theme: ansiTheme };
  expect(show(markdownRows('**a `b` c**', styled))).toBe('\x1b[1ma \x1b[36mb\x1b[39m c\x1b[22m');
});

test('a diff keeps its signs without colour', () => {
  expect(show(diffRows(look, '@@ -9 +9 @@\n-a\x1b[0m\n+b\n@@ -99 +99 @@\n c\n'))).toBe(
    ' 9 - a␛[0m\n 9 + b\n   ⋮\n99   c',
  );
});

test('a result says how it ended in one line, and why where it failed', () => {
  const result = { role: 'result', call: 'c', name: 'bash', failed: false, how: 'ran' } as const;
  const text = (said: string) => [{ type: 'text', text: said }] as const;
  expect(show(resultRows(look, { ...result, content: text('a\nb\n[exit code: 0]') }, 1234))).toBe('  ✓ exit 0 · 1.2 s');
  expect(show(resultRows(look, { ...result, content: text('boom\n[exit code: 2]'), failed: true }))).toBe(
    '  ✗ exit 2\n    boom',
  );
  expect(show(resultRows(look, { ...result, content: text('ERROR: no'), failed: true, how: 'refused' }))).toBe(
    '  ✗ refused\n    ERROR: no',
  );
  expect(show(resultRows(look, { ...result, content: text('a\nb') }))).toBe('  ✓ 2 lines');
});

test('F25 durations are never below zero', () => {
  expect([duration(-5), duration(1234), duration(61_000), duration(3_700_000)]).toEqual([
    '0.0 s',
    '1.2 s',
    '1 m 01 s',
    '1 h 01 m',
  ]);
  expect([ticking(-1), ticking(59_999), ticking(60_000)]).toEqual(['0 s', '59 s', '1 m 00 s']);
});

test('money and tokens are short', () => {
  expect([money(0), money(0.0123), money(3.4)]).toEqual(['$0', '$0.0123', '$3.40']);
  expect([tokens(940), tokens(12_345), tokens(123_456), tokens(1_200_000)]).toEqual(['940', '12.3k', '123k', '1.2M']);
});
