import { type Row, textRow } from './row.ts';
import { exposed, safe } from './safe.ts';
import type { Look, Theme } from './theme.ts';
import { markWords } from './words.ts';

type Line = { readonly sign: ' ' | '+' | '-'; readonly number: number; readonly text: string };
type Hunk = readonly Line[];

/**
 * A unified diff: line numbers, the sign that says what the colour says, and marks on the words that differ. Hunks are
 * set apart by `⋮`.
 */
export const diffRows = (look: Look, diff: string): readonly Row[] => {
  const files = parseDiff(diff);
  const all = files.flatMap(({ hunks }) => hunks.flat());
  const gutter = String(Math.max(0, ...all.map(({ number }) => number))).length;
  return files.flatMap(({ name, hunks }) => [
    ...(name === '' ? [] : [textRow(look, look.theme.bold(safe(name)))]),
    ...hunks.flatMap((hunk, index) => [
      ...(index === 0 ? [] : [textRow(look, look.theme.dim(`${' '.repeat(gutter)} ⋮`))]),
      ...hunkRows(look, hunk, gutter),
    ]),
  ]);
};

/** Lines taken away and lines that came in their place are compared word by word, in pairs. */
const hunkRows = (look: Look, hunk: Hunk, gutter: number): readonly Row[] => {
  const rows: Row[] = [];
  for (let at = 0; at < hunk.length; ) {
    const removed = run(hunk, at, '-');
    const added = run(hunk, at + removed.length, '+');
    const changed = removed.length + added.length;
    if (changed === 0) {
      const line = hunk[at];
      if (line) rows.push(numbered(look, line, gutter, shown(line.text)));
      at += 1;
      continue;
    }
    const pairs =
      removed.length === added.length ? removed.map((line, index) => pair(look.theme, line, added[index])) : [];
    rows.push(...removed.map((line, index) => numbered(look, line, gutter, pairs[index]?.before ?? shown(line.text))));
    rows.push(...added.map((line, index) => numbered(look, line, gutter, pairs[index]?.after ?? shown(line.text))));
    at += changed;
  }
  return rows;
};

const run = (hunk: Hunk, from: number, sign: '+' | '-'): Hunk => {
  let end = from;
  while (hunk[end]?.sign === sign) end += 1;
  return hunk.slice(from, end);
};

const pair = (theme: Theme, before: Line, after: Line | undefined) =>
  markWords(shown(before.text), shown(after?.text ?? ''), theme.removedWord, theme.addedWord);

const shown = (text: string): string => safe(text).replaceAll('\t', '  ');

const numbered = (look: Look, { sign, number }: Line, gutter: number, text: string): Row => {
  const { theme } = look;
  const paint = sign === '+' ? theme.added : sign === '-' ? theme.removed : (same: string) => same;
  const margin = theme.dim(String(number).padStart(gutter));
  return textRow(look, `${margin} ${paint(`${sign} ${text}`.trimEnd())}`, gutter + 3);
};

/** The files of a diff. One file alone needs no name: the call above has it. */
const parseDiff = (diff: string): readonly { readonly name: string; readonly hunks: readonly Hunk[] }[] => {
  const files: { name: string; hunks: Line[][] }[] = [];
  let before = 0;
  let after = 0;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    const lines = files.at(-1)?.hunks.at(-1);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      if (files.length === 0) files.push({ name: '', hunks: [] });
      files.at(-1)?.hunks.push([]);
    } else if (/^\+\+\+ /.test(line) && (!lines || lines.at(-1)?.text.startsWith('-- '))) {
      lines?.pop();
      files.push({ name: line.slice(4).replace(/^b\/|\t.*$/g, ''), hunks: [] });
    } else if (lines && /^([ +-]|$)/.test(line)) {
      const sign = line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ';
      lines.push({ sign, number: sign === '-' ? before : after, text: line.slice(1) });
      if (sign !== '+') before += 1;
      if (sign !== '-') after += 1;
    }
  }
  const [only, ...more] = files;
  return only && more.length === 0 ? [{ ...only, name: '' }] : files;
};

const looksLikeDiff = (text: string): boolean => /^@@ .*@@/m.test(text);

/** What a person should see before saying yes, whole and with nothing hidden. */
export const previewRows = (look: Look, preview: string): readonly Row[] =>
  looksLikeDiff(preview)
    ? diffRows(look, exposed(preview))
    : exposed(preview.replace(/\n$/, ''))
        .split('\n')
        .map((line) => textRow(look, line.replaceAll('\t', '  ')));
