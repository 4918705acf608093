/** A long list of paths as an outline that fits on a page. */

/** As deep as fits into `limit` lines; a folder below that is one line with the number of its files. */
export const outline = (paths: readonly string[], limit: number): readonly string[] => {
  let counts = countAt(paths, 1, Number.POSITIVE_INFINITY) ?? new Map<string, number>();
  for (let depth = 2; [...counts.keys()].some((key) => key.endsWith('/')); depth += 1) {
    const deeper = countAt(paths, depth, limit);
    if (!deeper) break;
    counts = deeper;
  }
  return [...counts].map(([key, count]) =>
    key.endsWith('/') ? `${key} (${count} file${count === 1 ? '' : 's'})` : key,
  );
};

/** Paths cut below a depth, with how many each stands for; undefined where these are more than `limit`. */
const countAt = (paths: readonly string[], depth: number, limit: number): Map<string, number> | undefined => {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const key = path.slice(0, endOfDepth(path, depth));
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (counts.size > limit) return undefined;
  }
  return counts;
};

/** Behind the `depth`th slash, or the path's end. */
const endOfDepth = (path: string, depth: number): number => {
  let at = 0;
  for (let level = 0; level < depth; level += 1) {
    const slash = path.indexOf('/', at);
    if (slash < 0) return path.length;
    at = slash + 1;
  }
  return at;
};
