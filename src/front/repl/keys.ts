import type { Answering } from './answering.ts';
import type { Pi } from './pi.ts';
import type { View } from './screen.ts';

/** A second Ctrl+C within this time leaves, a second Esc goes back, milliseconds. */
const TWICE = 2000;
const TWICE_ESC = 1000;

export type KeyActions = {
  readonly busy: () => boolean;
  readonly stop: () => void;
  readonly takeBack: () => void;
  readonly submit: (text: string) => void;
  readonly queue: (text: string) => void;
  readonly leave: () => void;
  readonly rewind: () => void;
  readonly cycleMode: () => void;
  readonly suspend: () => void;
  readonly editor: () => void;
  readonly pasteImage: () => void;
  /** Enter on an empty line, where a plan waits; false where none does. */
  readonly approve: () => boolean;
  /** False where nothing runs that could go on behind: the key is the editor's then. */
  readonly background: () => boolean;
  readonly searchHistory: () => void;
  readonly showAll: () => void;
  readonly toggleTodo: () => void;
  readonly help: () => void;
  /** A report of the terminal's, no key. */
  readonly report: (data: string) => boolean;
};

export type Keys = {
  /** Returns true for a key that it took; the editor gets the others. */
  readonly onKey: (data: string) => boolean;
  /** What a second press of the last key would do, while it would. */
  readonly hint: () => string | undefined;
};

type Key = Parameters<Pi['matchesKey']>[1];

export const createKeys = (pi: Pi, view: View, answering: Answering, actions: KeyActions, now: () => number): Keys => {
  const once = createTwice(now, view.refresh);
  const interrupt = () => {
    if (once.again('ctrl+c')) return actions.leave();
    const drafted = view.text() !== '';
    if (answering.stop() || actions.busy()) actions.stop();
    else {
      view.editor.setText('');
      // What is cleared was the answer to this press; the next one starts counting.
      if (drafted) return view.refresh();
    }
    once.press('ctrl+c', TWICE, 'ctrl+c again leaves');
  };
  const goBack = createGoBack(view, answering, actions, once);
  const empty = () => view.text() === '';
  /** An action that returns false leaves its key to the editor. */
  const plain: readonly (readonly [Key, () => unknown])[] = [
    ['alt+up', actions.takeBack],
    ['alt+enter', () => actions.queue(view.text())],
    ['shift+tab', actions.cycleMode],
    ['ctrl+z', actions.suspend],
    ['ctrl+g', actions.editor],
    ['ctrl+r', actions.searchHistory],
    ['ctrl+o', actions.showAll],
    ['ctrl+t', actions.toggleTodo],
    ['ctrl+v', actions.pasteImage],
    ['ctrl+b', actions.background],
  ];
  const onKey = (data: string): boolean => {
    if (actions.report(data)) return true;
    if (view.choosing()) return false;
    const is = (key: Key) => pi.matchesKey(data, key);
    if (is('ctrl+c')) return act(interrupt);
    // Whoever goes on with something else did not mean to leave.
    if (!is('escape')) once.forget();
    if (is('ctrl+d') && empty()) return act(actions.leave);
    if (data === '\x1b\x1b') goBack();
    if ((is('escape') || data === '\x1b\x1b') && goBack()) return true;
    if ((is('ctrl+o') || (is('pageUp') && answering.open())) && answering.showAll()) return true;
    if (answering.take(data)) return true;
    const bound = plain.find(([key]) => is(key));
    if (bound && bound[1]() !== false) return true;
    if (data === '?' && empty()) return act(actions.help);
    // The editor would trim the text; a pasted one is sent as it is.
    const enter = is('enter') && data !== '\n' && !view.editor.isShowingAutocomplete();
    if (enter && empty() && actions.approve()) return true;
    return enter && !backslashed(view.editor) && act(() => actions.submit(view.text()));
  };
  return { onKey, hint: once.hint };
};

/** Esc: out of what is open, then of what runs, then of the conversation. */
const createGoBack =
  (view: View, answering: Answering, actions: KeyActions, once: ReturnType<typeof createTwice>) => (): boolean => {
    // A list of completions is left first.
    if (view.editor.isShowingAutocomplete() && !answering.open()) return false;
    if (answering.back()) return true;
    if (answering.open() || actions.busy()) {
      answering.stop();
      actions.stop();
      return true;
    }
    if (once.again('escape')) actions.rewind();
    else once.press('escape', TWICE_ESC, 'esc again goes back to an earlier prompt');
    return true;
  };

/** A key that does more when it is pressed again soon. */
const createTwice = (now: () => number, refresh: () => void) => {
  let last = { key: '', until: 0, hint: '' };
  return {
    again: (key: string) => {
      const twice = last.key === key && now() < last.until;
      if (twice) last = { key: '', until: 0, hint: '' };
      return twice;
    },
    press: (key: string, time: number, hint: string) => {
      last = { key, until: now() + time, hint };
      setTimeout(refresh, time).unref();
      refresh();
    },
    forget: () => {
      last = { key: '', until: 0, hint: '' };
    },
    hint: () => (now() < last.until ? last.hint : undefined),
  };
};

const act = (action: () => void): true => {
  action();
  return true;
};

/** `\` before the cursor turns Enter into a new line; the editor does that. */
const backslashed = (editor: View['editor']): boolean => {
  const { line, col } = editor.getCursor();
  return (editor.getLines()[line] ?? '').charAt(col - 1) === '\\';
};
