/** The part of the file system that a decision looks at: where a path really leads, and what a folder holds. */
import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export const createDisk = () => ({ real, names });

/** Links resolved; where the path does not exist, the real path of what does, and the rest. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(real(dirname(path)), basename(path));
  }
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
