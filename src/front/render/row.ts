import type { Look } from './theme.ts';

/** Something shown: it becomes lines when a width is known, and again when the width changes. */
export type Row = (width: number) => readonly string[];

export const blank: Row = () => [''];

/** Text that wraps under itself: continued lines are indented by `hang` columns. */
export const textRow =
  (look: Look, text: string, hang = 0): Row =>
  (width) => {
    if (look.width(text) <= width) return [text];
    // On a very narrow screen an indent would leave no room.
    const indent = hang * 2 > width ? 0 : hang;
    const [first = '', ...more] = look.wrap(text, width - indent);
    return [first, ...more.map((line) => ' '.repeat(indent) + line.trimStart())];
  };

/** One line and no more: `text` is cut so that `aside`, which is short and faint, is seen too. */
export const lineRow =
  (look: Look, text: string, aside = ''): Row =>
  (width) => {
    const room = width - look.width(aside);
    if (look.width(text) <= room) return [text + aside];
    return [room < 8 ? look.cut(text + aside, width) : look.cut(text, room) + aside];
  };

/** A first line of its own and every following one indented alike: `  ` for what belongs to a line above. */
export const indented =
  (rows: readonly Row[], by: number): Row =>
  (width) => {
    const pad = by * 2 > width ? '' : ' '.repeat(by);
    return rows.flatMap((row) => row(width - pad.length).map((line) => (line === '' ? '' : pad + line)));
  };

/** Never more than `max` lines; says how many more there are. */
export const clipped = (look: Look, rows: readonly Row[], max: number, hint = ''): readonly Row[] =>
  rows.length <= max + 1
    ? rows
    : [...rows.slice(0, max), textRow(look, look.theme.dim(`… ${rows.length - max} more lines${hint}`))];
