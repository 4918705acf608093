import type { Clock } from '../core/types.ts';

/** What a tree says of a name: git's file type with all permission bits, and the object. */
export type Item = { readonly mode: number; readonly id: string };

/** What the system said of a file when it was read. Times in milliseconds since the epoch. */
export type Facts = { readonly size: number; readonly mtime: number; readonly ctime: number; readonly inode: number };

/** A file or link as it was last read. `racy`: it was so young that its next change may look the same. */
export type Leaf = Item & { readonly facts?: Facts; readonly racy?: true };
/** Names are wide strings: one character a byte. */
export type Folder = Item & { readonly entries: ReadonlyMap<string, Leaf | Folder> };

/** Bytes of one file, files and folders, bytes of all files, bytes of the store. */
export type Limits = {
  readonly file: number;
  readonly entries: number;
  readonly bytes: number;
  readonly store: number;
};

/** One path's difference. `path` is wide and relative to the root. A folder's `id` is '': its entries speak for themselves. */
export type Difference = { readonly path: string; readonly before: Item | null; readonly after: Item | null };

/** The same for people. `uncovered` says why there is nothing stored of it. */
export type Change = {
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted' | 'mode';
  readonly what: 'file' | 'link' | 'folder';
  readonly uncovered?: string;
};

/** What an agent did at a time. `after` is null where nobody saw the end of it. */
export type Step = { readonly before: string; readonly after: string | null };

export type Plan = {
  readonly steps: readonly Step[];
  /** The workspace as it is: everything that the plan would change is stored under this tree. */
  readonly present: string;
  /** What would become as it was. */
  readonly restore: readonly Change[];
  /**
   * What the agent changed and somebody else changed too, or what would be lost with it. Asked about, never overwritten
   * silently.
   */
  readonly conflicts: readonly Change[];
  /** What the agent changed and can't be brought back, since it isn't stored. Left as it is. */
  readonly blocked: readonly Change[];
};

export type Applied = {
  /** The trees before and after: undoing this step is redo. */
  readonly before: string;
  readonly after: string;
  readonly restored: number;
  /** Conflicts that were left as they are. */
  readonly kept: readonly Change[];
  /** What could not be brought back or taken away, since it isn't stored. */
  readonly blocked: readonly Change[];
  readonly failed: readonly { readonly path: string; readonly why: string }[];
};

/** Functions that return a string complain in words for a person; nothing was changed then. */
export type Undo = {
  readonly root: string;
  /** The tree of the workspace as it is now; null where undo is off. Costs a look at every file; reads what changed. */
  readonly snapshot: () => Promise<string | null>;
  readonly diff: (from: string, to: string) => Promise<readonly Change[] | string>;
  /** A unified diff in git's form, of one path or of all. */
  readonly patch: (from: string, to: string, path?: string) => Promise<string>;
  /** What it takes to undo these steps, in the order they were made. Changes nothing in the workspace. */
  readonly plan: (steps: readonly Step[]) => Promise<Plan | string>;
  /**
   * Carries a plan out. Where the workspace has changed since, in a way that makes new conflicts, nothing is done and the
   * new plan comes back. Killed in the middle, it can be planned and applied again.
   */
  readonly apply: (
    plan: Plan,
    options: { readonly conflicts: 'keep' | 'overwrite' },
  ) => Promise<Applied | Plan | string>;
  /** Why undo is off. */
  readonly off: () => string | undefined;
  readonly close: () => Promise<void>;
};

export type UndoOptions = {
  readonly root: string;
  /** A folder of our own for this workspace, outside it or excluded. */
  readonly store: string;
  /** Where git is looked for, as in PATH. */
  readonly path: string;
  /** Said to the person, each thing once. */
  readonly warn: (text: string) => void;
  readonly clock?: Pick<Clock, 'time'>;
  readonly limits?: Partial<Limits>;
  /** Absolute paths that are no part of the workspace. */
  readonly exclude?: readonly string[];
};
