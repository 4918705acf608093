/**
 * The log's text: one JSON record a line, split at LF only. Reading never fails: what can't be read is counted and left
 * where it is, and a record that is whole is found whatever happened around it.
 */
import type { Logged } from '../core/types.ts';

/** The first line. `rein` is the version of the format. */
export type Header = {
  readonly rein: 1;
  readonly session: string;
  readonly time: number;
  readonly cwd: string;
  /** The session and call that started this one. */
  readonly startedBy?: { readonly session: string; readonly call: string };
  readonly forkedFrom?: { readonly session: string; readonly entry: string };
};

export type Records = {
  readonly header: Header | undefined;
  readonly entries: readonly Logged[];
  /** What could not be read, in words for a person. */
  readonly complaints: readonly string[];
  /** The text does not end with LF: the next append has to begin with one. */
  readonly torn: boolean;
};

export type Found =
  | { readonly header: Header }
  | { readonly entry: Logged }
  | { readonly complaint: string }
  | { readonly torn: true };

/** Text, or pieces of it that are cut anywhere. */
export function readRecords(text: string | Iterable<string>): Records {
  // What was written twice, because the disk failed between the text and its confirmation, counts once.
  const entries = new Map<string, Logged>();
  const complaints: string[] = [];
  let header: Header | undefined;
  let torn = false;
  for (const found of scan(typeof text === 'string' ? [text] : text)) {
    if ('entry' in found) entries.set(found.entry.id, entries.get(found.entry.id) ?? found.entry);
    else if ('header' in found) header ??= found.header;
    else if ('complaint' in found) complaints.push(found.complaint);
    else torn = true;
  }
  return { header, entries: [...entries.values()], complaints, torn };
}

/** What stands in a log, in order, read no further than it is asked for. */
export function* scan(chunks: Iterable<string>): Generator<Found> {
  let number = 0;
  for (const { text, whole } of splitLines(chunks)) {
    number++;
    const { records, bad } = readLine(text);
    for (const record of records) {
      if (isHeader(record)) yield { header: record };
      else if (isEntry(record)) yield { entry: record };
    }
    if (bad) yield { complaint: complain(number, !whole) };
    if (!whole) yield { torn: true };
  }
}

export const writeRecord = (record: Header | Logged): string => `${JSON.stringify(record)}\n`;

function* splitLines(chunks: Iterable<string>): Generator<{ text: string; whole: boolean }> {
  let rest = '';
  for (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) yield { text, whole: true };
  }
  if (rest !== '') yield { text: rest, whole: false };
}

const complain = (line: number, last: boolean): string =>
  last
    ? `line ${line} was cut off while it was written and is left out`
    : `line ${line} is damaged; what can be read of it is kept`;

function readLine(text: string): { records: unknown[]; bad: boolean } {
  if (text === '') return { records: [], bad: false };
  const whole = parse(text);
  return whole === undefined ? { records: salvage(text), bad: true } : { records: [whole], bad: false };
}

/** A damaged line may be zeros in front of a record, two glued together, or half of one with others behind it. */
function salvage(line: string): unknown[] {
  const records: unknown[] = [];
  // Behind a record that was read, or at the line's begin, no object is a part of another.
  let outside = 0;
  for (const { index } of line.matchAll(START)) {
    if (index < outside) continue;
    // Part of a damaged record, as a call's input may be: it must not pass for a record.
    if (index > outside && INSIDE.test(line.slice(outside, index).trimEnd().slice(-1))) continue;
    const end = endOf(line, index);
    const record = parse(line.slice(index, end));
    if (record === undefined) continue;
    records.push(record);
    outside = end;
  }
  return records;
}

const START = /\{"(?:id":"|rein":)/g;
const INSIDE = /[:,[]/;

/** Where the object that begins at `start` ends. */
function endOf(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    else if (quoted) at += character === '\\' ? 1 : 0;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return text.length;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isHeader = (value: unknown): value is Header =>
  isObject(value) && value['rein'] === 1 && typeof value['session'] === 'string' && typeof value['cwd'] === 'string';

const isEntry = (value: unknown): value is Logged =>
  isObject(value) && typeof value['id'] === 'string' && typeof value['type'] === 'string' && 'parent' in value;
