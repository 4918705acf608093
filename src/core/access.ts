/** When two calls of one reply may not overlap. */
import type { Access } from './types.ts';

const declared = ({ reads, writes }: Access): readonly string[] => [...(reads ?? []), ...(writes ?? [])];

/** A path stands for everything below it. */
const covers = (outer: string, inner: string): boolean =>
  outer === inner || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);

const touch = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((a) => others.some((b) => covers(a, b) || covers(b, a)));

/**
 * Two accesses conflict when one writes what the other touches. `anything` conflicts with declared paths but not with
 * another `anything`: shell calls of one reply run together.
 */
export function conflicts(a: Access, b: Access): boolean {
  if (a.anything && b.anything) return false;
  if (a.anything) return declared(b).length > 0;
  if (b.anything) return declared(a).length > 0;
  return touch(a.writes ?? [], declared(b)) || touch(b.writes ?? [], declared(a));
}
