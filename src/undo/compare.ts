/** What differs between two trees, and how to say it. */
import { nameOf } from '../env/files/index.ts';
import { isFolder, isLink, isUncovered } from './objects.ts';
import { whyUncovered } from './rules.ts';
import type { Change, Difference, Item } from './types.ts';

export type ReadTree = (id: string) => Promise<ReadonlyMap<string, Item>>;

const NOTHING: ReadonlyMap<string, Item> = new Map();

/** Folders stand before what is in them. */
export const compare = async (read: ReadTree, from: string, to: string): Promise<readonly Difference[]> => {
  const differences: Difference[] = [];
  const visit = async (base: string, a: string | undefined, b: string | undefined): Promise<void> => {
    if (a === b) return;
    const [olds, news] = [a ? await read(a) : NOTHING, b ? await read(b) : NOTHING];
    for (const name of new Set([...olds.keys(), ...news.keys()])) {
      const [old, now] = [olds.get(name), news.get(name)];
      const [before, after] = [faceOf(old), faceOf(now)];
      if (before?.mode !== after?.mode || before?.id !== after?.id)
        differences.push({ path: base + name, before, after });
      await visit(`${base}${name}/`, folderOf(old), folderOf(now));
    }
  };
  await visit('', from, to);
  return differences;
};

/** A folder without what is in it. */
const faceOf = (item: Item | undefined): Item | null =>
  item === undefined ? null : isFolder(item) ? { mode: item.mode, id: '' } : item;

const folderOf = (item: Item | undefined): string | undefined => (item && isFolder(item) ? item.id : undefined);

export const describe = ({ path, before, after }: Difference): Change => {
  const item = after ?? before;
  const uncovered = [before, after].find(isUncovered);
  return {
    path: nameOf(Buffer.from(path, 'latin1')),
    kind: !before ? 'added' : !after ? 'deleted' : isOnlyMode(before, after) ? 'mode' : 'modified',
    what: isFolder(item) ? 'folder' : isLink(item) ? 'link' : 'file',
    ...(uncovered ? { uncovered: whyUncovered(uncovered) } : {}),
  };
};

const isOnlyMode = (a: Item, b: Item): boolean => a.id === b.id && (a.mode ^ b.mode) < 0o10000;
