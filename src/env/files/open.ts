/**
 * Reading, in bounded memory, what is certainly the regular file that was found. What the system knows of an open file it
 * answers at once, so that is asked without a thread.
 */
import { constants, fstatSync, readlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { mustBeFile } from './kind.ts';
import type { Place } from './place.ts';
import { codeOf, refusal } from './problems.ts';

const { O_DIRECTORY, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Opens without ever waiting, hands the file to `use`, closes it. */
export const withFile = async <T>(place: Place, use: (file: FileHandle, size: number) => Promise<T>): Promise<T> => {
  // Opening a device can do something by itself, so it is looked at before and, against a swap, after.
  if (place.stat) mustBeFile(place.stat, place.path);
  const file = await open(place.disk, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  try {
    const stat = fstatSync(file.fd);
    mustBeFile(stat, place.path);
    anchor(file, place.disk, place.path);
    return await use(file, stat.size);
  } finally {
    await file.close();
  }
};

/** Hands `use` a name for the folder that stays with this very folder. */
export const withFolder = async <T>(disk: Buffer, path: string, use: (base: Buffer) => Promise<T>): Promise<T> => {
  const folder = await open(disk, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    return await use(anchor(folder, disk, path));
  } finally {
    await folder.close();
  }
};

/**
 * Linux names an open file by its descriptor and tells where it really is. So a folder that was swapped for a link after
 * the path was checked is found out, and cannot be swapped later. Elsewhere the path has to do.
 */
const anchor = (file: FileHandle, disk: Buffer, path: string): Buffer => {
  const self = Buffer.from(`/proc/self/fd/${file.fd}`);
  const real = targetOf(self);
  if (real === undefined) return disk;
  if (real.equals(disk)) return self;
  throw refusal(`${path} was moved or replaced by a link in this moment. Nothing was done. Look again.`);
};

const targetOf = (link: Buffer): Buffer | undefined => {
  try {
    return readlinkSync(link, { encoding: 'buffer' });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** The whole file, or a refusal with its size where it has more than `limit` bytes. */
export const readWhole = (place: Place, limit: number, instead: string): Promise<Buffer> =>
  withFile(place, async (file, size) => {
    const tooLarge = (bytes: number): Error =>
      refusal(`${place.path} is too large for that: ${bytes.toLocaleString('en')} bytes. ${instead}`);
    if (size > limit) throw tooLarge(size);
    // Files under /proc say 0 and have more.
    let bytes = Buffer.allocUnsafe(Math.max(size + 1, 4096));
    for (let length = 0; ; ) {
      if (length > limit) throw tooLarge(length);
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      length += bytesRead;
      // One byte more was asked for than the file has.
      if (bytesRead === 0 || (size > 0 && length === size)) return bytes.subarray(0, length);
      if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)]);
    }
  });

/** Up to `length` bytes from `position`. */
export const readAt = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
};
