/** Git's objects as bytes, after Git's own formats "tree object" and "pack format" (gitformat-pack). */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Item } from './types.ts';

export type ObjectType = 'commit' | 'tree' | 'blob';

/** An object as it stands in a pack: its plain size, and its bytes deflated. */
export type Packed = { readonly type: ObjectType; readonly size: number; readonly deflated: Buffer };

export const idOf = (type: ObjectType, body: Uint8Array): string =>
  createHash('sha1').update(`${type} ${body.length}\0`).update(body).digest('hex');

/** Level 1: four times as fast as the default for a tenth more bytes, and a repack compresses them again. */
export const pack = (type: ObjectType, body: Uint8Array): Packed => ({
  type,
  size: body.length,
  deflated: deflateSync(body, { level: 1 }),
});

const NUMBERS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3 };

/** A whole pack, without deltas. */
export const encodePack = (objects: readonly Packed[]): readonly Buffer[] => {
  const header = Buffer.alloc(12);
  header.write('PACK', 'latin1');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  const parts = [header, ...objects.flatMap((each) => [encodeHead(each), each.deflated])];
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return [...parts, hash.digest()];
};

/** The type and four bits of the size, then seven bits of it in each byte; the highest bit says that more come. */
const encodeHead = ({ type, size }: Packed): Buffer => {
  const bytes = [(NUMBERS[type] << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 128, rest & 127);
  }
  return Buffer.from(bytes);
};

/**
 * Names are wide strings (one character a byte). Git reads only the type from a mode, so all permission bits can stand
 * there; folders sort as if their names ended in a slash.
 */
export const encodeTree = (entries: ReadonlyMap<string, Item>): Buffer => {
  const sorted = [...entries]
    .map(([name, item]) => ({ name, item, key: isFolder(item) ? `${name}/` : name }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  return Buffer.concat(
    sorted.flatMap(({ name, item: { mode, id } }) => [
      Buffer.from(`${mode.toString(8)} ${name}\0`, 'latin1'),
      Buffer.from(id, 'hex'),
    ]),
  );
};

export const decodeTree = (body: Buffer): ReadonlyMap<string, Item> => {
  const entries = new Map<string, Item>();
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(32, at);
    const end = body.indexOf(0, space);
    const id = body.toString('hex', end + 1, end + 21);
    entries.set(body.toString('latin1', space + 1, end), {
      mode: Number.parseInt(body.toString('latin1', at, space), 8),
      id,
    });
    at = end + 21;
  }
  return entries;
};

export const encodeCommit = (tree: string, parent: string | undefined, seconds: number): Buffer => {
  const who = `rein <rein@localhost> ${seconds} +0000`;
  const parents = parent === undefined ? '' : `parent ${parent}\n`;
  return Buffer.from(`tree ${tree}\n${parents}author ${who}\ncommitter ${who}\n\nsnapshot\n`);
};

const kindOf = ({ mode }: Item): number => mode & 0o170000;
export const isFolder = (item: Item | null): boolean => item !== null && kindOf(item) === 0o040000;
export const isLink = (item: Item | null): boolean => item !== null && kindOf(item) === 0o120000;
export const isUncovered = (item: Item | null): boolean => item !== null && kindOf(item) === 0o160000;
