import type { Row } from '../render/row.ts';
import type { Look } from '../render/theme.ts';
import type { Pi, Tui } from './pi.ts';
import type { OwnTerminal } from './terminal.ts';

/** A text is read from its start; what has happened, from its end. */
export type From = 'start' | 'end';

type Pager = {
  readonly onKey: (data: string) => void;
  readonly draw: () => void;
};

type PagerOptions = {
  readonly look: Look;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly from: From;
  readonly size: () => { readonly width: number; readonly height: number };
  readonly send: (data: string) => void;
  readonly close: () => void;
};

export type Paging = {
  readonly show: (title: string, rows: readonly Row[], from: From) => void;
  readonly open: () => boolean;
  /** Takes all keys while it is open. */
  readonly take: (data: string) => boolean;
  readonly draw: () => void;
  /** Runs now, or when it is closed: the transcript stands still meanwhile. */
  readonly later: (change: () => void) => void;
  readonly close: () => void;
};

/** The other screen, and what waits until it is left. */
export const createPaging = (pi: Pi, look: Look, terminal: OwnTerminal, tui: Tui): Paging => {
  let pager: Pager | undefined;
  const held: (() => void)[] = [];
  const size = () => ({ width: terminal.columns, height: terminal.rows });
  let left = size();
  const close = () => {
    if (!pager) return;
    pager = undefined;
    terminal.away(false);
    for (const change of held.splice(0)) change();
    // What was drawn meanwhile for another size went nowhere.
    tui.requestRender(left.width !== terminal.columns || left.height !== terminal.rows);
  };
  return {
    show: (title, rows, from) => {
      tui.renderNow();
      terminal.away(true);
      left = size();
      pager = createPager(pi, { look, title, rows, from, size, send: terminal.send, close });
      pager.draw();
    },
    open: () => pager !== undefined,
    take: (data) => {
      const taken = pager;
      taken?.onKey(data);
      return taken !== undefined;
    },
    draw: () => pager?.draw(),
    later: (change) => {
      if (pager) held.push(change);
      else change();
    },
    close,
  };
};

/** Rows on a screen of their own: what is too long for the transcript. It leaves no trace there. */
const createPager = (pi: Pi, { look, title, rows, from, size, send, close }: PagerOptions): Pager => {
  let laid: { readonly width: number; readonly lines: readonly string[] } = { width: 0, lines: [] };
  // How many lines are below the screen; drawing brings it into bounds.
  let below = from === 'start' ? Number.POSITIVE_INFINITY : 0;
  const layOut = () => {
    const { width } = size();
    if (laid.width !== width) {
      const lines = rows.flatMap((row) => row(width)).map((line) => pi.truncateToWidth(line, width, ''));
      laid = { width, lines };
    }
    return laid.lines;
  };
  const draw = () => {
    const lines = layOut();
    const { width, height } = size();
    const seen = Math.max(1, height - 1);
    below = Math.max(0, Math.min(below, lines.length - seen));
    const end = lines.length - below;
    const shown = lines.slice(Math.max(0, end - seen), end);
    const percent = lines.length <= seen ? 'all' : `${Math.round((100 * end) / lines.length)} %`;
    const status = look.theme.dim(pi.truncateToWidth(`${title} · ${percent} · ↑↓ space g G · q goes back`, width));
    const filled = [...shown, ...Array.from({ length: seen - shown.length }, () => '')];
    send(`\x1b[?2026h\x1b[H${[...filled, status].map((line) => `\x1b[2K${line}\x1b[0m`).join('\r\n')}\x1b[?2026l`);
  };
  const onKey = (data: string) => {
    const is = (...keys: readonly Parameters<Pi['matchesKey']>[1][]) => keys.some((key) => pi.matchesKey(data, key));
    const page = Math.max(1, size().height - 2);
    if (is('escape', 'ctrl+c', 'ctrl+o', 'q')) return close();
    if (is('up', 'k')) below += 1;
    else if (is('down', 'j', 'enter')) below -= 1;
    else if (is('pageUp', 'ctrl+b', 'b')) below += page;
    else if (is('pageDown', 'ctrl+f', 'space')) below -= page;
    else if (is('ctrl+u')) below += Math.ceil(page / 2);
    else if (is('ctrl+d')) below -= Math.ceil(page / 2);
    else if (is('home', 'g')) below = layOut().length;
    else if (is('end') || data === 'G') below = 0;
    draw();
  };
  return { onKey, draw };
};
