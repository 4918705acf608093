/**
 * What happened: an append-only tree of entries, and a leaf, which is the last entry appended. Undo, rewind and branch
 * append an entry with another parent; nothing is ever removed.
 */
import type { Entry, Logged } from '../core/types.ts';
import { pathTo } from './path.ts';
import { type Header, type Records, writeRecord } from './records.ts';

/**
 * Where the log is kept. `append` resolves when the text is on disk; where it rejects, nothing of it is left that could
 * spoil what comes next.
 */
export type LogFile = { readonly append: (text: string) => Promise<void> };

export type Log = {
  /** From the root to the leaf. The array is live: it grows, and is another one after a rewind. */
  readonly path: () => readonly Logged[];
  readonly all: () => readonly Logged[];
  readonly leaf: () => Logged | undefined;
  /** Resolves when the fact is on disk. `parent` puts it elsewhere than at the leaf. */
  readonly append: (entry: Entry, parent?: string | null) => Promise<Logged>;
};

export type LogOptions = {
  readonly header: Header;
  /** What stands there already; absent for a new log. */
  readonly records?: Records | undefined;
  /** Absent with `--no-session`. */
  readonly file?: LogFile | undefined;
  readonly time: () => number;
  readonly newId: () => string;
  /** Told once when the disk stops taking facts, and once when it takes them again. */
  readonly warn: (text: string) => void;
};

export function createLog({ header, records, file, time, newId, warn }: LogOptions): Log {
  const all: Logged[] = [...(records?.entries ?? [])];
  let path = pathTo(all);
  let unwritten = records ? (records.torn ? '\n' : '') : writeRecord(header);
  let failing = false;
  let writing: Promise<void> = Promise.resolve();

  const write = async () => {
    const text = unwritten;
    if (!file || text === '') return;
    try {
      await file.append(text);
      unwritten = unwritten.slice(text.length);
      if (failing) warn('The session is being saved again; nothing is missing.');
      failing = false;
    } catch (error) {
      if (!failing) warn(describe(error));
      failing = true;
    }
  };

  const append = async (entry: Entry, parent = path.at(-1)?.id ?? null) => {
    const logged: Logged = { id: newId(), parent, time: time(), ...entry };
    const grows = parent === (path.at(-1)?.id ?? null);
    all.push(logged);
    if (grows) path.push(logged);
    else path = pathTo(all);
    if (file) unwritten += writeRecord(logged);
    writing = writing.then(write);
    await writing;
    return logged;
  };

  return { path: () => path, all: () => all, leaf: () => path.at(-1), append };
}

const describe = (error: unknown): string =>
  `The session can't be saved: ${error instanceof Error ? error.message : String(error)}. ` +
  'It goes on; what is missing is saved as soon as the disk takes it, and lost if the program ends before.';
