/**
 * Makes paths of the workspace what they were. A file changes as a whole or not at all, and only where it is still what the
 * scan saw. Everything happens through an open folder, so that a link put in its place in this moment leads nowhere.
 */

import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, lstat, mkdir, open, rename, rmdir, stat, symlink, unlink } from 'node:fs/promises';
import { nameOf } from '../env/files/index.ts';
import { withFolder } from '../env/files/open.ts';
import { isAlive } from '../env/processes/stat.ts';
import { isFolder, isLink } from './objects.ts';
import { findIn, isSame } from './scan.ts';
import type { Applied, Difference, Folder, Item } from './types.ts';

export type Restore = {
  /** Wide and real. */
  readonly root: string;
  /** What a scan found a moment ago. */
  readonly scanned: Folder;
  readonly differences: readonly Difference[];
  readonly read: (id: string) => Promise<Buffer | undefined>;
};

type Failure = Applied['failed'][number];

/** Returns what could not be done; such paths are as they were. */
export const restore = async (options: Restore): Promise<readonly Failure[]> => {
  const { differences, root } = options;
  const failed = new Map<string, string>();
  const attempt = async (paths: readonly string[], work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      for (const path of paths) failed.set(path, failed.get(path) ?? wordsOf(error));
    }
  };
  /** Does `act` for each path, all of a folder's together, in the folder itself. */
  const inFolders = async (selected: readonly Difference[], act: (base: string, each: Difference) => Promise<void>) => {
    for (const [folder, members] of Map.groupBy(selected, ({ path }) => parentOf(path))) {
      const left = members.filter(({ path }) => !failed.has(path));
      const all = left.map(({ path }) => path);
      const actOnEach = async (base: string) => {
        for (const each of left) await attempt([each.path], () => act(base, each));
      };
      await attempt(all, () => inFolder(join(root, folder), actOnEach));
    }
  };
  const outermostFirst = differences.toSorted((a, b) => byText(parentOf(a.path), parentOf(b.path)));
  const deepestFirst = outermostFirst.toReversed();

  await inFolders(outermostFirst.filter(isClosed), (base, { path }) => chmod(disk(under(base, path)), 0o700));
  await inFolders(deepestFirst.filter(mustGo), (base, each) => remove(base, each, options));
  await inFolders(outermostFirst.filter(mustCome), (base, each) => create(base, each, options));
  await inFolders(
    deepestFirst.filter(({ after }) => isFolder(after)),
    (base, each) => setMode(base, each),
  );
  return [...failed].map(([path, why]) => ({ path: nameOf(disk(path)), why }));
};

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const disk = (path: string): Buffer => Buffer.from(path, 'latin1');
const join = (base: string, path: string): string => (path === '' ? base : `${base}/${path}`);
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const under = (base: string, path: string): string => `${base}/${path.slice(path.lastIndexOf('/') + 1)}`;

/** A folder that stays and can't be entered. */
const isClosed = ({ before, after }: Difference): boolean =>
  before !== null && isFolder(before) && isFolder(after) && (before.mode & 0o700) !== 0o700;
const mustGo = ({ before, after }: Difference): boolean =>
  before !== null && (after === null || isFolder(before) !== isFolder(after));
const mustCome = ({ before, after }: Difference): boolean => after !== null && !(isFolder(before) && isFolder(after));

/** Opens a folder, for writing too while it is used. */
const inFolder = (path: string, use: (base: string) => Promise<void>): Promise<void> =>
  withFolder(disk(path), nameOf(disk(path)), async (base) => {
    const mode = (await stat(base)).mode & 0o7777;
    const closed = (mode & 0o300) !== 0o300;
    if (closed) await chmod(base, mode | 0o700);
    try {
      await use(base.toString('latin1'));
    } finally {
      if (closed) await chmod(base, mode);
    }
  });

const remove = async (base: string, each: Difference, { scanned }: Restore): Promise<void> => {
  const target = disk(under(base, each.path));
  if (isFolder(each.before)) {
    // A folder in which something is left (another's file, a repository, what is not stored) stays.
    return rmdir(target).catch((error: unknown) => {
      if (each.after !== null || !/ENOTEMPTY|EEXIST|ENOENT/.test(String(error))) throw error;
    });
  }
  await check(target, each, scanned);
  await unlink(target).catch((error: unknown) => {
    if (!String(error).includes('ENOENT')) throw error;
  });
};

const create = async (base: string, each: Difference, { scanned, read }: Restore): Promise<void> => {
  const target = disk(under(base, each.path));
  if (each.after === null) return;
  if (isFolder(each.after)) {
    await mkdir(target, 0o700);
    // At once, umask or not, so that an undo which is killed finds its own folders again; what closes it comes last.
    return setMode(base, { ...each, after: { ...each.after, mode: each.after.mode | 0o700 } });
  }
  const body = await read(each.after.id);
  if (!body) throw new Error('it is missing in the store');
  const temporary = disk(`${base}/.rein-undo-${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
  try {
    if (isLink(each.after)) await symlink(body, temporary);
    else await write(temporary, body, each.after, await lstat(target).catch(() => undefined));
    await check(target, mustGo(each) ? { ...each, before: null } : each, scanned);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
};

const write = async (path: Buffer, body: Buffer, { mode }: Item, before: Stats | undefined): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(body);
    const made = await file.stat();
    const foreign = before?.isFile() && (before.uid !== made.uid || before.gid !== made.gid);
    if (before && foreign) await file.chown(before.uid, before.gid).catch(() => undefined);
    // Last, since writing and chown clear the set-user-id bit.
    await file.chmod(mode & 0o7777);
  } finally {
    await file.close();
  }
};

/** Throws where something stands that the scan did not see. */
const check = async (target: Buffer, { path, before }: Difference, scanned: Folder): Promise<void> => {
  const now = await lstat(target).catch(() => undefined);
  const node = before === null ? undefined : findIn(scanned, path);
  const facts = node && 'facts' in node ? node.facts : undefined;
  if (now === undefined || isSame(facts, now)) return;
  throw new Error('somebody else changed it in this moment; it was left as it is');
};

/** Through the folder's own descriptor: a name could have become a link. */
const setMode = async (base: string, { path, after }: Difference): Promise<void> => {
  const folder = await open(disk(under(base, path)), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await folder.chmod((after?.mode ?? 0o755) & 0o7777);
  } finally {
    await folder.close();
  }
};

/** Removes what killed restores left half-written. `paths` are wide and absolute. */
export const sweep = async (paths: readonly string[]): Promise<void> => {
  for (const path of paths) {
    const pid = Number(/\.rein-undo-(\d+)-[0-9a-f]+\.tmp$/.exec(path)?.[1] ?? process.pid);
    if (!isAlive(pid)) await unlink(disk(path)).catch(() => undefined);
  }
};

const wordsOf = (error: unknown): string =>
  error instanceof Error ? (/^E[A-Z]+: [^,]*/.exec(error.message)?.[0] ?? error.message) : String(error);
