import { readFileSync, rmSync, writeFileSync } from 'node:fs';

export type Lock = { readonly release: () => void };

/** Who holds it: a process id, and the time it started, since ids are used again. */
type Owner = { readonly pid: number; readonly started: string };

/**
 * Takes the lock file at `path`, or returns the id of the living process that holds it. The lock of a dead process is
 * taken over.
 */
export function takeLock(path: string): Lock | number {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(path, JSON.stringify({ pid: process.pid, started: startTime(process.pid) }), {
        flag: 'wx',
        mode: 0o600,
      });
      return { release: () => rmSync(path, { force: true }) };
    } catch (error) {
      if (!isTaken(error)) throw error;
      const owner = readOwner(path);
      if (owner && isAlive(owner)) return owner.pid;
      rmSync(path, { force: true });
    }
  }
  return -1;
}

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST';

function readOwner(path: string): Owner | undefined {
  try {
    const owner: Owner = JSON.parse(readFileSync(path, 'utf8'));
    return Number.isInteger(owner.pid) ? owner : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return startTime(pid) === started;
}

/** Field 22 of /proc/PID/stat; '' where there is no /proc, and then the id alone decides. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
