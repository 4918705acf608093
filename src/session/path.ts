import type { Logged } from '../core/types.ts';

/**
 * For each entry the index of its parent, -1 at a root. A parent stands before its children; one that is missing (a
 * damaged line) is taken to be the entry before.
 */
export function parentsOf(entries: readonly Logged[]): readonly number[] {
  const places = new Map<string, number>();
  return entries.map(({ id, parent }, index) => {
    const place = parent === null ? -1 : (places.get(parent) ?? index - 1);
    places.set(id, index);
    return place;
  });
}

/** The entries from the root to `leaf`, which is the last entry unless another is named. */
export function pathTo(entries: readonly Logged[], leaf = entries.at(-1)?.id): Logged[] {
  const parents = parentsOf(entries);
  const path: Logged[] = [];
  for (let at = entries.findLastIndex(({ id }) => id === leaf); at >= 0; at = parents[at] ?? -1) {
    const entry = entries[at];
    if (entry) path.push(entry);
  }
  return path.reverse();
}
