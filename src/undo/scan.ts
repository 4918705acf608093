/**
 * A look at every file of the workspace; only what changed is read. Nothing is ever written there, and git never sees it:
 * no filter, attribute, hook or configuration of a repository can have a say.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';
import { encodeTree, isFolder, isUncovered, type ObjectType } from './objects.ts';
import { isGenerated, isOutside, isRepository, type Reason, saysGenerated, TEMPORARY, UNCOVERED } from './rules.ts';
import type { Facts, Folder, Leaf, Limits } from './types.ts';

export type ScanOptions = {
  /** Wide and absolute, like all paths here. */
  readonly root: string;
  readonly exclude: ReadonlySet<string>;
  readonly limits: Limits;
  /** Stores an object and returns its id. */
  readonly add: (type: ObjectType, body: Uint8Array) => string;
  /** Something to wait for, every now and then. */
  readonly rest: () => Promise<void> | undefined;
};

export type Scan = {
  readonly tree: Folder;
  readonly uncovered: readonly { readonly path: string; readonly reason: Reason }[];
  /** Temporary files that a killed restore may have left. */
  readonly temporary: readonly string[];
  /** Folders, relative to the root, in which something stands that no tree tells of: repositories. */
  readonly holding: readonly string[];
};

type Walk = ScanOptions & {
  readonly began: number;
  readonly tally: { entries: number; bytes: number };
  readonly uncovered: { path: string; reason: Reason }[];
  readonly temporary: string[];
  readonly holding: string[];
};

/** Thrown where the workspace is larger than undo is good for. The message is for a person. */
const beyond = (message: string): Error => Object.assign(new Error(message), { name: 'Beyond' });

/** `known` is what an earlier scan found. */
export const scan = async (options: ScanOptions, known: Folder | undefined): Promise<Scan> => {
  const tally = { entries: 0, bytes: 0 };
  const walk: Walk = { ...options, began: Date.now(), tally, uncovered: [], temporary: [], holding: [] };
  const names = readNames(options.root) ?? [];
  const tree = await scanFolder(walk, { path: options.root, mode: 0o040755, names, known });
  return {
    tree,
    uncovered: walk.uncovered,
    temporary: walk.temporary,
    holding: walk.holding.map((path) => path.slice(options.root.length + 1)),
  };
};

type Visit = {
  readonly path: string;
  readonly mode: number;
  readonly names: readonly string[];
  readonly known: Folder | undefined;
};

const scanFolder = async (walk: Walk, { path, mode, names, known }: Visit): Promise<Folder> => {
  const entries = new Map<string, Leaf | Folder>();
  let untouched = true;
  let same = true;
  for (const name of names) {
    const waiting = walk.rest();
    if (waiting) await waiting;
    const place = `${path}/${name}`;
    if (TEMPORARY.test(name)) walk.temporary.push(place);
    if (isOutside(name) && !TEMPORARY.test(name)) walk.holding.push(path);
    if (isOutside(name) || walk.exclude.has(place)) continue;
    const before = known?.entries.get(name);
    const stat = look(place);
    if (stat === undefined) continue;
    count(walk, stat?.size ?? 0);
    const now =
      stat?.isDirectory() === true
        ? await visitFolder(walk, place, stat.mode, { name, names, before })
        : readLeaf(walk, place, stat, asLeaf(before));
    entries.set(name, now);
    untouched &&= now === before;
    same &&= now.id === before?.id && now.mode === before.mode;
  }
  const whole = known?.entries.size === entries.size;
  if (known && whole && untouched) return known.mode === mode ? known : { ...known, mode };
  return { mode, id: known && whole && same ? known.id : walk.add('tree', encodeTree(entries)), entries };
};

type Beside = { readonly name: string; readonly names: readonly string[]; readonly before: Leaf | Folder | undefined };

const visitFolder = async (walk: Walk, path: string, mode: number, { name, names, before }: Beside) => {
  const known = before && 'entries' in before ? before : undefined;
  // A folder that was stored once stays stored, so that no new file in it or beside it can hide what the agent does there.
  if (!known && isGenerated(name, names)) return UNCOVERED.generated;
  const inside = readNames(path);
  if (inside === undefined) return known ? { ...known, mode } : leaveOut(walk, path, 'unreadable');
  if (!known && saysGenerated(inside)) return UNCOVERED.generated;
  if (!known && isRepository(inside)) return leaveOut(walk, path, 'repository');
  return scanFolder(walk, { path, mode, names: inside, known });
};

const asLeaf = (node: Leaf | Folder | undefined): Leaf | undefined =>
  node && !isFolder(node) && !isUncovered(node) ? node : undefined;

/** `stat` is null where the system would not tell. */
const readLeaf = (walk: Walk, path: string, stat: Stats | null, known: Leaf | undefined): Leaf => {
  if (stat === null) return known ?? leaveOut(walk, path, 'unreadable');
  if (known && !known.racy && isSame(known.facts, stat)) return known;
  if (!stat.isFile() && !stat.isSymbolicLink()) return leaveOut(walk, path, 'special');
  if (stat.size > walk.limits.file) return { ...leaveOut(walk, path, 'large'), facts: factsOf(stat) };
  const mode = stat.isFile() ? stat.mode : 0o120000;
  try {
    const body = stat.isFile() ? readFile(path) : readlinkSync(onDisk(path), { encoding: 'buffer' });
    const id = walk.add('blob', body);
    return { mode, id, facts: factsOf(stat), ...(isYoung(stat, walk.began) ? { racy: true } : {}) };
  } catch (error) {
    if (isBeyondUs(error)) throw error;
    // Closed by a chmod, most likely: what was read before still holds.
    const { size, mtime, inode } = known?.facts ?? {};
    if (known && size === stat.size && mtime === stat.mtimeMs && inode === stat.ino) return { ...known, mode };
    return leaveOut(walk, path, 'unreadable');
  }
};

/** An error that no system call made. */
const isBeyondUs = (error: unknown): boolean => !(error instanceof Error && 'syscall' in error);

const leaveOut = (walk: Walk, path: string, reason: Reason): Leaf => {
  walk.uncovered.push({ path, reason });
  return UNCOVERED[reason];
};

const count = ({ tally, limits }: Walk, size: number): void => {
  tally.entries += 1;
  if (size <= limits.file) tally.bytes += size;
  if (tally.entries > limits.entries) throw beyond(`it has more than ${limits.entries.toLocaleString('en')} files`);
  if (tally.bytes > limits.bytes) throw beyond(`its files have more than ${(limits.bytes / 2 ** 20).toFixed(0)} MB`);
};

/** Not more than the file had when it was opened: a log may grow faster than it can be read. */
const readFile = (path: string): Buffer => {
  const file = openSync(onDisk(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.allocUnsafe(fstatSync(file).size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
};

const factsOf = ({ size, mtimeMs, ctimeMs, ino }: Stats): Facts => ({
  size,
  mtime: mtimeMs,
  ctime: ctimeMs,
  inode: ino,
});

/** Nobody can set a file's ctime, so a change shows even where size and mtime were put back. */
export const isSame = (facts: Facts | undefined, stat: Stats): boolean =>
  facts !== undefined &&
  facts.ctime === stat.ctimeMs &&
  facts.mtime === stat.mtimeMs &&
  facts.size === stat.size &&
  facts.inode === stat.ino;

/** A change in the same tick of the file system's clock would not show; some clocks tick once in two seconds. */
const isYoung = ({ ctimeMs }: Stats, now: number): boolean => ctimeMs > now - (ctimeMs % 1000 === 0 ? 2000 : 50);

export const onDisk = (path: string): string | Buffer =>
  /[^\x00-\x7f]/.test(path) ? Buffer.from(path, 'latin1') : path;

export const wide = (path: string): string => Buffer.from(path, 'utf8').toString('latin1');

/** Undefined where nothing is, null where the system would not tell. */
const look = (path: string): Stats | undefined | null => {
  try {
    return lstatSync(onDisk(path), { throwIfNoEntry: false });
  } catch {
    return null;
  }
};

const readNames = (path: string): readonly string[] | undefined => {
  try {
    return readdirSync(onDisk(path), { encoding: 'latin1' });
  } catch {
    return undefined;
  }
};

/** What a scan found at a path below its root. */
export const findIn = (tree: Folder, path: string): Leaf | Folder | undefined => {
  let node: Leaf | Folder | undefined = tree;
  for (const name of path.split('/')) node = node && 'entries' in node ? node.entries.get(name) : undefined;
  return node;
};
