import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A path with its links resolved. `absent` is the first part of it that does not exist. */
export type Place = { readonly path: string; readonly folder: boolean; readonly absent?: string };

/** Nothing where the path can't be reached at all: a loop of links, or a folder that is closed to us. */
export const findPlace = (path: string): Place | undefined => {
  try {
    const real = realpathSync.native(path);
    return { path: real, folder: statSync(real).isDirectory() };
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? findAbsent(path) : undefined;
  }
};

const findAbsent = (path: string): Place | undefined => {
  const target = linkTarget(path);
  if (target !== undefined) return findPlace(target);
  const parent = findPlace(dirname(path));
  if (!parent || dirname(path) === path) return undefined;
  const real = join(parent.path, path.slice(dirname(path).length).replace(/^\/+/, ''));
  return { path: real, folder: false, absent: parent.absent ?? real };
};

/** Where a link points, absolute; nothing for what is no link. */
export const linkTarget = (path: string): string | undefined => {
  try {
    return lstatSync(path).isSymbolicLink() ? resolve(dirname(path), readlinkSync(path)) : undefined;
  } catch {
    return undefined;
  }
};

export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** Compared by parts: `/a/bc` is not inside `/a/b`. */
export const isInside = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

/** The folders strictly between, outermost first. */
export const foldersBetween = (top: string, path: string): readonly string[] => {
  const parent = dirname(path);
  return path !== top && parent !== top && isInside(top, parent) ? [...foldersBetween(top, parent), parent] : [];
};
