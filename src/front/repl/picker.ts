import { lineRow, type Row } from '../render/row.ts';
import { oneLine, safe } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import { bestOf } from './fuzzy.ts';
import type { Component, Pi } from './pi.ts';
import type { Choice, Choosing } from './types.ts';

/** Choices that are seen at once, and that a preview leaves room for; lines of a preview. */
const MAX_SEEN = 10;
const MIN_SEEN = 3;
const MAX_PREVIEW = 8;
/** Lines for the title, for the keys, and to spare. */
const AROUND = 3;

export type PickerOptions = {
  readonly look: Look;
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly options: Choosing;
  /** Lines that there are for it. */
  readonly room: () => number;
  readonly refresh: () => void;
  readonly pick: (value: string | undefined) => void;
};

/** A list that is searched by typing, with what is under the cursor in preview. Esc goes back. */
export const createPicker = (pi: Pi, given: PickerOptions): Component => {
  const { look, options, pick, refresh } = given;
  let all = given.choices;
  let others = false;
  let query = '';
  let index = Math.max(
    0,
    all.findIndex(({ value }) => value === options.at),
  );
  const found = () => bestOf(all, query, ({ label, about = '' }) => `${label} ${about}`, 1000);
  const previewOf = createPreview(refresh);
  const change = async () => {
    if (!options.other) return;
    all = others ? given.choices : await options.other.choices();
    others = !others;
    index = 0;
    refresh();
  };
  const render = (width: number): string[] => {
    const matches = found();
    index = Math.max(0, Math.min(index, matches.length - 1));
    const room = given.room() - AROUND;
    const preview = previewRows(look, previewOf(matches[index]), room - 1 - Math.min(MIN_SEEN, matches.length));
    const tab = options.other ? ` · tab ${others ? 'back' : options.other.name}` : '';
    const picture = { matches, index, query, preview, room, title: given.title, tab };
    return pickerRows(look, picture).flatMap((row) => row(width));
  };
  const handleInput = (data: string) => {
    const is = (key: Parameters<Pi['matchesKey']>[1]) => pi.matchesKey(data, key);
    const matches = found();
    const last = Math.max(1, matches.length);
    const here = matches[index];
    if (is('escape') || is('ctrl+c')) return pick(undefined);
    if (is('enter')) return here && pick(here.value);
    if (is('tab')) return void change();
    if (is('up') || is('ctrl+p')) index = (index - 1 + last) % last;
    else if (is('down') || is('ctrl+n') || is('ctrl+r')) index = (index + 1) % last;
    else if (is('pageUp')) index -= MAX_SEEN;
    else if (is('pageDown')) index += MAX_SEEN;
    else if (is('backspace')) query = [...query].slice(0, -1).join('');
    else if (is('ctrl+u')) query = '';
    else {
      const typed = typedText(pi, data);
      if (typed !== '') [query, index] = [query + typed, 0];
    }
  };
  return { render, handleInput, invalidate: () => {} };
};

/** Asked for once, when it is first wanted. */
const createPreview = (refresh: () => void) => {
  let shown: { readonly of: Choice; text: string } | undefined;
  return (choice: Choice | undefined): string => {
    if (choice?.preview === undefined) return '';
    if (shown?.of === choice) return shown.text;
    const asked = { of: choice, text: '' };
    shown = asked;
    const fill = (text: string) => {
      asked.text = text;
      refresh();
    };
    choice.preview().then(fill, () => {});
    return '';
  };
};

type Picture = {
  readonly matches: readonly Choice[];
  readonly index: number;
  readonly query: string;
  readonly preview: readonly Row[];
  /** Lines for the choices and the preview. */
  readonly room: number;
  readonly title: string;
  readonly tab: string;
};

const pickerRows = (look: Look, { matches, index, query, preview, room, title, tab }: Picture): readonly Row[] => {
  const { theme } = look;
  const quoted = preview.length === 0 ? [] : [lineRow(look, theme.dim('─'.repeat(40))), ...preview];
  const seen = Math.max(1, Math.min(MAX_SEEN, room - quoted.length));
  const first = Math.max(0, Math.min(index - Math.floor(seen / 2), matches.length - seen));
  const shown = matches.slice(first, first + seen);
  const width = Math.min(60, Math.max(0, ...shown.map(({ label }) => look.width(label))));
  const more = matches.length > seen ? theme.dim(` ${index + 1}/${matches.length}`) : '';
  const search = query === '' ? theme.dim('type to search') : `${theme.accent('/')}${safe(query)}`;
  const listed = shown.map(({ label, about }, offset) => {
    const here = first + offset === index;
    const padded = about === undefined ? label : label + ' '.repeat(Math.max(0, width - look.width(label)));
    const text = `${here ? theme.accent('›') : ' '} ${here ? theme.accent(padded) : padded}`;
    return lineRow(look, about === undefined ? text : `${text}  ${theme.dim(about)}`);
  });
  return [
    lineRow(look, `${theme.bold(title)}${more}  ${search}`),
    ...(listed.length === 0 ? [lineRow(look, theme.dim('  nothing like that'))] : listed),
    ...quoted,
    lineRow(look, theme.dim(`enter picks · esc goes back${tab}`)),
  ];
};

const previewRows = (look: Look, text: string, room: number): readonly Row[] =>
  safe(text)
    .trimEnd()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-MAX_PREVIEW)
    .slice(0, Math.max(0, room))
    .map((line) => lineRow(look, look.theme.dim(line.replaceAll('\t', '  '))));

/** What a key or a paste writes, on one line. */
const typedText = (pi: Pi, data: string): string => {
  const pasted = /^\x1b\[200~([\s\S]*)\x1b\[201~$/.exec(data)?.[1];
  if (pasted !== undefined) return pasted.replace(/\s*\n\s*/g, ' ').trim();
  return pi.decodePrintableKey(data) ?? (/^[\x20-\x7e\u00a0-\u{10ffff}]+$/u.test(data) ? data : '');
};

/** One line that the person writes; with `secret` only its length is seen. */
export const createLineInput = (
  pi: Pi,
  look: Look,
  title: string,
  secret: boolean,
  done: (text: string | undefined) => void,
): Component => {
  let text = '';
  return {
    render: (width) => {
      const shown = secret ? '•'.repeat(Math.min(text.length, 24)) : oneLine(text, 200);
      return [
        lineRow(look, look.theme.bold(title)),
        lineRow(look, `${look.theme.accent('›')} ${shown}`),
        lineRow(look, look.theme.dim('enter goes on · esc goes back')),
      ].flatMap((row) => row(width));
    },
    handleInput: (data) => {
      if (pi.matchesKey(data, 'escape') || pi.matchesKey(data, 'ctrl+c')) return done(undefined);
      if (pi.matchesKey(data, 'enter')) return done(text.trim());
      if (pi.matchesKey(data, 'backspace')) text = text.slice(0, -1);
      else if (pi.matchesKey(data, 'ctrl+u')) text = '';
      else text += typedText(pi, data);
    },
    invalidate: () => {},
  };
};
