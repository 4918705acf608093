/** What changed, as a unified diff. */

export type Patch = { readonly text: string; readonly added: number; readonly removed: number };

const CONTEXT = 3;
/** Whole blocks are compared before single characters. */
const BLOCK = 2048;

/** Hunks only, no file names. Texts that share their beginning and end cost what lies between. */
export const makePatch = async (before: string, after: string): Promise<Patch> => {
  const same = commonStart(before, after);
  const tail = commonEnd(before, after, same);
  const a = before.slice(same, before.length - tail);
  const b = after.slice(same, after.length - tail);
  const { structuredPatch } = await import('diff');
  // Unlike texts take quadratic time; then all of the one goes and all of the other comes.
  const found = structuredPatch('', '', a, b, '', '', { context: CONTEXT, timeout: 500 });
  const hunks = found?.hunks ?? [wholesale(a, b)];
  const skipped = countLines(before, same);
  const lines = hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart + skipped},${hunk.oldLines} +${hunk.newStart + skipped},${hunk.newLines} @@`,
    ...hunk.lines.map((line) => line.replace(/\r$/, '').toWellFormed()),
  ]);
  const count = (mark: string): number => hunks.flatMap((hunk) => hunk.lines).filter((line) => line[0] === mark).length;
  return { text: lines.join('\n'), added: count('+'), removed: count('-') };
};

const wholesale = (a: string, b: string) => {
  const lines = (text: string): string[] => text.replace(/\n$/, '').split('\n');
  const [gone, come] = [lines(a), lines(b)];
  return {
    oldStart: 1,
    oldLines: gone.length,
    newStart: 1,
    newLines: come.length,
    lines: [...gone.map((line) => `-${line}`), ...come.map((line) => `+${line}`)],
  };
};

/** The length of the common beginning, back to three whole lines before the first difference. */
const commonStart = (a: string, b: string): number => {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at + BLOCK <= end && a.slice(at, at + BLOCK) === b.slice(at, at + BLOCK)) at += BLOCK;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  for (let line = 0; line <= CONTEXT; line += 1) {
    at = at > 0 ? a.lastIndexOf('\n', at - 1) : -1;
    if (at < 0) return 0;
  }
  return at + 1;
};

/** The length of the common end after three whole lines. */
const commonEnd = (a: string, b: string, start: number): number => {
  const end = Math.min(a.length, b.length) - start;
  let same = 0;
  const block = (text: string): string => text.slice(text.length - same - BLOCK, text.length - same);
  while (same + BLOCK <= end && block(a) === block(b)) same += BLOCK;
  while (same < end && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same)) same += 1;
  let at = a.length - same;
  for (let line = 0; line <= CONTEXT; line += 1) {
    at = a.indexOf('\n', at) + 1;
    if (at === 0) return 0;
  }
  return a.length - at;
};

const countLines = (text: string, to: number): number => {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};

/** At most `limit` characters, cut at a line. */
export const clipPatch = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  const end = text.lastIndexOf('\n', limit);
  const shown = text.slice(0, end > 0 ? end : limit);
  return `${shown}\n[${(text.match(/\n/g)?.length ?? 0) - (shown.match(/\n/g)?.length ?? 0)} more lines of the diff left out]`;
};
