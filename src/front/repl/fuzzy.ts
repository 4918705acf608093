/**
 * How well a text answers what was typed: every character of it in order, best where words begin and where they stand
 * together. Undefined for no match; more is better.
 */
const score = (query: string, text: string): number | undefined => {
  if (query === '') return 0;
  const lower = text.toLowerCase();
  const base = lower.lastIndexOf('/', lower.length - 2) + 1;
  const whole = lower.indexOf(query, base) >= 0 ? lower.indexOf(query, base) : lower.indexOf(query);
  // Together: better in the name than in the folders, better at a word's start, better in a short text.
  if (whole >= 0) return 1000 + (whole >= base ? 200 : 0) + (startsWord(text, whole) ? 100 : 0) - lower.length / 10;
  const late = scattered(query, lower, text, base);
  return late ?? scattered(query, lower, text, 0);
};

const scattered = (query: string, lower: string, text: string, from: number): number | undefined => {
  let points = from > 0 ? 100 : 0;
  let last = from - 1;
  for (const character of query) {
    const at = lower.indexOf(character, last + 1);
    if (at < 0) return undefined;
    points += at === last + 1 ? 8 : startsWord(text, at) ? 6 : -Math.min(4, at - last - 1);
    last = at;
  }
  return points - lower.length / 10;
};

const startsWord = (text: string, at: number): boolean => {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  const isLetter = (before >= 97 && before <= 122) || (before >= 65 && before <= 90) || (before >= 48 && before <= 57);
  if (!isLetter) return true;
  const here = text.charCodeAt(at);
  return before >= 97 && here >= 65 && here <= 90;
};

/** The best `max`, best first; equals keep their order. */
export const bestOf = <Item>(
  items: readonly Item[],
  query: string,
  textOf: (item: Item) => string,
  max: number,
): readonly Item[] => {
  const wanted = query.toLowerCase().replace(/\s+/g, '');
  if (wanted === '') return items.slice(0, max);
  const found: { item: Item; points: number }[] = [];
  for (const item of items) {
    const points = score(wanted, textOf(item));
    if (points !== undefined) found.push({ item, points });
  }
  return found
    .sort((a, b) => b.points - a.points)
    .slice(0, max)
    .map(({ item }) => item);
};
