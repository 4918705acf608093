/** From a path as the model wrote it to the real file. */
import { lstatSync, type Stats } from 'node:fs';
import { readdir, readlink, realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { isAlike, isTwin, mayHaveTwins, nameOf, onDisk, visible, wide } from './names.ts';
import { codeOf, refusal } from './problems.ts';

/**
 * A real place: every link is resolved, also links that lead to nothing yet. `path` is absolute, for access rules and
 * text; `disk` holds the same as the bytes of the file system. No `stat`: nothing is there.
 */
export type Place = { readonly path: string; readonly disk: Buffer; readonly stat: Stats | undefined };

/**
 * `write` takes another spelling of an existing name (composed, decomposed) for the same file and refuses names that only
 * look the same; `read` takes a single look-alike, too.
 */
export type Purpose = 'read' | 'write';

export type Query = { readonly path: string; readonly root: string; readonly home: string; readonly purpose: Purpose };

/** Throws a refusal, or the system's own error. */
export const findPlace = async ({ path, root, home, purpose }: Query): Promise<Place> => {
  if (path === '') throw refusal('the path is empty. Name a file.');
  if (path.includes('\0')) throw refusal('the path holds a NUL character.');
  const base = wide(root);
  const asked = wide(path === '~' || path.startsWith('~/') ? home + path.slice(1) : path);
  const absolute = asked.startsWith('/') ? asked : `${base}/${asked}`;
  const real = await resolve(absolute, { purpose, hops: 0 });
  const disk = onDisk(real);
  const stat = lstatSync(disk, { throwIfNoEntry: false });
  if (stat === undefined) refuseVariables(path);
  return { path: nameOf(disk), disk, stat };
};

/** A path of ours that must not be read tolerantly. */
const refuseVariables = (path: string): void => {
  const name = path.split('/').find((part) => /^\$\{?[A-Za-z_]\w*\}?$/.test(part));
  if (name !== undefined)
    throw refusal(`${name} is not expanded in file paths. Write the path out; ~ is the home folder.`);
  if (/^~[^/]+\//.test(path)) throw refusal(`${path.split('/')[0]} is not expanded in file paths. Write the path out.`);
};

type Walk = { readonly purpose: Purpose; readonly hops: number };

const resolve = async (path: string, walk: Walk): Promise<string> => {
  try {
    return (await realpath(onDisk(path), { encoding: 'buffer' })).toString('latin1');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  const folder = await resolve(posix.dirname(path), walk);
  const here = posix.join(folder, posix.basename(path));
  const link = await readlink(onDisk(here), { encoding: 'buffer' }).catch(absent);
  if (link === undefined) return (await lookAround(folder, posix.basename(path), walk)) ?? here;
  if (walk.hops > 40) throw refusal(`the links at ${nameOf(onDisk(here))} go round in a circle.`);
  return resolve(posix.resolve(folder, link.toString('latin1')), { ...walk, hops: walk.hops + 1 });
};

/** The entry that was meant by a name which isn't there. */
const lookAround = async (folder: string, base: string, walk: Walk): Promise<string | undefined> => {
  const asked = nameOf(onDisk(base));
  if (!mayHaveTwins(asked)) return undefined;
  const entries = await readdir(onDisk(folder), { encoding: 'buffer' }).catch(absent);
  const named = (entries ?? []).map((disk) => ({ disk, name: nameOf(disk) }));
  const twins = named.filter(({ name }) => isTwin(name, asked));
  const alike = twins.length > 0 ? twins : named.filter(({ name }) => isAlike(name, asked));
  const [only] = alike;
  if (only === undefined) return undefined;
  const list = alike.map(({ name }) => JSON.stringify(visible(name)).replaceAll('\\\\', '\\')).join(', ');
  if (alike.length > 1) throw refusal(`no ${asked} here, but names that look like it: ${list}. Say which, as shown.`);
  if (twins.length === 0 && walk.purpose === 'write') {
    throw refusal(`a file with a name that looks the same is there: ${list}. Use that name, or one that differs more.`);
  }
  return resolve(posix.join(folder, only.disk.toString('latin1')), walk);
};

const absent = (error: unknown): undefined => {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'EINVAL' || code === 'ENOTDIR') return undefined;
  throw error;
};
