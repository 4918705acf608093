/** The sessions on disk: found, listed, opened, forked. */

import { type Lock, takeLock } from '../env/lock.ts';
import { openLogFile } from '../env/log-file.ts';
import {
  isFile,
  listSessionFiles,
  newSessionId,
  readHead,
  readWhole,
  removeSession,
  type SessionFile,
  sessionPath,
} from '../env/session-files.ts';
import { foldTitle, type Header, type LogFile, type Records, readRecords, writeRecord } from '../session/index.ts';

export type Stored = {
  readonly header: Header;
  readonly records: Records | undefined;
  readonly path: string | null;
  readonly file: LogFile | undefined;
  readonly release: () => Promise<void>;
};

export type Summary = {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly changed: number;
  readonly title: string;
};

export type Wanted = {
  readonly cwd: string;
  /** The path of the session to go on with; absent for a new one. */
  readonly resume?: string | undefined;
  /** Go on in a copy: a new session that begins with the records of the other. */
  readonly fork?: boolean | undefined;
  /** No record on disk. */
  readonly ephemeral?: boolean | undefined;
  readonly startedBy?: Header['startedBy'] | undefined;
};

export type Store = {
  /** A new session, one that goes on, or a copy of one. A sentence where it can't be opened. */
  readonly take: (wanted: Wanted) => Promise<Stored | string>;
  /** The newest of a folder, without a query; else by id, prefix of an id, or path. A sentence where there is none. */
  readonly find: (cwd: string, query?: string) => { readonly path: string } | string;
  readonly list: (cwd?: string) => readonly Summary[];
  readonly read: (path: string) => Records;
  readonly remove: (path: string) => void;
};

/** `sessions` is the folder that holds them all. */
export function createStore(sessions: string, time: () => number): Store {
  const create = (rest: Omit<Header, 'rein' | 'session' | 'time'>, ephemeral: boolean): Stored => {
    const header: Header = { rein: 1, session: newSessionId(time()), time: time(), ...rest };
    return ephemeral ? unkept(header) : kept(header, sessionPath(sessions, header.cwd, header.session), undefined);
  };
  const open = async (path: string): Promise<Stored | string> => {
    const records = readRecords(readWhole(path));
    if (!records.header) return `${path} is not a session of rein, or its first line is damaged.`;
    const lock = takeLock(`${path}.lock`);
    if (typeof lock === 'number') {
      return `this session is open in another process (${lock}). Close it there, or add --fork to go on in a copy.`;
    }
    return kept(records.header, path, records, lock);
  };
  const take: Store['take'] = async ({ cwd, resume, fork: copy, ephemeral = false, startedBy }) => {
    if (resume === undefined) return create({ cwd, ...(startedBy ? { startedBy } : {}) }, ephemeral);
    return copy || ephemeral ? fork(resume, ephemeral) : open(resume);
  };
  const fork = async (path: string, ephemeral: boolean): Promise<Stored> => {
    const records = readRecords(readWhole(path));
    const cwd = records.header?.cwd ?? '/';
    const last = records.entries.at(-1)?.id ?? '';
    const stored = create({ cwd, forkedFrom: { session: records.header?.session ?? '', entry: last } }, ephemeral);
    if (stored.file) await stored.file.append([stored.header, ...records.entries].map(writeRecord).join(''));
    return { ...stored, records: { ...records, header: stored.header, complaints: [], torn: false } };
  };
  const find: Store['find'] = (cwd, query) => {
    if (query === undefined) {
      const newest = listSessionFiles(sessions, cwd).find(
        ({ path }) => readRecords(readHead(path)).header?.cwd === cwd,
      );
      return newest ?? 'there is no session of this folder yet. Start one with: rein "your task"';
    }
    if (query.includes('/') || query.endsWith('.jsonl')) {
      return isFile(query) ? { path: query } : `there is no session file ${query}.`;
    }
    const found = listSessionFiles(sessions).filter(({ id }) => id.startsWith(query));
    const [only, ...more] = found;
    if (!only) return `there is no session ${query}. See: rein sessions list`;
    return more.length === 0
      ? only
      : `${query} begins ${found.length} sessions: ${found.map(({ id }) => id).join(', ')}.`;
  };
  return {
    take,
    find,
    list: (cwd) => listSessionFiles(sessions, cwd).flatMap((file) => summarise(file, cwd)),
    read: (path) => readRecords(readWhole(path)),
    remove: removeSession,
  };
}

const unkept = (header: Header): Stored => ({
  header,
  records: undefined,
  path: null,
  file: undefined,
  release: async () => {},
});

/** The file is made, and locked, when the first fact comes. */
function kept(header: Header, path: string, records: Records | undefined, taken?: Lock): Stored {
  let opened: Awaited<ReturnType<typeof openLogFile>> | undefined;
  let lock = taken;
  const append = async (text: string) => {
    opened ??= await openLogFile(path);
    if (!lock) {
      const fresh = takeLock(`${path}.lock`);
      if (typeof fresh !== 'number') lock = fresh;
    }
    await opened.append(text);
  };
  const release = async () => {
    await opened?.close();
    lock?.release();
  };
  return { header, records, path, file: { append }, release };
}

function summarise({ id, path, changed }: SessionFile, cwd: string | undefined): Summary[] {
  const { header, entries } = readRecords(readHead(path));
  const title = foldTitle(entries);
  if (!header || title === '' || (cwd !== undefined && header.cwd !== cwd)) return [];
  return [{ id, path, cwd: header.cwd, changed, title }];
}
