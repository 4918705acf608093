/** Where sessions lie on disk: one JSONL file each, in a folder for each working folder. */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

export type SessionFile = {
  readonly id: string;
  readonly path: string;
  /** Milliseconds since the epoch of the last append. */
  readonly changed: number;
};

/** Session ids that rein makes; anything else is never taken for part of a path. */
const ID = /^\d{8}-\d{6}-[a-z0-9]{6}$/;

export const newSessionId = (time: number): string => {
  const stamp = new Date(time).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${stamp}-${crypto.randomUUID().replaceAll('-', '').slice(0, 6)}`;
};

/** A readable name for a folder; two folders may share one, the header of each session tells them apart. */
const nameOf = (cwd: string): string =>
  cwd
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(-80) || 'root';

export const sessionPath = (sessions: string, cwd: string, id: string): string =>
  join(sessions, nameOf(cwd), `${id}.jsonl`);

/** Newest first; of one working folder or of all. */
export function listSessionFiles(sessions: string, cwd?: string): SessionFile[] {
  const folders = cwd === undefined ? readFolder(sessions) : [nameOf(cwd)];
  const files = folders.flatMap((folder) =>
    readFolder(join(sessions, folder)).flatMap((name) => statSession(join(sessions, folder, name))),
  );
  return files.sort((a, b) => b.changed - a.changed);
}

function statSession(path: string): SessionFile[] {
  const id = basename(path, '.jsonl');
  if (!path.endsWith('.jsonl') || !ID.test(id)) return [];
  try {
    return [{ id, path, changed: statSync(path).mtimeMs }];
  } catch {
    return [];
  }
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** The first bytes of a file: enough for its header and title, however long it is. */
export function readHead(path: string, bytes = 64 * 1024): string {
  const buffer = Buffer.alloc(bytes);
  const file = openSync(path, 'r');
  try {
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

export const readWhole = (path: string): string => readFileSync(path, 'utf8');

export const removeSession = (path: string): void => rmSync(path);

export const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
