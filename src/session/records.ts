/**
 * The log's text: one JSON record a line, split at LF only. Reading never fails: what can't be read is counted and left
 * where it is, and a record that is whole is found whatever happened around it.
 */
import { tryJson } from '../core/json.ts';
import type { Logged } from '../core/types.ts';
import { isEntry, isHeader } from './shape.ts';

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
  const entries: Logged[] = [];
  const byId = new Map<string, Logged>();
  const complaints: string[] = [];
  let header: Header | undefined;
  let torn = false;
  for (const found of scan(typeof text === 'string' ? [text] : text)) {
    if ('entry' in found) {
      const { entry } = found;
      // What was written twice, because the disk failed between the text and its confirmation, counts once.
      const twice = byId.has(entry.id) && writeRecord(entry) === writeRecord(byId.get(entry.id) ?? entry);
      if (!twice) entries.push(entry);
      byId.set(entry.id, entry);
    } else if ('header' in found) header ??= found.header;
    else if ('complaint' in found) complaints.push(found.complaint);
    else torn = true;
  }
  return { header, entries, complaints, torn };
}

/** What stands in a log, in order, read no further than it is asked for. */
export function* scan(chunks: Iterable<string>): Generator<Found> {
  let number = 0;
  for (const { text, whole } of splitLines(chunks)) {
    number++;
    const { records, bad } = readLine(text);
    yield* records;
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

type Line = { readonly records: readonly Found[]; readonly bad: boolean };

function readLine(text: string): Line {
  if (text.trim() === '') return { records: [], bad: false };
  const record = recordOf(text);
  return record ? { records: [record], bad: false } : { records: salvage(text), bad: true };
}

/** A damaged line may be zeros in front of a record, two glued together, or half of one with others behind it. */
function salvage(line: string): Found[] {
  const records: Found[] = [];
  let end = 0;
  for (const { index } of line.matchAll(START)) {
    if (index < end) continue;
    const next = endOf(line, index);
    // Part of a record, as a call's input may be: it must not pass for one.
    const part = BEFORE_PART.test(line.slice(end, index)) || BEHIND_PART.test(line.slice(next));
    const record = part ? undefined : recordOf(line.slice(index, next));
    if (!record) continue;
    records.push(record);
    end = next;
  }
  return records;
}

const START = /\{"(?:id":"|rein":)/g;
const BEFORE_PART = /[:,[]\s*$/;
const BEHIND_PART = /^\s*[,\]}]/;

function recordOf(text: string): Found | undefined {
  const value = tryJson(text);
  if (isHeader(value)) return { header: value };
  return isEntry(value) ? { entry: value } : undefined;
}

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
