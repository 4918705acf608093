import { StringDecoder } from 'node:string_decoder';
import type { Pi, Terminal } from './pi.ts';
import type { Input, Screen } from './types.ts';

export const PASTE_START = '\x1b[200~';
export const PASTE_END = '\x1b[201~';
/** Bracketed paste on; keys told apart (Shift+Enter) in kitty's way and in xterm's; focus told; the title kept. */
const BEGIN = '\x1b[?2004h\x1b[>1u\x1b[>4;1m\x1b[?1004h\x1b[22;0t';
const END = '\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[>4;0m\x1b[?25h\x1b[23;0t';
/** The other screen, which leaves the first one as it is. */
const AWAY = '\x1b[?1049h\x1b[?25l';
const BACK = '\x1b[?1049l\x1b[?25h';
/** How pi-tui begins a full redraw. It would take the person's scrollback with it. */
const CLEAR_ALL = '\x1b[2J\x1b[H\x1b[3J';
/** A gap that ends a paste without brackets, milliseconds. */
const PASTE_GAP = 30;
/** Time for the rest of a key after Esc, milliseconds. */
const ESCAPE_GAP = 50;

export type OwnTerminal = Terminal & {
  /** Past the picture: to the other screen, or signs that move nothing. */
  readonly send: (data: string) => void;
  /** While away, what pi-tui draws goes nowhere. */
  readonly away: (away: boolean) => void;
};

/** pi-tui's terminal over any two streams. `gone` is called when either of them ends. */
export const createTerminal = (pi: Pi, stdin: Input, stdout: Screen, gone: () => void): OwnTerminal => {
  let detach = () => {};
  let restored = true;
  let isAway = false;
  for (const end of ['end', 'close', 'error']) stdin.on(end, gone);
  for (const end of ['close', 'error']) stdout.on(end, gone);
  const send = (data: string) => {
    if (!restored && !stdout.destroyed && !stdout.writableEnded) stdout.write(data);
  };
  const write = (data: string) => {
    if (!isAway) send(data.includes(CLEAR_ALL) ? data.replace(CLEAR_ALL, clearScreen(rows())) : data);
  };
  const rows = () => stdout.rows || 24;
  const away = (wanted: boolean) => {
    if (isAway !== wanted) send(wanted ? AWAY : BACK);
    isAway = wanted;
  };
  const restore = (before: string, after: string) => {
    if (restored) return;
    away(false);
    write(before + END + after);
    restored = true;
    stdin.setRawMode?.(false);
  };
  return {
    start: (onInput, onResize) => {
      restored = false;
      detach = attach(pi, stdin, stdout, onInput, onResize);
      stdin.setRawMode?.(true);
      write(BEGIN);
      stdin.resume();
    },
    stop: () => {
      detach();
      restore('', '');
      stdin.pause();
    },
    restoreOnExit: restore,
    drainInput: async () => {},
    write,
    send,
    away,
    get columns() {
      return stdout.columns || 80;
    },
    get rows() {
      return rows();
    },
    kittyProtocolActive: false,
    ...motions(write, rows),
  };
};

const motions = (write: (data: string) => void, rows: () => number) => ({
  moveBy: (lines: number) => {
    if (lines !== 0) write(lines > 0 ? `\x1b[${lines}B` : `\x1b[${-lines}A`);
  },
  hideCursor: () => write('\x1b[?25l'),
  showCursor: () => write('\x1b[?25h'),
  clearLine: () => write('\x1b[K'),
  clearFromCursor: () => write('\x1b[J'),
  clearScreen: () => write(clearScreen(rows())),
  setTitle: () => {},
  setProgress: () => {},
  setProgramStatus: () => {},
});

/** Line by line, because some terminals push a screen that is cleared whole into the scrollback. */
const clearScreen = (rows: number): string => `\x1b[H${'\x1b[2K\n'.repeat(rows - 1)}\x1b[2K\x1b[H`;

/** Listens to both streams; returns how to stop listening. */
const attach = (
  pi: Pi,
  stdin: Input,
  stdout: Screen,
  onInput: (data: string) => void,
  onResize: () => void,
): (() => void) => {
  const keys = new pi.StdinBuffer({ escapeTimeout: ESCAPE_GAP });
  let bracketed = false;
  keys.on('data', onInput);
  keys.on('paste', (text) => {
    bracketed = false;
    onInput(PASTE_START + text + PASTE_END);
  });
  const bursts = createBursts((text) => onInput(PASTE_START + text + PASTE_END));
  const decoder = new StringDecoder('utf8');
  const read = (chunk: Buffer | string) => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    const pending = keys.getBuffer();
    if (text === '' || (!bracketed && pending === '' && bursts.take(text))) return;
    keys.process(text);
    const read = pending + text;
    if (read.includes(PASTE_START)) bracketed = read.lastIndexOf(PASTE_START) > read.lastIndexOf(PASTE_END);
  };
  stdin.on('data', read);
  stdout.on('resize', onResize);
  return () => {
    stdin.off('data', read);
    stdout.off('resize', onResize);
    keys.destroy();
    bursts.end();
  };
};

/**
 * A paste from a terminal without bracketed paste: line ends with text on both sides in one read, and what follows
 * without a gap. Nobody types that fast, and an Enter in a paste must not send.
 */
const createBursts = (paste: (text: string) => void) => {
  let held = '';
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(timer);
    const text = held;
    held = '';
    if (text !== '') paste(text);
  };
  const take = (text: string): boolean => {
    const plain = !text.includes('\x1b');
    if (!plain || (held === '' && !/[^\r\n][\r\n]+[^\r\n]/.test(text))) {
      end();
      return false;
    }
    held += text;
    clearTimeout(timer);
    timer = setTimeout(end, PASTE_GAP);
    return true;
  };
  return { take, end };
};
