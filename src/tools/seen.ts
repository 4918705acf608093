/** What the session knows of the files it read and wrote, so that it never overwrites what it hasn't seen. */
import { createHash } from 'node:crypto';

/** `before` is what was seen, where it was small enough to keep. */
export type Sight =
  | { readonly state: 'unknown' | 'whole' }
  | { readonly state: 'partial'; readonly through: number; readonly lines: number }
  | { readonly state: 'changed'; readonly before: Buffer | undefined };

/** The lines that a read showed, of how many; `bytes` are the whole file's, where it was read whole. */
export type Shown = { readonly from: number; readonly to: number; readonly of: number; readonly bytes?: Buffer };

/** One per session. Paths are real. */
export type Seen = {
  readonly read: (path: string, shown: Shown) => void;
  /** The session wrote these bytes. `whole`: it knows them all, because it sent them all. */
  readonly wrote: (path: string, bytes: Buffer, whole: boolean) => void;
  /** The change was shown, so from now on these bytes count as seen. */
  readonly caughtUp: (path: string, bytes: Buffer) => void;
  readonly check: (path: string, bytes: Buffer) => Sight;
};

type Known = {
  readonly hash: string | undefined;
  readonly kept: Buffer | undefined;
  /** Lines 1 to `through` were shown without a gap, of `lines`. Both 0: nothing was read, only edited. */
  readonly through: number;
  readonly lines: number;
};

const KEEP_BYTES = 1 << 18;
const KEEP_FILES = 64;

export const createSeen = (): Seen => {
  const known = new Map<string, Known>();

  const put = (path: string, bytes: Buffer | undefined, through: number, lines: number): void => {
    known.delete(path);
    const kept = bytes && bytes.length <= KEEP_BYTES ? bytes : undefined;
    known.set(path, { hash: bytes && hashOf(bytes), kept, through, lines });
    const old = [...known].at(-KEEP_FILES - 1);
    if (old?.[1].kept) known.set(old[0], { ...old[1], kept: undefined });
  };

  return {
    read: (path, { from, to, of, bytes }) => {
      const before = known.get(path);
      const same = before !== undefined && before.hash === (bytes && hashOf(bytes));
      const through = same && before.lines > 0 ? before.through : 0;
      put(path, bytes, from <= through + 1 ? Math.max(through, to) : through, of);
    },
    wrote: (path, bytes, whole) => {
      const { through, lines } = known.get(path) ?? { through: 0, lines: 0 };
      put(path, bytes, whole ? 0 : through, whole ? 0 : lines);
    },
    caughtUp: (path, bytes) => {
      const { through, lines } = known.get(path) ?? { through: 0, lines: 0 };
      put(path, bytes, through, lines);
    },
    check: (path, bytes) => {
      const before = known.get(path);
      if (before === undefined) return { state: 'unknown' };
      if (before.hash !== undefined && before.hash !== hashOf(bytes)) return { state: 'changed', before: before.kept };
      if (before.through < before.lines) return { state: 'partial', through: before.through, lines: before.lines };
      return { state: 'whole' };
    },
  };
};

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64');
