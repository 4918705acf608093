/** What the last scan found, kept from session to session: only the first snapshot of a folder reads every file. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFolder } from './objects.ts';
import type { Facts, Folder, Leaf } from './types.ts';

export type Cache = { readonly root: string; readonly commit: string; readonly tree: Folder };

type Row =
  | readonly [name: string, mode: number, id: string, rows: readonly Row[]]
  | readonly [name: string, mode: number, id: string, facts: Facts | null];

const NAME = 'scan.json';

export const saveCache = (folder: string, { root, commit, tree }: Cache): void => {
  const path = join(folder, NAME);
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify({ version: 1, root, commit, tree: toRow('', tree) }), { mode: 0o600 });
  renameSync(temporary, path);
};

const toRow = (name: string, node: Leaf | Folder): Row =>
  'entries' in node
    ? [name, node.mode, node.id, [...node.entries].map(([each, entry]) => toRow(each, entry))]
    : [name, node.mode, node.id, (!node.racy && node.facts) || null];

/** Undefined where there is none, or none of this version and root. */
export const loadCache = (folder: string, root: string): Cache | undefined => {
  try {
    const data: { version: number; root: string; commit: string; tree: Row } = JSON.parse(
      readFileSync(join(folder, NAME), 'utf8'),
    );
    const tree = fromRow(data.tree);
    return data.version === 1 && data.root === root && 'entries' in tree
      ? { root, commit: data.commit, tree }
      : undefined;
  } catch {
    return undefined;
  }
};

const fromRow = ([, mode, id, rest]: Row): Leaf | Folder => {
  if (!isRows(rest)) return rest ? { mode, id, facts: rest } : { mode, id };
  if (!isFolder({ mode, id })) throw new Error('no folder');
  return { mode, id, entries: new Map(rest.map((row) => [row[0], fromRow(row)])) };
};

const isRows = (rest: readonly Row[] | Facts | null): rest is readonly Row[] => Array.isArray(rest);
