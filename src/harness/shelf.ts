/** The sessions as they lie on disk: found, listed, read. */
import { idOf, isFile, isSessionId, listSessionFiles, readChunks, type SessionFile } from '../env/session-files.ts';
import { foldTitle, type Header, type Records, readRecords, scan } from '../session/index.ts';

export type Summary = {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly changed: number;
  readonly title: string;
  /** The session that started this one, whether it is still there or not. */
  readonly startedBy?: string;
  /** Its sub-agents. */
  readonly children: readonly Summary[];
};

/** The newest of a folder, without a query; else by id, prefix of an id, or path. A sentence where there is none. */
export function findSession(sessions: string, cwd: string, query?: string): { readonly path: string } | string {
  if (query === undefined) {
    const newest = listSessionFiles(sessions, cwd).find(({ path }) => {
      const { header } = readBegin(path, 'header');
      return header?.cwd === cwd && !header.startedBy;
    });
    return newest ?? 'there is no session of this folder yet. Start one with: rein "your task"';
  }
  if (query.includes('/') || query.endsWith('.jsonl')) {
    return isFile(query) ? { path: query } : `there is no session file ${query}.`;
  }
  const found = query === '' ? [] : listSessionFiles(sessions).filter(({ id }) => id.startsWith(query));
  const [only, ...more] = found;
  if (!only) return `there is no session ${query}. See: rein sessions list --all`;
  return more.length === 0
    ? only
    : `${query} begins ${found.length} sessions: ${found.map(({ id }) => id).join(', ')}.`;
}

/** Those that hold a prompt, newest first, with their sub-agents below them; of one folder or of all. */
export const listSessions = (sessions: string, cwd?: string): readonly Summary[] =>
  nest(
    listSessionFiles(sessions, cwd)
      .flatMap(summarise)
      .filter((one) => cwd === undefined || one.cwd === cwd),
  );

export const readSession = (path: string): Records => readRecords(readChunks(path));

/** Reads no further than to what is wanted. A damaged first line is made up for by the file's name and the entries. */
export function readBegin(path: string, wanted: 'header' | 'title'): { header: Header | undefined; title: string } {
  let header: Header | undefined;
  let title = '';
  for (const found of scan(readChunks(path))) {
    if ('header' in found) header ??= found.header;
    if ('entry' in found) {
      const { entry } = found;
      if (entry.type === 'opened') header ??= { rein: 1, session: '', time: entry.time, cwd: entry.cwd };
      title = foldTitle([entry]);
    }
    if (header && (wanted === 'header' || title !== '')) break;
  }
  const session = idOf(path) ?? header?.session ?? '';
  return { header: header && isSessionId(session) ? { ...header, session } : undefined, title };
}

function summarise({ id, path, changed }: SessionFile): Summary[] {
  try {
    const { header, title } = readBegin(path, 'title');
    if (!header || title === '') return [];
    const startedBy = header.startedBy?.session;
    return [{ id, path, cwd: header.cwd, changed, title, ...(startedBy ? { startedBy } : {}), children: [] }];
  } catch {
    return []; // removed meanwhile
  }
}

/** Sub-agents below those that started them; whose starter is gone stands for itself. */
function nest(all: readonly Summary[]): readonly Summary[] {
  const ids = new Set(all.map(({ id }) => id));
  const below = Map.groupBy(all, ({ startedBy = '' }) => (ids.has(startedBy) ? startedBy : ''));
  const build = (one: Summary): Summary => ({ ...one, children: (below.get(one.id) ?? []).map(build) });
  return (below.get('') ?? []).map(build);
}

/** A session and all of its sub-agents, in order. */
export const withChildren = <One extends Pick<Summary, 'children'>>(one: One): readonly (One | Summary)[] => [
  one,
  ...one.children.flatMap(withChildren),
];
