/** Where sessions lie on disk: one JSONL file each, in a folder for each working folder. */
import { closeSync, openSync, readdirSync, readSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export type SessionFile = {
  readonly id: string;
  readonly path: string;
  /** Milliseconds since the epoch of the last append. */
  readonly changed: number;
  /** Bytes. */
  readonly size: number;
};

/** Session ids that rein makes; anything else is never taken for part of a path. */
const ID = /^\d{8}-\d{6}-[a-z0-9]{6}$/;

export const isSessionId = (text: string): boolean => ID.test(text);

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

/** The id that a file's name says; undefined where the name says none. */
export function idOf(path: string): string | undefined {
  const id = basename(path, '.jsonl');
  return path.endsWith('.jsonl') && isSessionId(id) ? id : undefined;
}

/** Newest first; of one working folder or of all. */
export function listSessionFiles(sessions: string, cwd?: string): SessionFile[] {
  const folders = cwd === undefined ? readFolder(sessions) : [nameOf(cwd)];
  const files = folders.flatMap((folder) =>
    readFolder(join(sessions, folder)).flatMap((name) => statSession(join(sessions, folder, name))),
  );
  return files.sort((a, b) => b.changed - a.changed);
}

function statSession(path: string): SessionFile[] {
  const id = idOf(path);
  const found = id === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  return id === undefined || !found ? [] : [{ id, path, changed: found.mtimeMs, size: found.size }];
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Bytes of the first piece, enough for the head of most sessions, and of the others. */
const PIECE = { first: 64 * 1024, other: 4 * 1024 * 1024 };

/** The text of a file in pieces, from one byte to before another, so that neither its size nor an early end costs. */
export function* readChunks(path: string, from = 0, to = Number.POSITIVE_INFINITY): Generator<string> {
  const file = openSync(path, 'r');
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  try {
    let buffer = new Uint8Array(PIECE.first);
    for (let at = from; at < to; ) {
      const read = readSync(file, buffer, 0, Math.min(buffer.length, to - at), at);
      if (read === 0) break;
      at += read;
      yield decoder.decode(buffer.subarray(0, read), { stream: true });
      if (read === buffer.length) buffer = new Uint8Array(PIECE.other);
    }
    yield decoder.decode();
  } finally {
    closeSync(file);
  }
}

/** The session and what belongs to it: locks of processes that died. */
export function removeSession(path: string): void {
  const { dir, name } = { dir: dirname(path), name: basename(path) };
  for (const other of readFolder(dir)) if (other.startsWith(`${name}.`)) rmSync(join(dir, other), { force: true });
  rmSync(path);
}

/** Where a folder really is; undefined where there is none. */
export function realFolder(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
