/** The files of this machine, as the file tools see them. Failures are thrown; `explain` has the words for them. */
import { readdir } from 'node:fs/promises';
import { nameOf, visible } from './names.ts';
import { readAt, readWhole, withFile } from './open.ts';
import { type Part, type PartQuery, readPart } from './part.ts';
import { findPlace, type Place, type Purpose } from './place.ts';
import { createMemory, replaceFile } from './replace.ts';

export { imageSize } from './image.ts';
export { kindOf, SAMPLE } from './kind.ts';
export { nameOf, visible } from './names.ts';
export type { Part, PartQuery } from './part.ts';
export type { Place, Purpose } from './place.ts';
export { explain, refusal } from './problems.ts';
export { type Coding, decode, type Encoding, encode, PLAIN } from './text.ts';

export type Files = {
  /** The real place of a path; relative ones start at `root`, an absolute folder. */
  readonly find: (path: string, root: string, purpose: Purpose) => Promise<Place>;
  /** The first `length` bytes, and the size. */
  readonly peek: (place: Place, length: number) => Promise<{ readonly sample: Buffer; readonly size: number }>;
  /** All bytes. A file of more than `limit` is refused with its size and the advice in `instead`. */
  readonly read: (place: Place, limit: number, instead: string) => Promise<Buffer>;
  /** Opens the file for another program to read. */
  readonly withDescriptor: <T>(place: Place, use: (descriptor: number) => Promise<T>) => Promise<T>;
  readonly readPart: (place: Place, query: PartQuery) => Promise<Part>;
  /** A folder's entries, sorted, as they can be named: folders end in `/`, links in `@`, pipes and devices in `|`. */
  readonly list: (place: Place) => Promise<readonly string[]>;
  /**
   * Writes all or nothing: after a crash it is the old file or the new one. Mode, owner, links and (on Linux, with GNU
   * tar and cp) extended attributes stay. A file with several names (hard links) is written in place. Missing parent
   * folders are made.
   */
  readonly replace: (place: Place, bytes: Buffer) => Promise<void>;
};

/** `home` is what `~` stands for. */
export const createFiles = ({ home }: { readonly home: string }): Files => {
  const memory = createMemory();
  return {
    find: (path, root, purpose) => findPlace({ path, root, home, purpose }),
    peek: (place, length) => withFile(place, async (file, size) => ({ sample: await readAt(file, 0, length), size })),
    read: readWhole,
    withDescriptor: (place, use) => withFile(place, (file) => use(file.fd)),
    readPart,
    list: listFolder,
    replace: (place, bytes) => replaceFile(place, bytes, memory),
  };
};

const listFolder = async ({ disk }: Place): Promise<readonly string[]> => {
  const entries = await readdir(disk, { encoding: 'buffer', withFileTypes: true });
  return entries
    .map((entry) => {
      const mark = entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : entry.isFile() ? '' : '|';
      return visible(nameOf(entry.name)) + mark;
    })
    .sort();
};
