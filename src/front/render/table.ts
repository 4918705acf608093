import { inline } from './inline.ts';
import { type Row, textRow } from './row.ts';
import type { Look } from './theme.ts';

/** A Markdown table: columns where they fit, else one `head: cell` line for each cell; without a head where that is empty. */
export const tableRow = (lines: readonly string[], look: Look): Row => {
  const [head = [], ...body] = lines.filter((line) => !isRule(line)).map((line) => cells(line, look));
  const count = Math.max(head.length, ...body.map((row) => row.length));
  const columns = Array.from({ length: count }, (_, column) =>
    Math.max(...[head, ...body].map((row) => look.width(row[column] ?? ''))),
  );
  const total = columns.reduce((sum, column) => sum + column + 2, -2);
  return (width) => (total <= width ? aligned(head, body, columns, look) : listed(head, body, look, width));
};

const aligned = (head: string[], body: string[][], columns: number[], look: Look): string[] => {
  const padded = (row: string[], style: (text: string) => string) =>
    columns
      .map((column, index) => style(row[index] ?? '') + ' '.repeat(column - look.width(row[index] ?? '')))
      .join('  ')
      .trimEnd();
  const rule = columns.map((column) => '─'.repeat(column)).join('  ');
  const top = head.every((cell) => cell === '') ? [] : [padded(head, look.theme.bold), look.theme.dim(rule)];
  return [...top, ...body.map((row) => padded(row, (text) => text))];
};

const listed = (head: string[], body: string[][], look: Look, width: number): string[] =>
  body.flatMap((row, index) => [
    ...(index > 0 ? [''] : []),
    ...row.flatMap((cell, column) => textRow(look, titled(head[column] ?? '', cell, look), 2)(width)),
  ]);

const titled = (title: string, cell: string, look: Look): string =>
  title === '' ? cell : `${look.theme.bold(title)}: ${cell}`;

const cells = (line: string, look: Look): string[] =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => inline(cell.trim(), look.theme));

export const isRule = (line: string): boolean => /^[\s|:-]+$/.test(line) && line.includes('-');
