import { highlight } from './highlight.ts';
import { inline } from './inline.ts';
import { type Row, textRow } from './row.ts';
import { safe } from './safe.ts';
import { isRule, tableRow } from './table.ts';
import type { Look } from './theme.ts';

/**
 * Markdown as it streams. A finished line becomes rows once and never changes, so it can be printed at once; only
 * tables wait for their end, because their columns depend on every line.
 */
export type Markdown = {
  /** The code that is open: the marks of its fence, their indent, its language, what goes on over lines in it. */
  readonly fence: {
    readonly marks: string;
    readonly indent: number;
    readonly language: string;
    readonly open: string | null;
  } | null;
  /** Lines that look like a table's; it is one when the second of them is its rule. */
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
  const second = markdown.table.length === 1;
  if (second ? isRule(line) : /^ {0,3}\|.*\|\s*$/.test(line))
    return { markdown: { ...markdown, table: [...markdown.table, line], blank: false }, rows: [] };
  const before = flush(markdown, look);
  const open = { ...markdown, table: [], blank: false };
  const fence = /^(?<indent>\s*)(?<marks>`{3,}|~{3,})\s*(?<lang>[^`]*)$/.exec(line)?.groups;
  if (fence) {
    const { indent = '', marks = '', lang = '' } = fence;
    const label = lang.trim();
    const rows = label === '' ? [] : [textRow(look, `  ${look.theme.dim(label)}`, 2)];
    const language = label.split(/[\s{:]/, 1)[0] ?? '';
    return {
      markdown: { ...open, fence: { marks, indent: indent.length, language, open: null } },
      rows: [...before, ...rows],
    };
  }
  // Two blank lines say no more than one.
  if (line.trim() === '') {
    return { markdown: { ...open, blank: true }, rows: markdown.blank ? before : [...before, () => ['']] };
  }
  return { markdown: open, rows: [...before, proseRow(line.replaceAll('\t', '    '), look)] };
};

const stepFence = (markdown: Markdown, fence: NonNullable<Markdown['fence']>, line: string, look: Look): Fed => {
  const end = line.trim();
  if (end.startsWith(fence.marks) && end.replaceAll(fence.marks.charAt(0), '') === '') {
    return { markdown: { ...markdown, fence: null, blank: false }, rows: [] };
  }
  const code = line.slice(Math.min(fence.indent, line.length - line.trimStart().length)).replaceAll('\t', '    ');
  if (fence.language === 'diff') return { markdown, rows: [textRow(look, `  ${diffLine(code, look)}`, 4)] };
  const { text, open } = highlight(code, fence.language, fence.open, look.theme);
  return { markdown: { ...markdown, fence: { ...fence, open } }, rows: [textRow(look, `  ${text}`, 4)] };
};

const diffLine = (line: string, { theme }: Look): string => {
  if (/^(\+\+\+|---) /.test(line)) return theme.bold(line);
  if (line.startsWith('@@')) return theme.dim(line);
  return line.startsWith('+') ? theme.added(line) : line.startsWith('-') ? theme.removed(line) : line;
};

const proseRow = (line: string, look: Look): Row => {
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

const flush = ({ table }: Markdown, look: Look): readonly Row[] => {
  if (table.length > 1) return [tableRow(table, look)];
  return table.map((line) => proseRow(line.replaceAll('\t', '    '), look));
};
