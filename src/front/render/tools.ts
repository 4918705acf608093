import type { Call, Json, Result } from '../../core/types.ts';
import { diffRows } from './diff.ts';
import { clipped, indented, lineRow, type Row, textRow } from './row.ts';
import { oneLine, safe } from './safe.ts';
import type { Look } from './theme.ts';
import { count, duration } from './units.ts';

/** Lines of a diff or of a failure that are shown under a call. */
const MAX_DIFF = 40;
const MAX_ERROR = 6;
const EXIT = /\n?\[exit code: (\S+)\]\s*$/;
const CUT = /^\[… .*(?:bytes cut here|characters left out)/m;

/** `● bash npm test`, and behind it, faint, what else there is to say. Always one line. */
export const callRow = (look: Look, name: string, show: string, aside = '', sign = look.theme.accent('●')): Row =>
  lineRow(look, `${sign} ${title(look, name, show)}`, look.theme.dim(aside));

const title = ({ theme }: Look, name: string, show: string): string => {
  const line = oneLine(show, 400).replaceAll('\t', ' ');
  const what = line.startsWith(`${name} `) ? line.slice(name.length + 1) : line;
  return `${theme.bold(oneLine(name, 60))} ${what}`.trimEnd();
};

/** A call that has ended, in one line: `✓ bash npm test · 1.2 s`. Then what a person wants to see of it. */
export const endedRows = (look: Look, name: string, show: string, result: Result, asides: readonly string[]) => {
  // That it ended well is what the sign says.
  const said = [outcome(result, ' · ctrl+o'), ...asides].filter((part) => part !== '' && part !== 'exit 0');
  const aside = said.map((part) => ` · ${part}`).join('');
  return [callRow(look, name, show, aside, signOf(look, result)), ...aftermath(look, result, 2, ' · ctrl+o')];
};

/** Where the call was shown when it began: `  ✓ exit 2 · 1.2 s`, and the rest. */
export const resultRows = (look: Look, result: Result, ms?: number): readonly Row[] => {
  const said = [outcome(result), took(ms)].filter((part) => part !== '').join(' · ');
  const sign = signOf(look, result);
  return [
    textRow(look, `  ${sign} ${look.theme.dim(said === '' ? 'done' : said)}`, 4),
    ...aftermath(look, result, 4, ''),
  ];
};

/** Nothing where it was too short to speak of. */
export const took = (ms: number | undefined): string => (ms === undefined || ms < 100 ? '' : duration(ms));

const isBad = (result: Result): boolean => result.failed || result.how !== 'ran';
const signOf = ({ theme }: Look, result: Result): string => (isBad(result) ? theme.bad('✗') : theme.good('✓'));

/** The diff, or why it failed. */
const aftermath = (look: Look, result: Result, indent: number, hint: string): readonly Row[] => {
  const rows = isBad(result) ? complaint(look, result) : changes(look, result, hint);
  return rows.length === 0 ? [] : [indented(rows, indent)];
};

/** `hint` says where lines that are only counted can be read; a command that has none says its exit code. */
const outcome = (result: Result, hint = ''): string => {
  const said = { refused: 'refused', stopped: 'stopped', unrun: 'not run', lost: 'result lost', ran: '' }[result.how];
  if (said !== '') return said;
  const exit = exitOf(result);
  const text = textOf(result).replace(EXIT, '');
  const lines = text.split('\n').length;
  if (exit !== undefined && (exit !== '0' || lines === 1 || hint === '')) return `exit ${exit}`;
  const diff = field(result.details, 'diff');
  if (typeof diff === 'string') return `+${countSigns(diff, '+')} −${countSigns(diff, '-')}`;
  const summary = field(result.details, 'summary');
  if (typeof summary === 'string') return oneLine(summary, 120);
  if (result.failed) return 'failed';
  // What was cut on its way to the model has more of them.
  return lines === 1 ? oneLine(text, 120) : `${CUT.test(text) ? 'over ' : ''}${count(lines, 'line')}${hint}`;
};

const changes = (look: Look, result: Result, hint: string): readonly Row[] => {
  const diff = field(result.details, 'diff');
  if (typeof diff !== 'string') return [];
  return clipped(look, diffRows(look, diff), MAX_DIFF, hint);
};

const countSigns = (diff: string, sign: '+' | '-'): number =>
  diff.split('\n').filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;

/** The end of a failed command says why; of other failures it is the beginning. */
const complaint = (look: Look, result: Result): readonly Row[] => {
  const lines = safe(textOf(result))
    .replace(EXIT, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const shown = exitOf(result) === undefined ? lines.slice(0, MAX_ERROR) : lines.slice(-MAX_ERROR);
  return shown.map((line) => lineRow(look, look.theme.dim(line.replaceAll('\t', '  ').slice(0, 400))));
};

const exitOf = (result: Result): string | undefined => {
  const exit = field(result.details, 'exitCode') ?? field(result.details, 'exit');
  if (typeof exit === 'number' || typeof exit === 'string') return String(exit);
  return EXIT.exec(textOf(result))?.[1];
};

export const field = (details: Json | undefined, name: string): Json | undefined => {
  if (typeof details !== 'object' || details === null || !isRecord(details)) return undefined;
  return details[name];
};

const isRecord = (value: object): value is { readonly [key: string]: Json } => !Array.isArray(value);

export const textOf = (result: Result): string =>
  result.content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');

/** What a call would show before anything else is known of it: its shortest telling argument. */
export const describeCall = (call: Call): string => {
  for (const name of ['command', 'path', 'url', 'pattern', 'prompt', 'query']) {
    const value = field(call.input, name);
    if (typeof value === 'string') return value;
  }
  return typeof call.input === 'string' ? call.input : JSON.stringify(call.input);
};
