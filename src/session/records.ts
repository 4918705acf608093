/**
 * The log's text: one JSON record a line, split at LF only. Reading never fails: what can't be read is counted and left
 * where it is.
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

export function readRecords(text: string): Records {
  const entries: Logged[] = [];
  const complaints: string[] = [];
  let header: Header | undefined;
  const torn = text.length > 0 && !text.endsWith('\n');
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    const { records, bad } = readLine(line);
    for (const record of records) {
      if (isHeader(record)) header ??= record;
      else if (isEntry(record)) entries.push(record);
    }
    if (bad) complaints.push(complain(index + 1, torn && index === lines.length - 1));
  });
  return { header, entries, complaints, torn };
}

export const writeRecord = (record: Header | Logged): string => `${JSON.stringify(record)}\n`;

const complain = (line: number, last: boolean): string =>
  last
    ? `line ${line} was cut off while it was written and is left out`
    : `line ${line} is damaged; what can be read of it is kept`;

/** A line is one record; after a crash it may be zeros in front of one, or two glued together. */
function readLine(line: string): { records: unknown[]; bad: boolean } {
  const text = line.replace(/^[\0\s]+/, '');
  const zeros = line.startsWith('\0');
  if (text === '') return { records: [], bad: zeros };
  try {
    return { records: [JSON.parse(text)], bad: zeros };
  } catch {
    const records = text.split(/(?<=\})(?=\{"id":")/).map(parse);
    return { records: records.filter((record) => record !== undefined), bad: true };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isHeader = (value: unknown): value is Header => isObject(value) && value['rein'] === 1;

const isEntry = (value: unknown): value is Logged =>
  isObject(value) && typeof value['id'] === 'string' && typeof value['type'] === 'string' && 'parent' in value;
