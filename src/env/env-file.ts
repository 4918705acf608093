/** `.env` files of a workspace: found, and read as names and values. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export type Assigned = { readonly name: string; readonly value: string };

const IS_ENV = /^\.env(?:\..+)?$|^\.envrc$|.\.env$/;
const SAMPLE = /\.(?:example|sample|template|dist|defaults?|schema)$/;
const SKIPPED = new Set(['node_modules', '.git', 'dist', 'build', 'target', 'vendor', '.venv']);

/** Folders that are looked at, and levels below the roots: an application of a monorepo is two down. */
const MAX_FOLDERS = 400;
const MAX_DEPTH = 2;
const MAX_BYTES = 1 << 20;

export const isEnvFile = (path: string): boolean => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return IS_ENV.test(name) && !SAMPLE.test(name);
};

/** Those in and shortly below the folder. */
export function findEnvFiles(root: string): readonly string[] {
  const found: string[] = [];
  let folders = [root];
  let looked = 0;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const below: string[] = [];
    for (const folder of folders) {
      if (++looked > MAX_FOLDERS) return found;
      for (const entry of entriesOf(folder)) {
        if (entry.isDirectory()) {
          if (!SKIPPED.has(entry.name)) below.push(join(folder, entry.name));
        } else if (isEnvFile(entry.name)) found.push(join(folder, entry.name));
      }
    }
    folders = below;
  }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** What identifies this state of the file; undefined where there is none. */
export function stampOf(path: string): string | undefined {
  const kind = statSync(path, { throwIfNoEntry: false });
  return kind?.isFile() ? `${kind.mtimeMs} ${kind.size} ${kind.ino}` : undefined;
}

/** None where it can't be read. */
export function readEnvFile(path: string): readonly Assigned[] {
  try {
    if (statSync(path).size > MAX_BYTES) return [];
    return parseEnv(readFileSync(path, 'utf8'));
  } catch {
    return [];
  }
}

const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*[=:][ \t]*(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|([^\n]*))/gm;

/** `NAME=value`, `export NAME="value"`; a comment behind a bare value is none of it. */
export const parseEnv = (text: string): readonly Assigned[] =>
  [...text.matchAll(LINE)].map(([, name = '', double, single, bare = '']) => ({
    name,
    value:
      double?.replace(/\\n/g, '\n').replace(/\\(["\\$`])/g, '$1') ?? single ?? bare.replace(/[ \t]#.*$/, '').trim(),
  }));
