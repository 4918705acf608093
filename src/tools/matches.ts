/** ripgrep's JSON lines as matches, and matches as text. */
import * as z from 'zod/mini';
import { decode, nameOf, visible } from '../env/files/index.ts';

/** One line of a file; `at` is where the first match begins in it, undefined for a line of context. */
export type Match = {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly at: number | undefined;
};

/** Text, or in base64 what isn't UTF-8: https://docs.rs/grep-printer/latest/grep_printer/struct.JSON.html */
const Data = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })]);
const Row = z.object({
  type: z.enum(['match', 'context']),
  data: z.object({
    path: Data,
    lines: Data,
    line_number: z.number(),
    submatches: z.array(z.object({ start: z.number() })),
  }),
});

type Data = z.infer<typeof Data>;

const NEWLINE = 10;
/** Bytes of one line of JSON; a longer one is dropped, and with it a file of one line larger than this. */
const ROW = 64 << 20;

export type Collected = {
  readonly take: (chunk: Buffer) => boolean;
  /** Sorted by path and line. `count` leaves context out. */
  readonly result: () => { readonly matches: readonly Match[]; readonly count: number };
};

/** How ripgrep's path is shown; undefined where what is in that file must not be. */
type PathOf = (printed: string) => string | undefined;

/** Ends after `limit` matches. */
export const collectMatches = (limit: number, pathOf: PathOf): Collected => {
  const matches: Match[] = [];
  let count = 0;
  let pieces: Buffer[] = [];
  let held = 0;

  const add = (row: Buffer): void => {
    const match = held > ROW ? undefined : readRow(row.toString('utf8'), pathOf);
    if (match) matches.push(match);
    if (match?.at !== undefined) count += 1;
  };
  const take = (chunk: Buffer): boolean => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0 && count < limit; end = chunk.indexOf(NEWLINE, from)) {
      add(Buffer.concat([...pieces, chunk.subarray(from, end)]));
      [pieces, held, from] = [[], 0, end + 1];
    }
    held += chunk.length - from;
    // Once too long, only its length is kept.
    if (held > ROW) pieces = [];
    else pieces.push(chunk.subarray(from));
    return count < limit;
  };
  return { take, result: () => ({ matches: matches.toSorted(inOrder), count }) };
};

const readRow = (json: string, pathOf: PathOf): Match | undefined => {
  if (!/^\{"type":"(match|context)"/.test(json)) return undefined;
  const read = Row.safeParse(JSON.parse(json));
  if (!read.success) return undefined;
  const { path, lines, line_number, submatches } = read.data.data;
  const text = textOf(lines);
  const start = submatches[0]?.start;
  // ripgrep counts bytes.
  const at = start === undefined ? undefined : Buffer.from(text).toString('utf8', 0, start).length;
  const name = 'text' in path ? path.text : nameOf(Buffer.from(path.bytes, 'base64'));
  const shown = pathOf(name.replace(/^\.\//, ''));
  return shown === undefined ? undefined : { path: shown, line: line_number, text: text.replace(/\r?\n$/, ''), at };
};

const textOf = (data: Data): string => ('text' in data ? data.text : decode(Buffer.from(data.bytes, 'base64')).text);

/** Folder by folder, as ripgrep's own order has it. */
const inOrder = (a: Match, b: Match): number => {
  const [left, right] = [a.path.replaceAll('/', '\0'), b.path.replaceAll('/', '\0')];
  if (left !== right) return left < right ? -1 : 1;
  return a.line - b.line;
};

const PAGE_CHARS = 28_000;

/** Matches from the `start`th on, grouped by file, with the context lines that belong to them. */
export const printMatches = (
  matches: readonly Match[],
  start: number,
  limit: number,
): { readonly text: string; readonly to: number } => {
  const rows: string[] = [];
  let number = 0;
  let to = start - 1;
  let size = 0;
  let before: Match | undefined;
  for (const match of matches) {
    if (match.at !== undefined) number += 1;
    const wanted = match.at === undefined ? number + 1 : number;
    if (wanted < start) continue;
    if (number >= start + limit || size > PAGE_CHARS) break;
    const heads = before?.path === match.path ? [] : [...(before ? [''] : []), visible(match.path)];
    rows.push(...heads, `${match.line}${match.at === undefined ? '-' : ':'} ${around(match)}`);
    size += (rows.at(-1)?.length ?? 0) + heads.join('').length + 1;
    if (match.at !== undefined) to = number;
    before = match;
  }
  return { text: rows.join('\n'), to };
};

const SIDE = 150;
const WIDE = 400;

/** A long line is shown around its match. */
const around = ({ text, at = 0 }: Match): string => {
  const line = text.toWellFormed();
  if (line.length <= WIDE) return line;
  const from = Math.max(0, at - SIDE);
  const to = Math.min(line.length, at + WIDE - SIDE);
  const ends = [from > 0 ? '… ' : '', to < line.length ? ' …' : ''];
  return `${ends[0]}${line.slice(from, to)}${ends[1]} [line of ${line.length.toLocaleString('en')} characters]`;
};
