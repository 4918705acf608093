import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from '../files/problems.ts';
import { isInside } from '../inside.ts';

/** A path with its links resolved. `absent` is the first part of it that does not exist. */
export type Place = { readonly path: string; readonly folder: boolean; readonly absent?: string };

/** The mode of a folder that only keeps a name from being used: sticky, and nobody writes it. None is so by accident. */
export const HELD = 0o1555;
export const isHeldMode = (mode: number): boolean => isFolderMode(mode) && (mode & 0o1222) === 0o1000;
const isFolderMode = (mode: number): boolean => (mode & 0o170000) === 0o040000;

/** Nothing where the path can't be reached at all: a loop of links, or a folder that is closed to us. */
export const findPlace = (path: string): Place | undefined => {
  try {
    const real = realpathSync.native(path);
    const { mode } = statSync(real);
    return { path: real, folder: isFolderMode(mode), ...(isHeldMode(mode) && { absent: real }) };
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? findAbsent(path) : undefined;
  }
};

const findAbsent = (path: string): Place | undefined => {
  const target = linkTarget(path);
  if (target !== undefined) return findPlace(resolve(dirname(path), target));
  const parent = dirname(path) === path ? undefined : findPlace(dirname(path));
  if (!parent) return undefined;
  const real = join(parent.path, basename(path));
  return { path: real, folder: false, absent: parent.absent ?? real };
};

/** The text of a link; nothing for what is no link. */
export const linkTarget = (path: string): string | undefined => {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
};

export const exists = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
};

/** The folders strictly between `top` and `path`, outermost first. */
export const foldersInside = (top: string, path: string): readonly string[] => {
  const parent = dirname(path);
  return path !== top && parent !== top && isInside(top, parent) ? [...foldersInside(top, parent), parent] : [];
};
