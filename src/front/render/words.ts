type Style = (text: string) => string;

/** Longer lines are not compared: the table grows with the product. */
const MAX_WORDS = 200;

/** Two versions of a line with the words marked that only one of them has. Lines with little in common stay as they are. */
export const markWords = (before: string, after: string, removed: Style, added: Style) => {
  const [old, fresh] = [wordsOf(before), wordsOf(after)];
  if (old.length > MAX_WORDS || fresh.length > MAX_WORDS) return { before, after };
  const common = commonWords(old, fresh);
  const kept = [...common.old].reduce((sum, index) => sum + (old[index]?.trim().length ?? 0), 0);
  const size = Math.max(before.replace(/\s/g, '').length, after.replace(/\s/g, '').length);
  if (kept * 3 < size) return { before, after };
  return { before: marked(old, common.old, removed), after: marked(fresh, common.fresh, added) };
};

const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}_]+|\s+|./gu) ?? [];

/** Neighbours that differ are one mark. */
const marked = (words: readonly string[], common: ReadonlySet<number>, style: Style): string => {
  let out = '';
  let different = '';
  for (const [index, word] of words.entries()) {
    if (!common.has(index)) different += word;
    else {
      out += style(different) + word;
      different = '';
    }
  }
  return out + style(different);
};

/** The longest common subsequence, as positions in both. */
const commonWords = (old: readonly string[], fresh: readonly string[]) => {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row) row[j] = old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const common = { old: new Set<number>(), fresh: new Set<number>() };
  for (let i = 0, j = 0; i < old.length && j < fresh.length; ) {
    if (old[i] === fresh[j]) {
      common.old.add(i++);
      common.fresh.add(j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return common;
};
