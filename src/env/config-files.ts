/** Files that a repository brings along to steer its tools: found, and read whole. */

import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { linkTarget } from './sandbox/places.ts';

export type ConfigFile = { readonly path: string; readonly bytes: Buffer };

/** A repository's root: the nearest folder with a `.git`, folder or file; `cwd` itself where there is none. */
export function findRoot(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return cwd;
  }
}

/** From `root` down to `cwd`. */
export function foldersBetween(root: string, cwd: string): readonly string[] {
  const folders = [root];
  for (const part of relative(root, cwd).split('/').filter(Boolean)) folders.push(join(folders.at(-1) ?? root, part));
  return folders;
}

/** More than a person would look at. */
const MAX_FILES = 2000;
const MAX_BYTES = 64 << 20;

/**
 * Every file at or below the paths, links followed, in order. Undefined where there is too much, or where something
 * can't be read: nobody can vouch for that.
 */
export function readAll(paths: readonly string[]): readonly ConfigFile[] | undefined {
  const files: ConfigFile[] = [];
  const folders = new Set<string>();
  let size = 0;
  const visit = (path: string): void => {
    const kind = statSync(path, { throwIfNoEntry: false });
    if (kind?.isDirectory()) {
      const real = realpathSync(path);
      if (folders.has(real)) return;
      folders.add(real);
      for (const name of readdirSync(path).sort()) visit(join(path, name));
    } else if (kind?.isFile()) {
      size += kind.size;
      if (size > MAX_BYTES || files.length >= MAX_FILES) throw new Error('too much');
      files.push({ path, bytes: readFileSync(path) });
    } else if (!kind) {
      // A link that leads nowhere may lead somewhere tomorrow.
      const target = linkTarget(path);
      if (target !== undefined) files.push({ path, bytes: Buffer.from(`-> ${target}`) });
    }
  };
  try {
    for (const path of paths) visit(path);
    return files;
  } catch {
    return undefined;
  }
}
