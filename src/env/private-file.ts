/** Small files that only the user may read: keys, answers. Written whole or not at all, by one process at a time. */

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './files/problems.ts';
import { takeLock } from './lock.ts';

/** Undefined where there is none. */
export function readPrivate(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Milliseconds that another process may hold the file, and between two looks. */
const PATIENCE = 5000;
const BEAT = 20;

/** Reads anew under a lock, and puts what `change` makes of it in place. What `change` throws leaves the file as it was. */
export async function changePrivate(path: string, change: (before: string | undefined) => string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = await waitForLock(`${path}.lock`);
  const draft = `${path}.${crypto.randomUUID()}.new`;
  try {
    writeFileSync(draft, change(readPrivate(path)), { flag: 'wx', mode: 0o600 });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
    lock.release();
  }
}

async function waitForLock(path: string) {
  for (let waited = 0; ; waited += BEAT) {
    const lock = takeLock(path);
    if (typeof lock !== 'number') return lock;
    if (waited > PATIENCE) throw new Error(`${path} is held by process ${lock}`);
    await new Promise((resolve) => setTimeout(resolve, BEAT));
  }
}
