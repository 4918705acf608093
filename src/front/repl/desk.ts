import { markdownRows } from '../render/markdown.ts';
import { blank, textRow } from '../render/row.ts';
import { oneLine } from '../render/safe.ts';
import type { Outbox } from './outbox.ts';
import type { View } from './screen.ts';
import type { Stage } from './stage.ts';
import type { Desk } from './submit.ts';
import type { Command, Host } from './types.ts';

export type DeskOptions = {
  readonly view: View;
  readonly stage: Stage;
  readonly outbox: Outbox;
  readonly host: Host;
  readonly commands: readonly Command[];
  readonly time: () => number;
  readonly leave: () => void;
};

/** What commands may do with the screen. */
export const createDesk = ({ view, stage, outbox, host, commands, time, leave }: DeskOptions): Desk => {
  const { look, push } = view;
  return {
    host,
    commands,
    send: outbox.send,
    say: (markdown) => {
      if (markdown !== '') push([blank, ...markdownRows(markdown, look)]);
    },
    read: (title, markdown) => view.page(title, markdownRows(markdown, look)),
    warn: (text) => push([textRow(look, `${look.theme.warn('!')} ${oneLine(text, 1000)}`, 2)]),
    choose: view.choose,
    draft: (text) => {
      const before = view.text();
      view.editor.setText(before === '' ? text : `${text}\n${before}`);
      view.refresh();
    },
    show: (session) => {
      push([blank, textRow(look, look.theme.dim(`── session ${oneLine(session.id, 60)} ──`))]);
      stage.show(session);
    },
    setTheme: view.setTheme,
    copy: (text) => view.send(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`),
    time,
    leave,
  };
};
