import type { Row } from '../render/row.ts';
import { type Look, type ThemeName, themeOf } from '../render/theme.ts';
import { type Below, createDrawing, letGo } from './drawing.ts';
import { createPaging, type Paging } from './pager.ts';
import type { AutocompleteProvider, Component, Editor, Pi, Tui } from './pi.ts';
import { createLineInput, createPicker } from './picker.ts';
import type { Tail } from './tail.ts';
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
  readonly page: Paging['show'];
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
  readonly onGone: () => void;
};

/** Transcript, live rows, editor and status on the normal screen. pi-tui draws; what it draws is decided elsewhere. */
export const createView = (pi: Pi, options: ReplOptions, completions: AutocompleteProvider): View => {
  const { look, setTheme } = createLook(pi, options);
  let parts: Parts | undefined;
  const terminal = createTerminal(pi, options.stdin, options.stdout, () => parts?.onGone());
  const tui = new pi.TuiMainScreen(terminal, true);
  const editor = new pi.Editor(tui, { borderColor: (text) => look.theme.dim(text), selectList: listTheme(look) });
  editor.setAutocompleteProvider(completions);
  const paging = createPaging(pi, look, terminal, tui);
  const { lend, inPlace, put } = createLending(tui, editor);
  const drawing = createDrawing(pi, look, {
    rows: () => terminal.rows,
    input: () => inPlace() ?? editor,
    below: () => parts,
    still: paging.open,
  });
  const { tail } = drawing;
  tui.addChild({ render: drawing.render, invalidate: () => {} });
  tui.addInputListener((data) => {
    if (paging.take(data)) return { consume: true };
    if (data.startsWith(PASTE_START)) return { data: takePaste(data, inPlace() ? undefined : parts) };
    return parts?.onKey(data) ? { consume: true } : undefined;
  });
  options.stdout.on('resize', paging.draw);
  const start = (given: Parts) => {
    parts = given;
    put(undefined);
    tui.start();
  };
  const leave = () => {
    paging.close();
    parts = undefined;
    tui.renderNow();
    tui.stop();
  };
  return {
    look,
    editor,
    start,
    text: () => editor.getExpandedText().replaceAll(TAB, '\t'),
    push: (rows, drop) => paging.later(() => push(tui, tail, rows, drop)),
    refresh: () => tui.requestRender(),
    setTheme,
    ...createChoosing(pi, look, tui, lend),
    choosing: () => inPlace() !== undefined,
    page: paging.show,
    send: terminal.send,
    pause: () => {
      const given = parts;
      leave();
      forget(tui, tail);
      return () => given && start(given);
    },
    stop: () => {
      if (parts !== undefined) leave();
    },
  };
};

/** Text of which every character is one column wide. pi-tui's measure takes 20 ms to get ready, when it is first needed. */
const SIMPLE = /^(?:\x1b\[[\d;]*m|[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u203a⎇─-▟●▰▱✓✗])*$/;
const STYLES = /\x1b\[[\d;]*m/g;

const createLook = (pi: Pi, { color, theme: name }: ReplOptions) => {
  let theme = themeOf(color, name);
  const look: Look = {
    get theme() {
      return theme;
    },
    width: (text) => (SIMPLE.test(text) ? text.replace(STYLES, '').length : pi.visibleWidth(text)),
    wrap: pi.wrapTextWithAnsi,
    cut: (text, width) => pi.truncateToWidth(text, width, '…'),
  };
  const setTheme = (next: ThemeName) => {
    theme = themeOf(color, next);
  };
  return { look, setTheme };
};

/** What is in place of the editor, for as long as it needs. */
const createLending = (tui: Tui, editor: Editor) => {
  let component: Component | undefined;
  const put = (next: Component | undefined) => {
    component = next;
    tui.setFocus(next ?? editor);
    tui.requestRender();
  };
  const lend = async <T>(make: (done: (value: T) => void) => Component): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<T>();
    put(make(resolve));
    const value = await promise;
    put(undefined);
    return value;
  };
  return { lend, put, inPlace: () => component };
};

const createChoosing = (pi: Pi, look: Look, tui: Tui, lend: ReturnType<typeof createLending>['lend']) => {
  const room = () => tui.terminal.rows - 3;
  const refresh = () => tui.requestRender();
  const choose: View['choose'] = (title, choices, options = {}) =>
    lend((pick) => createPicker(pi, { look, title, choices, options, room, refresh, pick }));
  const askLine: View['askLine'] = (title, secret) => lend((done) => createLineInput(pi, look, title, secret, done));
  return { choose, askLine };
};

const push = (tui: Tui, tail: Tail, rows: readonly Row[], drop = 0): void => {
  letGo(tui, tail);
  tail.drop(drop);
  tail.push(rows);
  tui.requestRender();
};

/** What is on the screen now belongs to the terminal; what comes from now on is drawn below it. */
const forget = (tui: Tui, tail: Tail): void => {
  tail.trim(Number.POSITIVE_INFINITY);
  tui.restoreRenderState(FRESH);
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
