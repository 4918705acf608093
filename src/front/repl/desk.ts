import { markdownRows } from '../render/markdown.ts';
import { blank, textRow } from '../render/row.ts';
import { oneLine } from '../render/safe.ts';
import { keysHelp } from './commands/keys.ts';
import type { Outbox } from './outbox.ts';
import { agentsIn } from './runs.ts';
import type { View } from './screen.ts';
import type { Stage } from './stage.ts';
import type { Desk } from './submit.ts';
import type { Command, Host, ReplOptions } from './types.ts';

export type DeskOptions = {
  readonly options: Pick<ReplOptions, 'time' | 'copy' | 'edit'>;
  readonly view: View;
  readonly stage: Stage;
  readonly outbox: Outbox;
  readonly host: Host;
  readonly commands: readonly Command[];
  readonly leave: () => void;
};

/** What commands may do with the screen. */
export const createDesk = ({ options, view, stage, outbox, host, commands, leave }: DeskOptions): Desk => {
  const { time, copy, edit } = options;
  const { look, push } = view;
  return {
    host,
    commands,
    keys: keysHelp,
    send: outbox.send,
    say: (markdown) => {
      if (markdown !== '') push([blank, ...markdownRows(markdown, look)]);
    },
    read: (title, markdown) => view.page(title, markdownRows(markdown, look), 'start'),
    warn: (text) => push([textRow(look, `${look.theme.warn('!')} ${oneLine(text, 1000)}`, 2)]),
    choose: view.choose,
    draft: (text) => {
      const before = view.text();
      view.editor.setText(before === '' ? text : `${text}\n${before}`);
      view.refresh();
    },
    keep: (prompt) => {
      view.editor.addToHistory(prompt);
      return 'Up brings the prompt back.';
    },
    show: (session) => {
      push([blank, textRow(look, look.theme.dim(`── session ${oneLine(session.id, 60)} ──`))]);
      stage.show(session);
    },
    setTheme: view.setTheme,
    copy: async (text) => {
      if (await copy?.(text).catch(() => false)) return 'The last answer is on the clipboard.';
      view.send(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`);
      return 'The last answer was given to the terminal, for the clipboard: some do not take it.';
    },
    edit: (text) => outside(view, () => edit(text)),
    agents: () => agentsIn(stage.scene().running),
    time,
    leave,
  };
};

/** The terminal belongs to somebody else meanwhile. */
const outside = async <T>(view: View, work: () => Promise<T>): Promise<T> => {
  const resume = view.pause();
  try {
    return await work();
  } finally {
    resume();
  }
};
