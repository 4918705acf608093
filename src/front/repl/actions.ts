import { fullRows } from '../render/full.ts';
import { oneLine } from '../render/safe.ts';
import type { Attachments } from './attachments.ts';
import { messageOf } from './commands/find.ts';
import type { KeyActions } from './keys.ts';
import type { Outbox } from './outbox.ts';
import { planOf } from './plan.ts';
import type { View } from './screen.ts';
import type { Shell } from './shell.ts';
import type { Stage } from './stage.ts';
import { CYCLE } from './status.ts';
import { type Desk, runCommand } from './submit.ts';
import type { ReplOptions } from './types.ts';

export type ActionOptions = {
  readonly options: ReplOptions;
  readonly view: View;
  readonly stage: Stage;
  readonly outbox: Outbox;
  readonly shell: Shell;
  readonly attachments: Attachments;
  readonly desk: Desk;
  /** Oldest first. */
  readonly prompts: () => readonly string[];
  readonly submit: (text: string, send: Desk['send']) => void;
  readonly onMode: (mode: string) => void;
  readonly toggleTodo: () => void;
  readonly report: KeyActions['report'];
};

/** What the keys do. */
export const createActions = (given: ActionOptions): KeyActions => {
  const { options, view, stage, outbox, shell, desk, submit } = given;
  const { host } = desk;
  const { editor, refresh } = view;
  const command = (line: string) => void runCommand(desk, line);
  const takeBack = () => {
    const back = outbox.recall();
    if (back.length > 0) editor.setText([...back, view.text()].filter((text) => text !== '').join('\n'));
    refresh();
  };
  return {
    busy: () => stage.session().busy() || shell.busy(),
    stop: () => {
      takeBack();
      shell.stop();
      if (stage.session().busy()) void stage.session().stop();
    },
    takeBack,
    submit: (text) => submit(text, outbox.send),
    queue: (text) => submit(text, outbox.queue),
    leave: desk.leave,
    searchHistory: () => void searchHistory(view, given.prompts()),
    showAll: () => view.page('everything', fullRows(stage.session().entries(), view.look), 'end'),
    toggleTodo: () => {
      given.toggleTodo();
      refresh();
    },
    help: () => command('/help'),
    approve: () => approvePlan(desk),
    report: given.report,
    rewind: () => command('/rewind'),
    cycleMode: () => {
      const next = CYCLE[(CYCLE.indexOf(host.session().mode) + 1) % CYCLE.length] ?? 'ask';
      host.setMode(next);
      given.onMode(next);
    },
    editor: () => void editOutside(view, desk),
    suspend: () => {
      process.once('SIGCONT', view.pause());
      options.suspend();
    },
    pasteImage: () => void pasteImage(given),
    background: host.background,
  };
};

/** False where no plan waits. */
const approvePlan = (desk: Desk): boolean => {
  const waits = planOf(desk.host.session()) !== undefined;
  if (waits) void runCommand(desk, '/approve');
  return waits;
};

const searchHistory = async (view: View, prompts: readonly string[]): Promise<void> => {
  const newest = [...new Set(prompts.toReversed())];
  const choices = newest.map((text) => ({ value: text, label: oneLine(text, 200) }));
  const picked = await view.choose('Earlier prompts', choices);
  if (picked !== undefined) view.editor.setText(picked);
};

const editOutside = async (view: View, desk: Desk): Promise<void> => {
  try {
    view.editor.setText((await desk.edit?.(view.text())) ?? view.text());
  } catch (error) {
    desk.warn(messageOf(error));
  }
};

const pasteImage = async ({ view, desk, attachments }: ActionOptions): Promise<void> => {
  try {
    const image = await desk.host.pasteImage();
    if (image) view.editor.insertTextAtCursor(`${attachments.add(image)} `);
    else desk.warn('There is no image on the clipboard, or no program here that reads it.');
  } catch (error) {
    desk.warn(messageOf(error));
  }
  view.refresh();
};
