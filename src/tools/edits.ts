/** Exact replacement, as a pure function of a text. Everything outside the replaced spans stays as it is. */
import { describeMiss } from './near-miss.ts';

export type Edit = { readonly old: string; readonly new: string; readonly all?: boolean | undefined };

export type Edited = { readonly text: string; readonly places: number } | { readonly problem: string };

type Span = { readonly from: number; readonly to: number };

/** In order, each on what the ones before it left; one that can't be applied voids all. */
export const applyEdits = (text: string, edits: readonly Edit[]): Edited => {
  let current = text;
  let places = 0;
  for (const [index, edit] of edits.entries()) {
    const spans = findSpans(current, edit.old, edit.all === true);
    const problem = problemOf(current, edit, spans);
    if (problem !== undefined) return { problem: edits.length > 1 ? `edit ${index + 1}: ${problem}` : problem };
    current = splice(current, spans, edit.new);
    places += spans.length;
  }
  return current === text ? { problem: 'the edits leave the text as it is.' } : { text: current, places };
};

const problemOf = (text: string, { old, new: wanted, all }: Edit, spans: readonly Span[]): string | undefined => {
  if (old === '') return '"old" is empty. Give the text to replace; write_file replaces a whole file.';
  if (old === wanted) return 'no change: "old" and "new" are the same.';
  if (spans.length === 0) return describeMiss(text, old);
  if (spans.length === 1 || all) return undefined;
  const lines = spans.slice(0, 10).map(({ from }) => lineAt(text, from));
  const more = spans.length > 10 ? ', …' : '';
  return (
    `"old" occurs ${spans.length} times, at lines ${lines.join(', ')}${more}. ` +
    'Add lines around it until it is unique, or set "all": true.'
  );
};

const lineAt = (text: string, at: number): number => {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
};

/** Overlapping places count, except where all of them are to be replaced. */
const findSpans = (text: string, old: string, all: boolean): readonly Span[] => {
  const spans: Span[] = [];
  if (old === '') return spans;
  const next = finder(text, old);
  for (let span = next(0); span; span = next(all ? span.to : span.from + 1)) spans.push(span);
  return spans;
};

/** A line end in `old` stands for the file's, CRLF or LF: nobody sees which one a file has. */
const finder = (text: string, old: string): ((from: number) => Span | undefined) => {
  const lines = old.split(/\r?\n/);
  if (lines.length === 1 || !text.includes('\r\n')) {
    const exact = text.includes('\r\n') ? old : lines.join('\n');
    return (from) => {
      const at = text.indexOf(exact, from);
      return at < 0 ? undefined : { from: at, to: at + exact.length };
    };
  }
  const pattern = new RegExp(lines.map((line) => line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('\\r?\\n'), 'g');
  return (from) => {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    return match ? { from: match.index, to: match.index + match[0].length } : undefined;
  };
};

const splice = (text: string, spans: readonly Span[], wanted: string): string => {
  const parts: string[] = [];
  let done = 0;
  for (const { from, to } of spans) {
    parts.push(text.slice(done, from), withEnds(wanted, text, from, to));
    done = to;
  }
  return parts.join('') + text.slice(done);
};

/** The new text with the line ends of what it replaces; further ones are like the last of those, or the nearest. */
const withEnds = (wanted: string, text: string, from: number, to: number): string => {
  if (!wanted.includes('\n') || !text.includes('\r\n')) return wanted;
  const ends = text.slice(from, to).match(/\r?\n/g) ?? [];
  const last = ends.at(-1) ?? nearestEnd(text, from, to);
  let index = 0;
  return wanted.replace(/\r?\n/g, () => ends[index++] ?? last);
};

const nearestEnd = (text: string, from: number, to: number): string => {
  const after = text.indexOf('\n', to);
  const at = after >= 0 ? after : text.lastIndexOf('\n', from - 1);
  return text[at - 1] === '\r' ? '\r\n' : '\n';
};
