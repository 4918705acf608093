import { type Row, textRow } from './row.ts';
import { exposed, safe } from './safe.ts';
import type { Look } from './theme.ts';

/** A unified diff, one row a line; the sign at the start says what the colour says. */
export const diffRows = (look: Look, diff: string): readonly Row[] =>
  diff
    .replace(/\n$/, '')
    .split('\n')
    .filter((line) => !/^(Index: |={10,}|\\ No newline)/.test(line))
    .map((line) => textRow(look, paint(look, line), 1));

const paint = ({ theme }: Look, line: string): string => {
  const text = safe(line).replaceAll('\t', '  ');
  if (text.startsWith('+++') || text.startsWith('---')) return theme.bold(text);
  if (text.startsWith('@@')) return theme.dim(text);
  if (text.startsWith('+')) return theme.added(text);
  return text.startsWith('-') ? theme.removed(text) : text;
};

const looksLikeDiff = (text: string): boolean => /^@@ .*@@/m.test(text);

/** What a person should see before saying yes, whole and with nothing hidden. */
export const previewRows = (look: Look, preview: string): readonly Row[] =>
  looksLikeDiff(preview)
    ? diffRows(look, exposed(preview))
    : exposed(preview.replace(/\n$/, ''))
        .split('\n')
        .map((line) => textRow(look, line.replaceAll('\t', '  ')));
