/** What the session knows of the files it read and wrote, so that it never overwrites what it hasn't seen. */
import { hash } from 'node:crypto';

/** `before` is what was seen, where it was small enough to keep. */
export type Sight =
  | { readonly state: 'unknown' | 'whole' }
  /** `hidden`: values in it were not shown, however much was read. */
  | { readonly state: 'partial'; readonly through: number; readonly lines: number; readonly hidden: boolean }
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
  /** Values in it were hidden from the model, so the reads of before did not show it whole. */
  readonly hid: (path: string) => void;
  readonly check: (path: string, bytes: Buffer) => Sight;
};

type Known = {
  /** The bytes, or the hash of what is too large or too old to keep; undefined where only a stretch was ever read. */
  readonly content: Buffer | string | undefined;
  /** Lines 1 to `through` were shown without a gap, of `lines`. Both 0: nothing was read, only edited. */
  readonly through: number;
  readonly lines: number;
  readonly hidden?: true;
};

const KEEP_BYTES = 1 << 20;
const KEEP_FILES = 32;

export const createSeen = (): Seen => {
  const known = new Map<string, Known>();

  const put = (path: string, bytes: Buffer | undefined, through: number, lines: number): void => {
    known.delete(path);
    known.set(path, { content: bytes && bytes.length > KEEP_BYTES ? hashOf(bytes) : bytes, through, lines });
    const [aged, oldest] = [...known].at(-KEEP_FILES - 1) ?? [];
    if (aged && Buffer.isBuffer(oldest?.content)) known.set(aged, { ...oldest, content: hashOf(oldest.content) });
  };

  return {
    read: (path, { from, to, of, bytes }) => {
      const before = known.get(path);
      const same = before !== undefined && before.lines > 0 && isSame(before.content, bytes);
      const through = same ? before.through : 0;
      put(path, bytes, from <= through + 1 ? Math.max(through, to) : through, of);
    },
    wrote: (path, bytes, whole) => {
      const { through, lines } = known.get(path) ?? { through: 0, lines: 0 };
      put(path, bytes, whole ? 0 : through, whole ? 0 : lines);
    },
    caughtUp: (path, bytes) => {
      const { through, lines, hidden } = known.get(path) ?? { through: 0, lines: 0, hidden: undefined };
      put(path, bytes, through, lines);
      const now = known.get(path);
      if (hidden && now) known.set(path, { ...now, hidden });
    },
    hid: (path) => {
      const before = known.get(path);
      if (before) known.set(path, { ...before, through: 0, lines: Math.max(1, before.lines), hidden: true });
    },
    check: (path, bytes) => {
      const before = known.get(path);
      if (before === undefined) return { state: 'unknown' };
      const { content, through, lines, hidden = false } = before;
      if (content !== undefined && !isSame(content, bytes)) {
        return { state: 'changed', before: Buffer.isBuffer(content) ? content : undefined };
      }
      return through < lines ? { state: 'partial', through, lines, hidden } : { state: 'whole' };
    },
  };
};

const isSame = (content: Known['content'], bytes: Buffer | undefined): boolean => {
  if (content === undefined || bytes === undefined) return content === bytes;
  return Buffer.isBuffer(content) ? content.equals(bytes) : content === hashOf(bytes);
};

const hashOf = (bytes: Buffer): string => hash('sha256', bytes, 'base64');
