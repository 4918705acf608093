import { inline } from './inline.ts';
import { type Row, textRow } from './row.ts';
import { safe } from './safe.ts';
import { tableRow } from './table.ts';
import type { Look } from './theme.ts';

/**
 * Markdown as it streams. A finished line becomes rows once and never changes, so it can be printed at once; only
 * tables wait for their end, because their columns depend on every line.
 */
export type Markdown = {
  /** The fence that is open: its marks and its indent. */
  readonly fence: { readonly marks: string; readonly indent: number } | null;
  readonly table: readonly string[];
  readonly blank: boolean;
  /** The line that is not finished. */
  readonly rest: string;
};

export const emptyMarkdown: Markdown = { fence: null, table: [], blank: true, rest: '' };

type Fed = { readonly markdown: Markdown; readonly rows: readonly Row[] };

/** Takes a delta; returns the rows that are finished now. */
export const feed = (markdown: Markdown, delta: string, look: Look): Fed => {
  const lines = (markdown.rest + delta).split('\n');
  const rest = lines.pop() ?? '';
  return through({ ...markdown, rest }, lines, look);
};

/** The end of the text: the rest as rows. */
export const finish = (markdown: Markdown, look: Look): readonly Row[] => {
  const { rows, markdown: end } = through({ ...markdown, rest: '' }, markdown.rest === '' ? [] : [markdown.rest], look);
  return [...rows, ...flush(end, look)];
};

/** A whole text. */
export const markdownRows = (text: string, look: Look): readonly Row[] => {
  const { markdown, rows } = feed(emptyMarkdown, text.replace(/\s+$/, ''), look);
  return [...rows, ...finish(markdown, look)];
};

const through = (start: Markdown, lines: readonly string[], look: Look): Fed => {
  let markdown = start;
  const rows: Row[] = [];
  for (const line of lines) {
    const next = step(markdown, safe(line.replace(/\r$/, '')), look);
    markdown = next.markdown;
    rows.push(...next.rows);
  }
  return { markdown, rows };
};

const step = (markdown: Markdown, line: string, look: Look): Fed => {
  if (markdown.fence) return stepFence(markdown, markdown.fence, line, look);
  if (/^\s*\|.*\|\s*$/.test(line))
    return { markdown: { ...markdown, table: [...markdown.table, line], blank: false }, rows: [] };
  const before = flush(markdown, look);
  const open = { ...markdown, table: [], blank: false };
  const fence = /^(?<indent>\s*)(?<marks>`{3,}|~{3,})\s*(?<lang>[^`]*)$/.exec(line)?.groups;
  if (fence) {
    const { indent = '', marks = '', lang = '' } = fence;
    const label = lang.trim();
    const rows = label === '' ? [] : [textRow(look, `  ${look.theme.dim(label)}`, 2)];
    return { markdown: { ...open, fence: { marks, indent: indent.length } }, rows: [...before, ...rows] };
  }
  // Two blank lines say no more than one.
  if (line.trim() === '') {
    return { markdown: { ...open, blank: true }, rows: markdown.blank ? before : [...before, () => ['']] };
  }
  return { markdown: open, rows: [...before, lineRow(line.replaceAll('\t', '    '), look)] };
};

const stepFence = (markdown: Markdown, fence: NonNullable<Markdown['fence']>, line: string, look: Look): Fed => {
  const end = line.trim();
  if (end.startsWith(fence.marks) && end.replaceAll(fence.marks.charAt(0), '') === '') {
    return { markdown: { ...markdown, fence: null, blank: false }, rows: [] };
  }
  const code = line.slice(Math.min(fence.indent, line.length - line.trimStart().length)).replaceAll('\t', '    ');
  return { markdown, rows: [textRow(look, `  ${look.theme.code(code)}`, 4)] };
};

const lineRow = (line: string, look: Look): Row => {
  const { theme } = look;
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading) return textRow(look, theme.bold(inline(heading[2] ?? '', theme)));
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line))
    return (width) => [theme.dim('─'.repeat(Math.max(1, Math.min(width, 40))))];
  const quote = /^\s*((?:>\s?)+)(.*)$/.exec(line);
  if (quote) return textRow(look, `${theme.dim('│')} ${inline(quote[2] ?? '', theme)}`, 2);
  const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/.exec(line);
  if (item) {
    const [, indent = '', marker = '', box, text = ''] = item;
    const mark = box === undefined ? (/\d/.test(marker) ? marker : '•') : box === ' ' ? '☐' : '☑';
    return textRow(look, `${indent}${mark} ${inline(text, theme)}`, indent.length + mark.length + 1);
  }
  return textRow(look, inline(line, theme), line.length - line.trimStart().length);
};

const flush = (markdown: Markdown, look: Look): readonly Row[] =>
  markdown.table.length === 0 ? [] : [tableRow(markdown.table, look)];
