import type { Row } from '../render/row.ts';
import { type Look, type ThemeName, themeOf } from '../render/theme.ts';
import { type Below, createDrawing, letGo } from './drawing.ts';
import { createPager, type Pager } from './pager.ts';
import type { AutocompleteProvider, Component, Editor, Pi } from './pi.ts';
import { createLineInput, createPicker } from './picker.ts';
import { createTerminal, PASTE_END, PASTE_START } from './terminal.ts';
import type { Choice, Choosing, ReplOptions } from './types.ts';

/** pi-tui's editor turns tabs into blanks; a pasted one is carried through it in disguise, and seen. */
const TAB = '\u2409\ufe0e';

export type View = {
  readonly look: Look;
  readonly editor: Editor;
  readonly start: (parts: Parts) => void;
  /** What is in the editor, pastes whole and unchanged. */
  readonly text: () => string;
  /** Appends to the transcript, in place of its last `drop` rows. */
  readonly push: (rows: readonly Row[], drop?: number) => void;
  /** Draws soon. */
  readonly refresh: () => void;
  readonly setTheme: (name: ThemeName) => void;
  /** A list in place of the editor; undefined when the person goes back. */
  readonly choose: (title: string, choices: readonly Choice[], options?: Choosing) => Promise<string | undefined>;
  /** A line in place of the editor. */
  readonly askLine: (title: string, secret: boolean) => Promise<string | undefined>;
  readonly choosing: () => boolean;
  /** Shows rows on a screen of their own until the person goes back. */
  readonly page: (title: string, rows: readonly Row[]) => void;
  /** Lines that the rows would take now, and lines of the screen. */
  readonly measure: (rows: readonly Row[]) => { readonly lines: number; readonly height: number };
  /** Signs to the terminal that move nothing: a title, a bell. */
  readonly send: (data: string) => void;
  /** Gives the terminal away for a while; what comes back takes it again. The transcript stays where it is. */
  readonly pause: () => () => void;
  /** Leaves the transcript and gives the terminal back, at once. */
  readonly stop: () => void;
};

export type Parts = Below & {
  /** Returns true for a key that it took. */
  readonly onKey: (data: string) => boolean;
  /** Takes a paste; what it gives back is pasted. */
  readonly onPaste: (text: string) => string;
  readonly onResize: () => void;
  readonly onGone: () => void;
};

/** Transcript, live rows, editor and status on the normal screen. pi-tui draws; what it draws is decided elsewhere. */
export const createView = (pi: Pi, options: ReplOptions, completions: AutocompleteProvider): View => {
  let theme = themeOf(options.color, options.theme);
  const look: Look = {
    get theme() {
      return theme;
    },
    width: pi.visibleWidth,
    wrap: pi.wrapTextWithAnsi,
    cut: (text, width) => pi.truncateToWidth(text, width, '…'),
  };
  let parts: Parts | undefined;
  let inPlace: Component | undefined;
  let pager: Pager | undefined;
  const held: (() => void)[] = [];
  const terminal = createTerminal(pi, options.stdin, options.stdout, () => parts?.onGone());
  const tui = new pi.TuiMainScreen(terminal, true);
  const editor = new pi.Editor(tui, { borderColor: (text) => theme.dim(text), selectList: listTheme(look) });
  editor.setAutocompleteProvider(completions);
  const drawing = createDrawing(pi, {
    rows: () => terminal.rows,
    input: () => inPlace ?? editor,
    below: () => parts,
    onSize: () => parts?.onResize(),
    still: () => pager !== undefined,
  });
  const { tail } = drawing;
  tui.addChild({ render: drawing.render, invalidate: () => {} });
  tui.addInputListener((data) => {
    if (pager) {
      pager.onKey(data);
      return { consume: true };
    }
    if (data.startsWith(PASTE_START)) return { data: takePaste(data, inPlace ? undefined : parts) };
    return parts?.onKey(data) ? { consume: true } : undefined;
  });
  const put = (component: Component | undefined) => {
    inPlace = component;
    tui.setFocus(inPlace ?? editor);
    tui.requestRender();
  };
  /** What is in place of the editor for as long as `make`'s component needs. */
  const lend = async <T>(make: (done: (value: T) => void) => Component): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<T>();
    put(make(resolve));
    const value = await promise;
    put(undefined);
    return value;
  };
  const push: View['push'] = (rows, drop = 0) => {
    if (pager) return void held.push(() => push(rows, drop));
    letGo(tui, tail);
    tail.drop(drop);
    tail.push(rows);
    tui.requestRender();
  };
  const size = () => ({ width: terminal.columns, height: terminal.rows });
  let left = size();
  const closePager = () => {
    if (!pager) return;
    pager = undefined;
    terminal.away(false);
    for (const late of held.splice(0)) late();
    // What was drawn meanwhile for another size went nowhere.
    tui.requestRender(left.width !== terminal.columns || left.height !== terminal.rows);
  };
  const page: View['page'] = (title, rows) => {
    tui.renderNow();
    terminal.away(true);
    left = size();
    pager = createPager(pi, { look, title, rows, size, send: terminal.send, close: closePager });
    pager.draw();
  };
  options.stdout.on('resize', () => pager?.draw());
  const leave = () => {
    closePager();
    parts = undefined;
    tui.renderNow();
    tui.stop();
  };
  return {
    look,
    editor,
    start: (given) => {
      parts = given;
      put(undefined);
      tui.start();
    },
    text: () => editor.getExpandedText().replaceAll(TAB, '\t'),
    push,
    refresh: () => tui.requestRender(),
    setTheme: (name) => {
      theme = themeOf(options.color, name);
    },
    choose: (title, choices, given = {}) =>
      lend((pick) =>
        createPicker(pi, {
          look,
          title,
          choices,
          options: given,
          room: () => terminal.rows - 3,
          refresh: () => tui.requestRender(),
          pick,
        }),
      ),
    askLine: (title, secret) => lend((done) => createLineInput(pi, look, title, secret, done)),
    choosing: () => inPlace !== undefined,
    page,
    measure: (rows) => ({ lines: rows.flatMap((row) => row(terminal.columns)).length, height: terminal.rows }),
    send: terminal.send,
    pause: () => {
      const given = parts;
      leave();
      // What is on the screen now belongs to the terminal; what comes meanwhile is drawn below it afterwards.
      tail.trim(Number.POSITIVE_INFINITY);
      tui.restoreRenderState(FRESH);
      return () => {
        parts = given;
        tui.start();
      };
    },
    stop: () => {
      if (parts !== undefined) leave();
    },
  };
};

/** As before the first picture. */
const FRESH = {
  previousLines: [],
  previousWidth: 0,
  previousHeight: 0,
  cursorRow: 0,
  hardwareCursorRow: 0,
  maxLinesRendered: 0,
  previousViewportTop: 0,
};

const takePaste = (data: string, parts: Parts | undefined): string => {
  const text = data.slice(PASTE_START.length, -PASTE_END.length);
  return PASTE_START + (parts ? parts.onPaste(text) : text).replaceAll('\t', TAB) + PASTE_END;
};

const listTheme = (look: Look) => ({
  selectedPrefix: (text: string) => look.theme.accent(text),
  selectedText: (text: string) => look.theme.accent(text),
  description: (text: string) => look.theme.dim(text),
  scrollInfo: (text: string) => look.theme.dim(text),
  noMatch: (text: string) => look.theme.dim(text),
});
