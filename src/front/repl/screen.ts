import type { Row } from '../render/row.ts';
import { type Look, themeOf } from '../render/theme.ts';
import { type Below, createDrawing, letGo } from './drawing.ts';
import type { AutocompleteProvider, Component, Editor, Pi } from './pi.ts';
import { createTerminal, PASTE_START } from './terminal.ts';
import type { Choice, ReplOptions } from './types.ts';

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
  /** A list in place of the editor; undefined when the person goes back. */
  readonly choose: (title: string, choices: readonly Choice[]) => Promise<string | undefined>;
  readonly choosing: () => boolean;
  /** Leaves the transcript and gives the terminal back, at once. */
  readonly stop: () => void;
};

export type Parts = Below & {
  /** Returns true for a key that it took. Pastes go to the editor. */
  readonly onKey: (data: string) => boolean;
  readonly onGone: () => void;
};

/** Transcript, live rows, editor and status on the normal screen. pi-tui draws; what it draws is decided elsewhere. */
export const createView = (pi: Pi, options: ReplOptions, completions: AutocompleteProvider): View => {
  const look: Look = { theme: themeOf(options.color), width: pi.visibleWidth, wrap: pi.wrapTextWithAnsi };
  let parts: Parts | undefined;
  let picker: Component | undefined;
  const terminal = createTerminal(pi, options.stdin, options.stdout, () => parts?.onGone());
  const tui = new pi.TuiMainScreen(terminal, true);
  const editor = new pi.Editor(tui, { borderColor: look.theme.dim, selectList: listTheme(look) });
  editor.setAutocompleteProvider(completions);
  const { tail, render } = createDrawing(
    pi,
    () => terminal.rows,
    () => picker ?? editor,
    () => parts,
  );
  tui.addChild({ render, invalidate: () => {} });
  tui.addInputListener((data) => {
    if (data.startsWith(PASTE_START)) return { data: data.replaceAll('\t', TAB) };
    return parts?.onKey(data) ? { consume: true } : undefined;
  });
  const put = (component: Component | undefined) => {
    picker = component;
    tui.setFocus(picker ?? editor);
    tui.requestRender();
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
    push: (rows, drop = 0) => {
      letGo(tui, tail);
      tail.drop(drop);
      tail.push(rows);
      tui.requestRender();
    },
    refresh: () => tui.requestRender(),
    choose: async (title, choices) => {
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      put(createPicker(pi, look, title, choices, terminal.rows - 6, resolve));
      const picked = await promise;
      put(undefined);
      return picked;
    },
    choosing: () => picker !== undefined,
    stop: () => {
      if (parts === undefined) return;
      parts = undefined;
      tui.renderNow();
      tui.stop();
    },
  };
};

const listTheme = ({ theme }: Look) => ({
  selectedPrefix: theme.accent,
  selectedText: theme.accent,
  description: theme.dim,
  scrollInfo: theme.dim,
  noMatch: theme.dim,
});

const createPicker = (
  pi: Pi,
  look: Look,
  title: string,
  choices: readonly Choice[],
  height: number,
  pick: (value: string | undefined) => void,
): Component => {
  const items = choices.map(({ value, label, about }) => ({
    value,
    label,
    ...(about === undefined ? {} : { description: about }),
  }));
  const select = new pi.SelectList(items, Math.max(3, Math.min(10, height)), listTheme(look));
  select.onSelect = ({ value }) => pick(value);
  select.onCancel = () => pick(undefined);
  const keys = look.theme.dim('enter picks · esc goes back');
  return {
    render: (width) => [look.theme.bold(title), ...select.render(width), keys],
    handleInput: (data) => select.handleInput(data),
    invalidate: () => {},
  };
};
