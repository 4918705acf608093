/** Why a text was not found: where the closest one is, and what differs. */

/** Characters that look alike or stand for each other, each class with its name; folding maps them to one. */
const CLASSES: readonly (readonly [string, RegExp, string])[] = [
  ['HTML entities', /&(lt|gt|amp|quot|#39|apos);/g, ''],
  ['quotes', /[\u2018\u2019\u201a\u201b]/g, "'"],
  ['quotes', /[\u201c\u201d\u201e\u201f]/g, '"'],
  ['dashes', /[\u2010-\u2015\u2212]/g, '-'],
  ['invisible characters', /[\u200b-\u200f\u2060\ufeff]/g, ''],
  ['special blanks', /[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' '],
  ['line ends', /\r/g, ''],
  ['tabs and spaces', /[ \t]+/g, ' '],
  ['blanks at line ends', /^ | $/g, ''],
  ['capital letters', /[A-Z]+/g, ''],
];

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'", apos: "'" };

const foldBy = (line: string, [, pattern, to]: (typeof CLASSES)[number]): string =>
  line.replace(pattern, (found: string, entity: unknown) => {
    if (found.startsWith('&') && typeof entity === 'string') return ENTITIES[entity] ?? found;
    return /^[A-Z]/.test(found) ? found.toLowerCase() : to;
  });

const fold = (line: string, classes = CLASSES): string => classes.reduce(foldBy, line);

/** For the model: what to send instead. `old` is known not to occur. */
export const describeMiss = (text: string, old: string): string => {
  const file = text.split('\n');
  const sent = old.split('\n').filter((line, index, all) => line !== '' || (index > 0 && index < all.length - 1));
  const at = closest(file, sent);
  if (at === undefined) return '"old" was not found, nor anything like it. Read the file again.';
  const index = sent.findIndex((line, offset) => !contains(file[at + offset], line, offset, sent.length));
  const offset = Math.max(index, 0);
  const has = file[at + offset] ?? '';
  const wanted = sent[offset] ?? '';
  const last = at + sent.length;
  const where = sent.length > 1 ? `lines ${at + 1}–${last}, which differ at line ${at + offset + 1}` : `line ${at + 1}`;
  return [
    `"old" was not found. Closest: ${where}${differences(has, wanted)}.`,
    `file: ${quote(has, wanted)}`,
    `sent: ${quote(wanted, has)}`,
    'Send the text exactly as the file has it.',
  ].join('\n');
};

/** The first and last line of `old` may be parts of a line. */
const contains = (has: string | undefined, wanted: string, offset: number, count: number): boolean => {
  if (has === undefined) return false;
  const bare = has.replace(/\r$/, '');
  if (count === 1) return bare.includes(wanted);
  if (offset === 0) return bare.endsWith(wanted);
  return offset === count - 1 ? bare.startsWith(wanted) : bare === wanted;
};

/** The classes without which the two would not become the same. */
const differences = (has: string, wanted: string): string => {
  const match = (classes: typeof CLASSES): boolean => fold(has, classes).includes(fold(wanted, classes));
  if (!match(CLASSES)) return '';
  const needed = CLASSES.filter((entry) => !match(CLASSES.filter((other) => other !== entry)));
  const names = new Set(needed.map(([name]) => name));
  return names.size > 0 ? ` (differs in ${[...names].join(', ')})` : '';
};

/** Where in the file the lines that were sent fit best: equal when folded, else by their common letter pairs. */
const closest = (file: readonly string[], sent: readonly string[]): number | undefined => {
  const folded = sent.map((line) => fold(line));
  const anchor = folded.reduce((best, line, index) => (line.length > (folded[best]?.length ?? 0) ? index : best), 0);
  const key = folded[anchor] ?? '';
  if (key === '') return undefined;
  const pairs = pairsOf(key);
  let best: number | undefined;
  let bestScore = 0.5;
  for (const [index, line] of file.entries()) {
    if (line.length > 2000) continue;
    const has = fold(line);
    const score = has.includes(key) ? 2 + agreement(file, folded, index - anchor) : likeness(has, key.length, pairs);
    if (score > bestScore) [best, bestScore] = [index, score];
  }
  return best === undefined ? undefined : Math.max(best - anchor, 0);
};

const agreement = (file: readonly string[], folded: readonly string[], from: number): number =>
  folded.filter((line, offset) => fold(file[from + offset] ?? '').includes(line)).length;

const pairsOf = (line: string): ReadonlySet<string> => {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < line.length; at += 1) pairs.add(line.slice(at, at + 2));
  return pairs;
};

/** The Dice coefficient of the letter pairs, 0 to 1. */
const likeness = (has: string, length: number, pairs: ReadonlySet<string>): number => {
  // A line of quite another length cannot reach the threshold.
  if (has.length < length / 3 || has.length > length * 3) return 0;
  const own = pairsOf(has);
  let common = 0;
  for (const pair of own) if (pairs.has(pair)) common += 1;
  return (2 * common) / (own.size + pairs.size || 1);
};

/** As a JSON string, so that tabs and the like can be seen; cut to where the two begin to differ. */
const quote = (line: string, other: string): string => {
  let same = 0;
  while (same < line.length && line[same] === other[same]) same += 1;
  const from = line.length > 300 ? Math.max(0, same - 100) : 0;
  const shown = JSON.stringify(line.slice(from, from + 300).toWellFormed());
  return `${from > 0 ? '… ' : ''}${shown}${line.length > from + 300 ? ' …' : ''}`;
};
