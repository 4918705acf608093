import { renameSync, symlinkSync } from 'node:fs';
import { exists, foldersInside, linkTarget } from './places.ts';
import type { Options, Walls } from './types.ts';

/**
 * For what no mount can hold: a link (a mount stands at its target), and names that mean something even to an empty
 * folder. They are looked at when the command is dead, and what came up is moved aside, never deleted.
 */
export const watchNames = (
  { root, protect = [], watched = [] }: Walls,
  options: Options,
): (() => readonly string[]) => {
  if (options.readonly) return () => [];
  const parts = new Set(protect.flatMap((path) => [...foldersInside(root, path), path]));
  const links = [...parts].flatMap((path) => {
    const target = linkTarget(path);
    return target === undefined ? [] : [{ path, target }];
  });
  const absent = watched.filter((path) => !exists(path)).map((path) => ({ path, target: undefined }));
  return () => [...links, ...absent].flatMap(restore);
};

const restore = ({
  path,
  target,
}: {
  readonly path: string;
  readonly target: string | undefined;
}): readonly string[] => {
  if (target === undefined ? !exists(path) : linkTarget(path) === target) return [];
  try {
    const aside = moveAside(path);
    if (target !== undefined) symlinkSync(target, path);
    return [`A command changed ${path}, which is protected. ${aside}`];
  } catch (error) {
    return [`A command changed ${path}, which is protected, and it could not be put back: ${String(error)}`];
  }
};

const moveAside = (path: string): string => {
  if (!exists(path)) return 'It is back as it was.';
  let aside = `${path}.untrusted`;
  for (let number = 2; exists(aside); number++) aside = `${path}.untrusted-${number}`;
  renameSync(path, aside);
  return `What it put there is now ${aside}: look at it, then delete it.`;
};
