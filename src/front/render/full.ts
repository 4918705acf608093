import type { Call, Json, Logged, Result } from '../../core/types.ts';
import { diffRows } from './diff.ts';
import { markdownRows } from './markdown.ts';
import { blank, indented, type Row, textRow } from './row.ts';
import { safe } from './safe.ts';
import type { Look } from './theme.ts';
import { callRow, field, textOf } from './tools.ts';

/** A session with nothing left out: thoughts, whole inputs, whole outputs. */
export const fullRows = (entries: readonly Logged[], look: Look): readonly Row[] =>
  entries.flatMap((entry) => {
    if (entry.type === 'compaction') return [blank, ...section(look, 'summary'), ...markdownRows(entry.summary, look)];
    if (entry.type !== 'message') return [];
    const { message } = entry;
    if (message.role === 'result') return resultRows(look, message);
    if (message.role === 'user') {
      const text = message.content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
      return [blank, ...plainRows(look, text, (line) => look.theme.bold(line), '› ')];
    }
    return message.content.flatMap((part): readonly Row[] => {
      if (part.type === 'text') return part.text.trim() === '' ? [] : [blank, ...markdownRows(part.text, look)];
      if (part.type === 'thinking') return [blank, ...plainRows(look, part.text, look.theme.dim, '∴ ')];
      return [blank, callRow(look, part.name, ''), indented(inputRows(look, part), 2)];
    });
  });

const section = ({ theme }: Look, name: string): readonly Row[] => [
  (width) => [theme.dim(`── ${name} ──`.slice(0, width))],
];

const plainRows = (look: Look, text: string, style: (line: string) => string, mark = ''): readonly Row[] =>
  safe(text)
    .trim()
    .split('\n')
    .map((line, index) =>
      textRow(look, `${index === 0 ? mark : ' '.repeat(mark.length)}${style(line.replaceAll('\t', '  '))}`, 2),
    );

/** Text arguments as text, the others as JSON. */
const inputRows = (look: Look, { input }: Call): readonly Row[] => {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return plainRows(look, String(input), (line) => line);
  return Object.entries(input).flatMap(([name, value]: [string, Json]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const label = look.theme.dim(`${safe(name)}:`);
    if (!text.includes('\n')) return [textRow(look, `${label} ${safe(text).replaceAll('\t', '  ')}`, 2)];
    return [
      textRow(look, label),
      indented(
        plainRows(look, text, (line) => line),
        2,
      ),
    ];
  });
};

const resultRows = (look: Look, result: Result): readonly Row[] => {
  const diff = field(result.details, 'diff');
  const said = plainRows(look, textOf(result), look.theme.dim);
  const sign = result.failed || result.how !== 'ran' ? look.theme.bad('✗') : look.theme.good('✓');
  const head = textRow(
    look,
    `  ${sign} ${look.theme.dim(`${safe(result.name)} ${result.how === 'ran' ? '' : result.how}`.trim())}`,
  );
  return [head, indented(typeof diff === 'string' ? [...said, ...diffRows(look, diff)] : said, 4)];
};
