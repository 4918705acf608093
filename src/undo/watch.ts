/** The workspace as it was last seen, and the store that holds it. A failure turns undo off, once and in words. */
import { loadCache, saveCache } from './cache.ts';
import { UNCOVERED, whyUncovered } from './rules.ts';
import { onDisk, type Scan, scan, wide } from './scan.ts';
import { openStore, type Store, storeSize } from './store.ts';
import type { Folder, Limits, UndoOptions } from './types.ts';

export type Seen = { readonly store: Store; readonly scan: Scan };

export type Watch = {
  /** Scans the workspace and stores what it finds. */
  readonly look: () => Promise<Seen | undefined>;
  /** Or why there is none. */
  readonly store: () => Promise<Store | string>;
  readonly off: () => string | undefined;
  /** A scan at work ends at its next pause. */
  readonly stop: () => void;
  readonly close: () => Promise<void>;
};

/** Milliseconds that a scan works before it lets others work. */
const SLICE = 10;

export const createWatch = (options: UndoOptions, limits: Limits): Watch => {
  const { root, store: folder, warn } = options;
  const exclude = new Set([folder, ...(options.exclude ?? [])].map(wide));
  const shelf = createShelf(options, limits);
  const note = createNote(options);
  let known: Folder | undefined;
  let why: string | undefined;

  const fail = (error: unknown): string => {
    if (why !== undefined) return why;
    why = `Undo is off for ${root}: ${wordsOf(error)}.`;
    warn(why);
    return why;
  };
  const look = async (): Promise<Seen> => {
    const { store, cached } = await shelf.open();
    const pace = createPace(store.relieve);
    const rest = () => {
      if (why !== undefined) throw new Error(why);
      return pace();
    };
    const found = await scan({ root: wide(root), exclude, limits, add: store.add, rest }, known ?? cached);
    // The first time in any case: it is this session's hold on what it builds upon.
    if (found.tree.id !== known?.id) await store.commit(found.tree.id);
    if (!known && !cached) shelf.save(found.tree, store);
    known = found.tree;
    note(found);
    return { store, scan: found };
  };
  return {
    look: async () => {
      if (why !== undefined) return undefined;
      return look().catch((error: unknown) => {
        fail(error);
        return undefined;
      });
    },
    store: async () => why ?? shelf.open().then(({ store }) => store, fail),
    off: () => why,
    stop: () => {
      why ??= 'Undo is closed.';
    },
    close: () => shelf.close(known),
  };
};

type Opened = { readonly store: Store; readonly cached: Folder | undefined };

/** The store and the cache beside it, opened when they are needed first. */
const createShelf = ({ root, store: folder, path, clock }: UndoOptions, limits: Limits) => {
  let opening: Promise<Opened> | undefined;
  let saved: string | undefined;

  const open = async (): Promise<Opened> => {
    if (storeSize(folder) > 2 * limits.store) throw new Error(`its store is full. Remove ${folder} to begin anew`);
    const store = await openStore({ folder, path, time: clock?.time ?? Date.now, limit: limits.store });
    const cache = loadCache(folder, root);
    const cached = cache && (await store.holds(cache.commit, cache.tree.id)) ? cache.tree : undefined;
    saved = cached?.id;
    return { store, cached };
  };
  const save = (tree: Folder, store: Store) => {
    const commit = store.head();
    if (commit === undefined || saved === tree.id) return;
    saveCache(folder, { root, commit, tree });
    saved = tree.id;
  };
  return {
    open: (): Promise<Opened> => {
      opening ??= open();
      return opening;
    },
    save,
    close: async (last: Folder | undefined): Promise<void> => {
      const opened = await opening?.catch(() => undefined);
      if (opened && last) save(last, opened.store);
      await opened?.store.close();
    },
  };
};

/** Says once what is there and can't be undone. */
const createNote = ({ root, warn }: UndoOptions) => {
  const shown = (place: string): string => onDisk(place.slice(wide(root).length + 1)).toString('utf8');
  let noted = false;
  return ({ uncovered }: Scan): void => {
    if (uncovered.length === 0 || noted) return;
    noted = true;
    const some = uncovered.slice(0, 3).map(({ path, reason }) => `${shown(path)} (${whyUncovered(UNCOVERED[reason])})`);
    const more = uncovered.length > 3 ? ` and ${uncovered.length - 3} more` : '';
    warn(`Undo does not cover ${some.join(', ')}${more}.`);
  };
};

const createPace = (relieve: () => Promise<void> | undefined) => {
  let until = performance.now() + SLICE;
  const pause = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    until = performance.now() + SLICE;
  };
  return () => relieve() ?? (performance.now() > until ? pause() : undefined);
};

export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
