/** SQLite, where this Node has it. For what can be made anew: nothing is kept there alone. */
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

type Value = string | number | null;

type Row = { readonly [column: string]: unknown };

export type Database = {
  /** Runs SQL that takes no values. */
  readonly run: (sql: string) => void;
  readonly write: (sql: string, ...values: readonly Value[]) => void;
  readonly rows: (sql: string, ...values: readonly Value[]) => Iterable<Row>;
  /** All of it or nothing, with no other process in between. */
  readonly together: <Result>(work: () => Result) => Result;
  readonly close: () => void;
};

/** Milliseconds to wait for another process. */
const PATIENCE = 5000;

/** Undefined where there is no SQLite. Throws where the file is none, or can't be had. It is the user's alone (0600). */
export async function openDatabase(path: string): Promise<Database | undefined> {
  const sqlite = await import('node:sqlite').catch(() => undefined);
  if (!sqlite) return undefined;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  const connection = new sqlite.DatabaseSync(path);
  const statements = new Map<string, ReturnType<typeof connection.prepare>>();
  const prepare = (sql: string) => {
    const statement = statements.get(sql) ?? connection.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  connection.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
  // What was removed is gone from the file too.
  connection.exec('PRAGMA secure_delete = ON');
  return {
    run: (sql) => connection.exec(sql),
    write: (sql, ...values) => void prepare(sql).run(...values),
    rows: (sql, ...values) => prepare(sql).iterate(...values),
    together: (work) => {
      connection.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        connection.exec('COMMIT');
        return result;
      } catch (error) {
        connection.exec('ROLLBACK');
        throw error;
      }
    },
    close: () => connection.close(),
  };
}

export const removeDatabase = (path: string): void => {
  for (const suffix of ['', '-journal']) rmSync(path + suffix, { force: true });
};

/** SQLite's codes for a file that is no database or not a sound one, and for tables that aren't as they should be. */
const DAMAGED = [1, 11, 26];

export const isDamaged = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  DAMAGED.includes(error.errcode & 0xff);
