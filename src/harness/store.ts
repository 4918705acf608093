/** The sessions on disk: opened, forked, removed. */
import { type Lock, takeLock } from '../env/lock.ts';
import { openLogFile } from '../env/log-file.ts';
import { idOf, newSessionId, realFolder, removeSession, sessionPath } from '../env/session-files.ts';
import { type Header, type LogFile, pathTo, type Records, writeRecord } from '../session/index.ts';
import { findSession, listSessions, readBegin, readSession, type Summary, withChildren } from './shelf.ts';

export type { Summary } from './shelf.ts';

export type Stored = {
  readonly header: Header;
  /** Where it works, absolute and real: always the folder that it began in. */
  readonly cwd: string;
  readonly records: Records | undefined;
  readonly path: string | null;
  readonly file: LogFile | undefined;
  readonly release: () => Promise<void>;
};

export type Wanted = {
  readonly cwd: string;
  /** The path of the session to go on with; absent for a new one. */
  readonly resume?: string | undefined;
  /** Go on in a copy: a new session that begins with what led to a place of the other. */
  readonly fork?: boolean | undefined;
  /** That place: an entry of the other; absent for where it stands. */
  readonly at?: string | undefined;
  /** No record on disk. */
  readonly ephemeral?: boolean | undefined;
  readonly startedBy?: Header['startedBy'] | undefined;
};

export type Store = {
  /** A new session, one that goes on, or a copy of one. A sentence where it can't be opened. */
  readonly take: (wanted: Wanted) => Promise<Stored | string>;
  /** The newest of a folder, without a query; else by id, prefix of an id, or path. A sentence where there is none. */
  readonly find: (cwd: string, query?: string) => { readonly path: string } | string;
  /** Those that hold a prompt, newest first, with their sub-agents below them. */
  readonly list: (cwd?: string) => readonly Summary[];
  readonly read: (path: string) => Records;
  /** For good, with its sub-agents. Returns the ids; a sentence where one is open in a living process. */
  readonly remove: (path: string) => readonly string[] | string;
};

/** `sessions` is the folder that holds them all. */
export function createStore(sessions: string, time: () => number): Store {
  const create = (cwd: string, more: Partial<Header>, ephemeral: boolean): Stored => {
    const header: Header = { rein: 1, session: newSessionId(time()), time: time(), cwd, ...more };
    return ephemeral ? unkept(header, cwd) : kept(header, cwd, sessionPath(sessions, cwd, header.session));
  };
  const open = (path: string): Stored | string => {
    const source = findSource(path);
    if (typeof source === 'string') return source;
    const lock = lockSession(path);
    if (typeof lock === 'string') return `${lock} Or add --fork to go on in a copy.`;
    return kept(source.header, source.cwd, path, readSession(path), lock);
  };
  const fork = async (path: string, at: string | undefined, ephemeral: boolean): Promise<Stored | string> => {
    const source = findSource(path);
    if (typeof source === 'string') return source;
    const { entries: all, complaints } = readSession(path);
    const entries = pathTo(all, at);
    const last = entries.at(-1)?.id;
    if (last === undefined) return `session ${source.header.session} has no entry ${at ?? 'to begin with'}.`;
    const stored = create(source.cwd, { forkedFrom: { session: source.header.session, entry: last } }, ephemeral);
    try {
      await stored.file?.append([stored.header, ...entries].map(writeRecord).join(''));
    } catch (error) {
      await stored.release();
      return `the copy can't be written: ${reasonOf(error)}. Add --no-session to go on without a record.`;
    }
    return { ...stored, records: { header: stored.header, entries, complaints, torn: false } };
  };
  const take: Store['take'] = async ({ cwd, resume, fork: copy, at, ephemeral = false, startedBy }) => {
    if (resume === undefined) return create(cwd, startedBy ? { startedBy } : {}, ephemeral);
    return copy || ephemeral ? fork(resume, at, ephemeral) : open(resume);
  };
  const remove: Store['remove'] = (path) => {
    if (idOf(path) === undefined && !readBegin(path, 'header').header) return `${path} is not a session of rein.`;
    const known = listSessions(sessions).flatMap(withChildren);
    const own = known.find((one) => one.path === path) ?? { id: idOf(path) ?? path, path, children: [] };
    const doomed = withChildren(own);
    const locks: Lock[] = [];
    try {
      for (const one of doomed) {
        const lock = lockSession(one.path);
        if (typeof lock === 'string') return lock;
        locks.push(lock);
      }
      for (const one of doomed) removeSession(one.path);
      return doomed.map(({ id }) => id);
    } finally {
      for (const lock of locks) lock.release();
    }
  };
  return {
    take,
    find: (cwd, query) => findSession(sessions, cwd, query),
    list: (cwd) => listSessions(sessions, cwd),
    read: readSession,
    remove,
  };
}

/** What is known of a session before its lock is taken; a sentence where one can't go on with it. */
function findSource(path: string): { readonly header: Header; readonly cwd: string } | string {
  const { header } = readBegin(path, 'header');
  if (!header) return `${path} is not a session of rein, or its first lines are damaged.`;
  const cwd = realFolder(header.cwd);
  if (cwd !== undefined) return { header, cwd };
  return `the folder of this session, ${header.cwd}, is gone. If it was moved, leave a link in its place: ln -s NEW ${header.cwd}`;
}

function lockSession(path: string): Lock | string {
  try {
    const lock = takeLock(`${path}.lock`);
    if (typeof lock !== 'number') return lock;
    return `this session is open in another process (${lock}). Close it there first.`;
  } catch (error) {
    return `this session can't be written to: ${reasonOf(error)}.`;
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const unkept = (header: Header, cwd: string): Stored => ({
  header,
  cwd,
  records: undefined,
  path: null,
  file: undefined,
  release: async () => {},
});

/** The file of a new session is locked, and made, when the first fact comes. */
function kept(header: Header, cwd: string, path: string, records?: Records, taken?: Lock): Stored {
  let opened: Awaited<ReturnType<typeof openLogFile>> | undefined;
  let lock = taken;
  const append = async (text: string) => {
    if (!lock) {
      const fresh = takeLock(`${path}.lock`);
      if (typeof fresh === 'number') throw new Error(`another process (${fresh}) writes to it`);
      lock = fresh;
    }
    opened ??= await openLogFile(path);
    await opened.append(text);
  };
  const release = async () => {
    await opened?.close();
    lock?.release();
  };
  return { header, cwd, records, path, file: { append }, release };
}
