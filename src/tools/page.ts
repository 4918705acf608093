/** Numbered lines in pages that say what they leave out and how to go on. */

export type PageQuery = { readonly start: number; readonly limit: number; readonly column: number };

/** `total` is unknown where a file is too large to count; then `ends` says whether `lines` reaches its end. */
export type PageSource = {
  /** From line `first` on. */
  readonly lines: readonly string[];
  readonly first: number;
  readonly total: number | undefined;
  readonly ends: boolean;
  /** Characters of the first line that stand before `lines`. */
  readonly skipped?: number;
};

export type Page = {
  readonly text: string;
  /** The last line shown. */
  readonly to: number;
  /** Every character of the lines was shown. */
  readonly whole: boolean;
};

export const PAGE_LINES = 2000;
const PAGE_CHARS = 32_000;
const LINE_CHARS = 2000;

/** With a `column` above 1 only one line is shown, from there on. */
export const makePage = (source: PageSource, { start, limit, column }: PageQuery): Page => {
  if (column > 1) return longLine(source, start, column);
  const rows: string[] = [];
  let size = 0;
  let whole = true;
  for (let number = start; rows.length < limit; number += 1) {
    const line = source.lines[number - source.first];
    if (line === undefined) break;
    const row = `${number}\t${cutLine(line, lengthOf(source, number))}`;
    if (size + row.length > PAGE_CHARS && rows.length > 0) break;
    whole &&= line.length <= LINE_CHARS;
    rows.push(row.toWellFormed());
    size += row.length + 1;
  }
  const to = start + rows.length - 1;
  return { text: `${rows.join('\n')}${footer(source, start, to)}`, to, whole };
};

const cutLine = (line: string, length: string): string =>
  line.length <= LINE_CHARS
    ? line
    : `${line.slice(0, LINE_CHARS)}… [line of ${length} characters; go on with column: ${LINE_CHARS + 1}]`;

const lengthOf = ({ lines, first, total, ends, skipped = 0 }: PageSource, number: number): string => {
  const length = (lines[number - first]?.length ?? 0) + (number === first ? skipped : 0);
  const isCut = total === undefined && !ends && number === first + lines.length - 1;
  return `${isCut ? 'more than ' : ''}${length.toLocaleString('en')}`;
};

const footer = ({ lines, first, total, ends }: PageSource, start: number, to: number): string => {
  if (to >= (total ?? Number.POSITIVE_INFINITY) || (total === undefined && ends && to >= first + lines.length - 1)) {
    return start > 1 ? '\n[end of the file]' : '';
  }
  return `\n[lines ${start}–${to}${total === undefined ? '' : ` of ${total}`}; go on with start: ${to + 1}]`;
};

const longLine = (source: PageSource, start: number, column: number): Page => {
  const line = source.lines[start - source.first] ?? '';
  const at = column - 1 - (source.skipped ?? 0);
  const shown = line.slice(at, at + PAGE_CHARS);
  const rest =
    at + shown.length >= line.length
      ? `[end of line ${start}]`
      : `[line of ${lengthOf(source, start)} characters; go on with column: ${column + shown.length}]`;
  return { text: `${start}\t${shown.toWellFormed()}\n${rest}`, to: start, whole: false };
};

/** A text's lines; the last line end begins no line of its own. */
export const splitLines = (text: string): string[] => {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
};
