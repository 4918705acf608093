/**
 * The shadow store: a bare repository of our own. Objects come in whole packs, so a killed process leaves all of a snapshot
 * or nothing; a session's snapshots are a chain of commits under a ref of its own, so sessions never write the same file.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGit, type Git } from '../env/git.ts';
import { takeLock } from '../env/lock.ts';
import { encodeCommit, encodePack, idOf, type ObjectType, type Packed, pack } from './objects.ts';

export type Store = {
  readonly git: Git;
  /** Puts an object into the next pack. */
  readonly add: (type: ObjectType, body: Uint8Array) => string;
  /** A promise where so much waits that it should be written now. */
  readonly relieve: () => Promise<void> | undefined;
  /** Writes all that waits, and makes `tree` a link of this session's chain. Resolves when a kill can't undo it. */
  readonly commit: (tree: string) => Promise<void>;
  /** Whether a commit of another session is here, with this tree. */
  readonly holds: (commit: string, tree: string) => Promise<boolean>;
  readonly head: () => string | undefined;
  readonly close: () => Promise<void>;
};

export type StoreOptions = {
  readonly folder: string;
  readonly path: string;
  readonly time: () => number;
  /** Bytes beyond which old sessions' snapshots go. */
  readonly limit: number;
};

/** What waits for a pack: at most this many bytes and objects. */
const BATCH = { bytes: 16 * 2 ** 20, objects: 8_000 };
/** Packs that are put together once there are so many. */
const MAX_PACKS = 50;
/** Milliseconds that closing waits for that. */
const PATIENCE = 2000;
/** Milliseconds that a session's snapshots are kept at least. */
const KEEP = 14 * 24 * 3600_000;

export const openStore = async ({ folder, path, time, limit }: StoreOptions): Promise<Store> => {
  const git = createGit({ folder, path });
  if (!existsSync(folder)) await found(folder, path);
  const closing = new AbortController();
  const ref = join(folder, 'refs', 'heads', `${time().toString(36)}-${randomBytes(4).toString('hex')}`);
  const batch = createBatch(git);
  let head: string | undefined;
  let tidied = 0;
  let tidying: Promise<void> = Promise.resolve();

  const tidyNow = () => {
    if (tidied++ % MAX_PACKS !== 0) return;
    tidying = tidy(git, { folder, ref, limit, now: time(), signal: closing.signal }).catch(() => {});
  };
  return {
    git,
    add: batch.add,
    relieve: batch.relieve,
    head: () => head,
    holds: async (commit, tree) => {
      const found = await git.run(['rev-parse', '--quiet', '--verify', `${commit}^{tree}`]).catch(missing);
      return found?.toString('latin1').trim() === tree;
    },
    commit: async (tree) => {
      const commit = batch.add('commit', encodeCommit(tree, head, Math.floor(time() / 1000)));
      await batch.flush();
      replace(ref, `${commit}\n`);
      head = commit;
      tidyNow();
    },
    close: async () => {
      // Short sessions must get to tidy, too, but nobody waits long for that.
      const timer = setTimeout(() => closing.abort(), PATIENCE);
      await tidying;
      clearTimeout(timer);
    },
  };
};

/** Elsewhere first: two sessions may begin at once, and a kill must not leave half a store. */
const found = async (folder: string, path: string): Promise<void> => {
  const draft = `${folder}.${randomBytes(4).toString('hex')}`;
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    const git = createGit({ folder: draft, path });
    await git.run(['init', '--quiet', '--bare', '--template=', '--object-format=sha1']);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
};

/** Git that can't find an object is an answer; git that isn't there is not. */
const missing = (error: unknown): undefined => {
  if (error instanceof Error && 'code' in error) throw error;
};

const replace = (path: string, text: string): void => {
  const temporary = `${path}.${process.pid}.lock`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
};

/** Objects on their way into packs. While git takes in one pack, the next is gathered. */
const createBatch = (git: Git) => {
  let waiting = new Map<string, Packed>();
  let bytes = 0;
  let writing: Promise<unknown> = Promise.resolve();

  /** Resolves when the packs before this one are in. */
  const send = async (): Promise<void> => {
    const objects = [...waiting.values()];
    waiting = new Map();
    bytes = 0;
    await writing;
    if (objects.length === 0) return;
    writing = git.run(['index-pack', '--stdin'], { input: encodePack(objects) });
    writing.catch(() => {});
  };
  return {
    add: (type: ObjectType, body: Uint8Array): string => {
      const id = idOf(type, body);
      if (!waiting.has(id)) {
        const packed = pack(type, body);
        waiting.set(id, packed);
        bytes += packed.deflated.length;
      }
      return id;
    },
    relieve: () => (bytes > BATCH.bytes || waiting.size > BATCH.objects ? send() : undefined),
    flush: async (): Promise<void> => {
      await send();
      await writing;
    },
  };
};

type Tidy = {
  readonly folder: string;
  readonly ref: string;
  readonly limit: number;
  readonly now: number;
  readonly signal: AbortSignal;
};

/** Puts many small packs together; where the store is too large, lets go of what old sessions kept. One process at a time. */
const tidy = async (git: Git, { folder, ref, limit, now, signal }: Tidy): Promise<void> => {
  const full = storeSize(folder) > limit;
  if (!full && packsOf(folder).length < MAX_PACKS) return;
  const lock = takeLock(join(folder, 'tidy.lock'));
  if (typeof lock === 'number') return;
  try {
    if (!full) {
      await git.run(['repack', '-d', '-q', '--geometric=2'], { signal });
      return;
    }
    const heads = join(folder, 'refs', 'heads');
    for (const name of readdirSync(heads)) {
      const each = join(heads, name);
      if (each !== ref && statSync(each).mtimeMs < now - KEEP) unlinkSync(each);
    }
    // What no ref leads to stays for as long again: a session may be about to lead to it.
    await git.run(['repack', '-A', '-d', '-q', '--unpack-unreachable=14.days.ago'], { signal });
    await git.run(['prune', '--expire=14.days.ago'], { signal });
  } finally {
    lock.release();
  }
};

const packsOf = (folder: string): readonly string[] =>
  readdirSync(join(folder, 'objects', 'pack')).filter((name) => name.endsWith('.pack'));

/** Bytes in packs, half-written ones included. */
export const storeSize = (folder: string): number => {
  const packs = join(folder, 'objects', 'pack');
  const names = existsSync(packs) ? readdirSync(packs) : [];
  return names.reduce((sum, name) => sum + (statSync(join(packs, name), { throwIfNoEntry: false })?.size ?? 0), 0);
};
