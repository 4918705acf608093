/** What was said in any session: found through the index, or without one by reading all logs, with the same outcome. */
import { isDamaged, removeDatabase } from '../env/database.ts';
import { isFile, listSessionFiles, readChunks } from '../env/session-files.ts';
import { scan, wordsOf } from '../session/index.ts';
import { openSearchIndex, type Said, type SearchIndex } from './search-index.ts';

/** One session in which it was found. */
export type Match = {
  /** The path of its log. */
  readonly path: string;
  /** The newest texts that hold it, oldest first. */
  readonly said: readonly Said[];
  /** How many there are in all. */
  readonly count: number;
};

export type SearchFolders = {
  /** The folder of all sessions, and the file of the index. */
  readonly sessions: string;
  readonly index: string;
};

/** Texts of one session that are worth showing. */
const SHOWN = 3;

/** Sessions with a text that holds all terms, case aside, in the order in which the logs were last written, newest first. */
export async function searchSessions(folders: SearchFolders, terms: readonly string[]): Promise<readonly Match[]> {
  const wanted = terms.map(fold).filter((term) => term !== '');
  const found = await throughIndex(folders, (index) =>
    collect(index.candidates(wanted.filter(isIndexed)), wanted),
  ).catch(() => undefined);
  const matches = found ?? collect(saidIn(folders.sessions), wanted);
  return listSessionFiles(folders.sessions).flatMap(({ path }) => matches.get(path) ?? []);
}

/** Takes out of the index what is no longer in the logs. Where there is none, none is made. */
export async function forgetRemoved(folders: SearchFolders): Promise<void> {
  if (!isFile(folders.index)) return;
  // What can't be cleaned must not stay: the next search makes it anew.
  await throughIndex(folders, () => {}).catch(() => removeDatabase(folders.index));
}

/** Undefined where there is no SQLite; rejects where the index can't be had. */
async function throughIndex<Result>(
  folders: SearchFolders,
  use: (index: SearchIndex) => Result,
): Promise<Result | undefined> {
  const attempt = async () => {
    const index = await openSearchIndex(folders.index, folders.sessions);
    if (!index) return undefined;
    try {
      index.refresh();
      return use(index);
    } finally {
      index.close();
    }
  };
  return attempt().catch((error: unknown) => {
    if (!isDamaged(error)) throw error;
    removeDatabase(folders.index);
    return attempt();
  });
}

/** Case and the way that accents are written don't count. */
const fold = (text: string): string => text.normalize('NFC').toLowerCase();

/** The index knows no shorter ones. */
const isIndexed = (term: string): boolean => [...term].length > 2;

function collect(texts: Iterable<Said>, terms: readonly string[]): ReadonlyMap<string, Match> {
  const matches = new Map<string, Match>();
  for (const one of texts) {
    const text = fold(one.text);
    if (!terms.every((term) => text.includes(term))) continue;
    const { said, count } = matches.get(one.path) ?? { said: [], count: 0 };
    matches.set(one.path, { path: one.path, said: [...said, one].slice(-SHOWN), count: count + 1 });
  }
  return matches;
}

function* saidIn(sessions: string): Generator<Said> {
  for (const { path } of listSessionFiles(sessions)) {
    for (const found of scan(readChunks(path))) {
      if (!('entry' in found)) continue;
      for (const words of wordsOf(found.entry)) yield { ...words, path, time: found.entry.time };
    }
  }
}
