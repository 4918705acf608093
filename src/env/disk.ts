/** The part of the file system that a decision looks at: where a path really leads, and what a folder holds. */
import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isArmed } from './armed.ts';

export const createDisk = () => ({ real, names, arms: isArmed });

/** As many links as the system follows before it gives up. */
const MAX_LINKS = 40;

/** Links resolved; where the path does not exist, the real path of what does, and the rest. */
function real(path: string): string {
  return follow(path, MAX_LINKS);
}

function follow(path: string, links: number): string {
  try {
    return realpathSync(path);
  } catch {
    if (path === dirname(path)) return path;
    const here = join(follow(dirname(path), links), basename(path));
    // A link to what is not there yet: a write makes it there.
    const target = links > 0 ? linkIn(here) : undefined;
    if (target === undefined) return here;
    return follow(target.startsWith('/') ? target : `${dirname(here)}/${target}`, links - 1);
  }
}

function linkIn(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
