/** Writing a file so that a crash leaves the old content or the new, and everything else about the file stays. */
import { createHash, randomBytes } from 'node:crypto';
import { accessSync, constants, fchmodSync, fchownSync, fstatSync, lstatSync, type Stats } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { posix } from 'node:path';
import { isAlive } from '../processes/stat.ts';
import { type Attributes, createAttributes } from './attributes.ts';
import { mustBeFile } from './kind.ts';
import { nameOf, onDisk } from './names.ts';
import { withFolder } from './open.ts';
import type { Place } from './place.ts';
import { codeOf, refusal } from './problems.ts';

/** What one set of file tools remembers: folders that were freed of what a killed process left, and plain files. */
export type Memory = { readonly swept: Set<string>; readonly attributes: Attributes };

export const createMemory = (): Memory => ({ swept: new Set(), attributes: createAttributes() });

export const replaceFile = async (place: Place, bytes: Buffer, { swept, attributes }: Memory): Promise<void> => {
  const { stat, path } = place;
  if (stat) mustBeFile(stat, path);
  const wide = place.disk.toString('latin1');
  const folder = onDisk(posix.dirname(wide));
  if (!stat) await mkdir(folder, { recursive: true });
  await withFolder(folder, nameOf(folder), async (base) => {
    if (!swept.has(nameOf(folder))) await sweep(base);
    swept.add(nameOf(folder));
    const target = under(base, posix.basename(wide));
    if (stat) accessSync(target, constants.W_OK);
    if (stat && stat.nlink > 1) return overwrite(target, bytes, place);
    try {
      await swap(base, target, bytes, place, attributes);
    } catch (error) {
      // The folder is closed to us, the file is a mount point, or its owner can't be kept: the file itself is still open.
      if (!stat || !['EACCES', 'EPERM', 'EBUSY'].includes(codeOf(error) ?? '')) throw error;
      await overwrite(target, bytes, place);
    }
  });
};

const under = (base: Buffer, name: string): Buffer => onDisk(posix.join(base.toString('latin1'), name));

const swap = async (
  base: Buffer,
  target: Buffer,
  bytes: Buffer,
  { stat, path }: Place,
  attributes: Attributes,
): Promise<void> => {
  const temp = under(base, `${tempPrefix()}${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
  const file = await open(temp, 'wx', stat ? 0o600 : 0o666);
  try {
    let isPlain = true;
    try {
      if (stat) isPlain = await attributes.copy(target, stat, temp);
      await file.writeFile(bytes);
      if (stat) keepOwnerAndMode(file, stat);
      await file.sync();
    } finally {
      await file.close();
    }
    mustBeSame(stat, lookAt(target), path);
    await rename(temp, target);
    const now = isPlain ? lookAt(target) : undefined;
    if (now) attributes.remember(now);
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    throw error;
  }
};

const lookAt = (path: Buffer): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

const keepOwnerAndMode = ({ fd }: FileHandle, stat: Stats): void => {
  const now = fstatSync(fd);
  if (now.uid !== stat.uid || now.gid !== stat.gid) fchownSync(fd, stat.uid, stat.gid);
  // After writing and chown, both of which clear the set-user-id bit.
  fchmodSync(fd, stat.mode & 0o7777);
};

const mustBeSame = (before: Stats | undefined, now: Stats | undefined, path: string): void => {
  const facts = (stat?: Stats): string => (stat ? [stat.dev, stat.ino, stat.size, stat.mtimeMs].join() : 'nothing');
  if (facts(before) === facts(now)) return;
  throw refusal(`${path} was changed by somebody else in this moment. It was left as they wrote it. Read it again.`);
};

/**
 * In place, for files with several names. A crash in the middle can tear it; a full disk cannot: what is longer than before
 * is written first, and taken back when it doesn't fit.
 */
const overwrite = async (target: Buffer, bytes: Buffer, { stat, path }: Place): Promise<void> => {
  const file = await open(target, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const now = await file.stat();
    mustBeSame(stat, now, path);
    try {
      if (bytes.length > now.size) await writeAt(file, bytes.subarray(now.size), now.size);
      await file.sync();
    } catch (error) {
      await file.truncate(now.size);
      throw error;
    }
    await writeAt(file, bytes.subarray(0, now.size), 0);
    await file.truncate(bytes.length);
    await file.sync();
    if ((now.mode & 0o6000) !== 0) await file.chmod(now.mode & 0o7777);
  } finally {
    await file.close();
  }
};

const writeAt = async (file: FileHandle, bytes: Buffer, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
};

// A process id means something on its own host only.
const tempPrefix = (): string => `.rein-${createHash('sha1').update(hostname()).digest('hex').slice(0, 8)}-`;

/** Removes the temporary files of processes that were killed in the middle of a write. */
const sweep = async (base: Buffer): Promise<void> => {
  const prefix = tempPrefix();
  for (const entry of await readdir(base, { encoding: 'latin1' })) {
    if (!entry.startsWith(prefix) || !entry.endsWith('.tmp')) continue;
    if (!isAlive(Number.parseInt(entry.slice(prefix.length), 10)))
      await unlink(under(base, entry)).catch(() => undefined);
  }
};
