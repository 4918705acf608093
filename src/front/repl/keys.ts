import type { Answering } from './answering.ts';
import type { Pi } from './pi.ts';
import type { View } from './screen.ts';

/** A second Ctrl+C within this time leaves, milliseconds. */
const TWICE = 2000;

export type KeyActions = {
  readonly busy: () => boolean;
  readonly stop: () => void;
  readonly takeBack: () => void;
  readonly submit: (text: string) => void;
  readonly leave: () => void;
};

export type Keys = {
  /** Returns true for a key that it took; the editor gets the others. */
  readonly onKey: (data: string) => boolean;
  /** True while another Ctrl+C would leave. */
  readonly leaving: () => boolean;
};

export const createKeys = (pi: Pi, view: View, answering: Answering, actions: KeyActions, now: () => number): Keys => {
  let interrupted = Number.NEGATIVE_INFINITY;
  const leaving = () => now() - interrupted < TWICE;
  const interrupt = () => {
    if (leaving()) return actions.leave();
    const drafted = view.text() !== '';
    // What is cleared was the answer to this press; the next one starts counting.
    interrupted = now();
    if (answering.stop() || actions.busy()) actions.stop();
    else {
      if (drafted) interrupted = Number.NEGATIVE_INFINITY;
      view.editor.setText('');
    }
    setTimeout(view.refresh, TWICE).unref();
    view.refresh();
  };
  const giveUp = () => {
    answering.stop();
    actions.stop();
  };
  const stoppable = () => answering.open() || (actions.busy() && !view.editor.isShowingAutocomplete());
  const onKey = (data: string): boolean => {
    if (view.choosing()) return false;
    const is = (key: Parameters<Pi['matchesKey']>[1]) => pi.matchesKey(data, key);
    if (is('ctrl+c')) return act(interrupt);
    if (is('ctrl+d') && view.text() === '') return act(actions.leave);
    if (is('escape') && stoppable()) return act(giveUp);
    if (answering.take(data)) return true;
    if (is('alt+up')) return act(actions.takeBack);
    // The editor would trim the text; a pasted one is sent as it is.
    const enter = is('enter') && data !== '\n' && !view.editor.isShowingAutocomplete();
    return enter && !backslashed(view.editor) && act(() => actions.submit(view.text()));
  };
  return { onKey, leaving };
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
