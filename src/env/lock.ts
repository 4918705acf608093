import { constants, copyFileSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './files/problems.ts';
import { isAlive, statOf } from './processes/stat.ts';

export type Lock = { readonly release: () => void };

/** Who holds it: a process id, and the time it started, since ids are used again. */
type Owner = { readonly id: string; readonly pid: number; readonly started: string };

/**
 * Takes the lock file at `path`, or returns the id of the living process that holds it. Of many that come at once one
 * gets it: the lock of a dead process is not taken away, it gets a successor, a file that is named after the dead owner
 * and made exclusively. Whoever holds the last one removes them all when it is done, the first one first.
 */
export function takeLock(path: string): Lock | number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const own: Owner = { id: crypto.randomUUID(), pid: process.pid, started: startTime(process.pid) };
  // Written aside and linked, so that nobody ever reads half an owner.
  const draft = `${path}.${own.id}.new`;
  try {
    writeFileSync(draft, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
    for (;;) {
      const held = claim(path, draft);
      if (held !== undefined) return held;
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Undefined where the lock was given back meanwhile, so that one has to look again. */
function claim(path: string, draft: string): Lock | number | undefined {
  const chain = [path];
  let first: string | undefined;
  for (let last = path; ; last = chain.at(-1) ?? path) {
    if (tryLink(draft, last)) {
      // The chain may have been given back while it was followed: then this successor follows nobody.
      if (last === path || readOwner(path)?.id === first) return { release: () => chain.forEach(remove) };
      remove(last);
      return undefined;
    }
    const owner = readOwner(last);
    if (!owner) return undefined;
    if (lives(owner)) return owner.pid;
    first ??= owner.id;
    chain.push(`${path}.${owner.id}`);
  }
}

const remove = (path: string): void => rmSync(path, { force: true });

function tryLink(draft: string, path: string, link = linkSync): boolean {
  try {
    link(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // Some file systems know no hard links.
    if (link === linkSync && ['EPERM', 'EACCES', 'ENOTSUP', 'ENOSYS'].includes(codeOf(error) ?? '')) {
      return tryLink(draft, path, copyNew);
    }
    throw error;
  }
}

const copyNew: typeof linkSync = (from, to) => copyFileSync(from, to, constants.COPYFILE_EXCL);

/** Undefined where there is none. One that can't be read died of a power cut. */
function readOwner(path: string): Owner | undefined {
  try {
    const owner: Owner = JSON.parse(readFileSync(path, 'utf8'));
    if (Number.isInteger(owner.pid) && /^[\da-f-]{36}$/.test(owner.id)) return owner;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
  }
  const found = statSync(path, { throwIfNoEntry: false });
  return found && { id: `damaged-${found.ino}`, pid: 0, started: '' };
}

function lives({ pid, started }: Owner): boolean {
  return pid > 0 && isAlive(pid) && startTime(pid) === started;
}

/** '' where there is no /proc, and then the id alone decides. */
function startTime(pid: number): string {
  const stat = statOf(pid);
  return stat?.dead ? 'ended' : (stat?.started ?? '');
}
