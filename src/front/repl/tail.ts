import type { Row } from '../render/row.ts';

/** Rows kept to fill a screen anew after its size changed. */
const MAX_PAST = 500;

type Shown = { readonly row: Row; readonly lines: readonly string[] };

export type Tail = ReturnType<typeof createTail>;

/**
 * The end of the transcript that is still on the screen. What has scrolled away belongs to the terminal: it is printed
 * once and never touched again.
 */
export const createTail = (layOut: (row: Row, width: number) => readonly string[]) => {
  let past: Row[] = [];
  let shown: Shown[] = [];
  let lines: readonly string[] | undefined;
  let size = { width: 0, height: 0 };
  const show = (row: Row): Shown => ({ row, lines: size.width === 0 ? [] : layOut(row, size.width) });

  return {
    push: (rows: readonly Row[]) => {
      for (const row of rows) shown.push(show(row));
      lines = undefined;
    },
    /** Takes back the last rows, as far as they have not scrolled away. */
    drop: (count: number) => {
      if (count > 0) shown.splice(-count);
      lines = undefined;
    },
    /** Forgets whole rows at the top, `most` lines at most; returns how many lines those were. */
    trim: (most: number): number => {
      let gone = 0;
      let index = 0;
      for (let next = shown[0]; next && gone + next.lines.length <= most; next = shown[index]) {
        gone += next.lines.length;
        index += 1;
      }
      past = [...past, ...shown.splice(0, index).map(({ row }) => row)].slice(-MAX_PAST);
      lines = undefined;
      return gone;
    },
    /** At another size, just as many rows as fit into `room` are laid out anew. */
    render: (width: number, height: number, room: number): readonly string[] => {
      if (width !== size.width || height !== size.height) {
        const first = size.width === 0;
        size = { width, height };
        const rows = [...past, ...shown.map(({ row }) => row)];
        ({ past, shown } = fill(rows, first ? Number.POSITIVE_INFINITY : room, show));
        lines = undefined;
      }
      lines ??= shown.flatMap((one) => one.lines);
      return lines;
    },
  };
};

const fill = (rows: readonly Row[], height: number, show: (row: Row) => Shown) => {
  const shown: Shown[] = [];
  let room = height;
  let first = rows.length;
  for (let row = rows[first - 1]; row && room > 0; row = rows[first - 1]) {
    const next = show(row);
    shown.unshift(next);
    room -= next.lines.length;
    first -= 1;
  }
  return { past: rows.slice(0, first), shown };
};
