/**
 * The index of a search: what was said in all sessions, by three letters each. The logs are the truth; this is made
 * anew wherever it is missing, damaged or of another version, and holds nothing that they don't.
 */
import { type Database, openDatabase, removeDatabase } from '../env/database.ts';
import { listSessionFiles, readChunks, type SessionFile } from '../env/session-files.ts';
import { scan, type Words, wordsOf } from '../session/index.ts';

export type Said = Words & { readonly path: string; readonly time: number };

export type SearchIndex = {
  /** Reads what is new in the logs, and forgets those that are gone. */
  readonly refresh: () => void;
  /** Texts that hold each of these, three characters or longer; all texts where there is none. */
  readonly candidates: (terms: readonly string[]) => Iterable<Said>;
  readonly close: () => void;
};

const VERSION = 1;

const SCHEMA = `
  CREATE TABLE logs (id INTEGER PRIMARY KEY, path TEXT UNIQUE, size INTEGER, changed REAL, torn INTEGER);
  CREATE TABLE texts (id INTEGER PRIMARY KEY, log INTEGER, who TEXT, time REAL);
  CREATE INDEX by_log ON texts (log);
  CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'trigram');
  INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
  PRAGMA user_version = ${VERSION};`;

/** Undefined where there is no SQLite. Throws where the file is damaged or can't be had. */
export async function openSearchIndex(file: string, sessions: string): Promise<SearchIndex | undefined> {
  const database = await openDatabase(file);
  if (!database) return undefined;
  try {
    database.together(() => versionOf(database) === 0 && database.run(SCHEMA));
    if (versionOf(database) === VERSION) {
      return {
        refresh: () => database.together(() => refresh(database, listSessionFiles(sessions))),
        candidates: (terms) => candidates(database, terms),
        close: database.close,
      };
    }
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  removeDatabase(file);
  return openSearchIndex(file, sessions);
}

function versionOf(database: Database): number {
  const [row] = database.rows('PRAGMA user_version');
  return Number(row?.['user_version']);
}

function refresh(database: Database, files: readonly SessionFile[]): void {
  const known = new Map([...database.rows('SELECT * FROM logs')].map((row) => [String(row['path']), row]));
  for (const file of files) {
    const row = known.get(file.path);
    known.delete(file.path);
    if (row?.['size'] === file.size && row['changed'] === file.changed) continue;
    // A log only grows, so what it had is there already; where its last line was cut off, that line is another now.
    const grown = row !== undefined && Number(row['size']) < file.size && row['torn'] === 0;
    if (row && !grown) forget(database, Number(row['id']));
    read(database, file, grown ? Number(row['size']) : 0);
  }
  for (const row of known.values()) forget(database, Number(row['id']));
}

function forget(database: Database, log: number): void {
  database.write('DELETE FROM words WHERE rowid IN (SELECT id FROM texts WHERE log = ?)', log);
  database.write('DELETE FROM texts WHERE log = ?', log);
  database.write('DELETE FROM logs WHERE id = ?', log);
}

function read(database: Database, { path, size, changed }: SessionFile, from: number): void {
  database.write('INSERT OR IGNORE INTO logs (path) VALUES (?)', path);
  const [row] = database.rows('SELECT id FROM logs WHERE path = ?', path);
  const log = Number(row?.['id']);
  let torn = 0;
  for (const found of scan(readChunks(path, from, size))) {
    if ('torn' in found) torn = 1;
    if (!('entry' in found)) continue;
    for (const { who, text } of wordsOf(found.entry)) {
      database.write('INSERT INTO texts (log, who, time) VALUES (?, ?, ?)', log, who, found.entry.time);
      database.write('INSERT INTO words (rowid, text) VALUES (last_insert_rowid(), ?)', text);
    }
  }
  database.write('UPDATE logs SET size = ?, changed = ?, torn = ? WHERE id = ?', size, changed, torn, log);
}

function* candidates(database: Database, terms: readonly string[]): Generator<Said> {
  const all = 'SELECT path, who, time, text FROM words JOIN texts ON texts.id = words.rowid JOIN logs ON logs.id = log';
  const query = terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(' ');
  const rows =
    query === ''
      ? database.rows(`${all} ORDER BY texts.id`)
      : database.rows(`${all} WHERE words MATCH ? ORDER BY texts.id`, query);
  for (const { path, who, time, text } of rows) {
    yield { path: String(path), who: whoOf(who), time: Number(time), text: String(text) };
  }
}

const whoOf = (who: unknown): Words['who'] => (who === 'person' || who === 'tool' ? who : 'model');
