import { lineRow, textRow } from '../render/row.ts';
import type { Look } from '../render/theme.ts';
import { aboveEditor } from './above.ts';
import { createActions } from './actions.ts';
import { createAnswering } from './answering.ts';
import { type Attachments, createAttachments } from './attachments.ts';
import { createBeacon } from './beacon.ts';
import { commandsOf } from './commands/index.ts';
import { createCompletions } from './completions.ts';
import { createDesk } from './desk.ts';
import { createExit, type Exit } from './exit.ts';
import { createHistory } from './history.ts';
import { createKeys, type Keys } from './keys.ts';
import { createOutbox } from './outbox.ts';
import { loadPi } from './pi.ts';
import type { Questions } from './questions.ts';
import { createView, type Parts, type View } from './screen.ts';
import { createShell } from './shell.ts';
import { createStage } from './stage.ts';
import { createStatus, type StatusBar } from './status-bar.ts';
import { createSubmission } from './submission.ts';
import { type Desk, runCommand } from './submit.ts';
import { createTodo } from './todo.ts';
import type { Host, ReplOptions, Running } from './types.ts';

/** The editor below, the transcript above it in real scrollback: puts the parts together and starts them. */
export const runInteractive = async (
  options: ReplOptions,
  questions: Questions,
  host: Host,
  prompt: string | undefined,
): Promise<Running> => {
  const { now, time } = options;
  const history = createHistory(options.historyFile, time);
  const [pi, past] = await Promise.all([loadPi(), history.load(host.session().cwd)]);
  const commands = commandsOf(options.commands ?? []);
  const view = createView(pi, options, createCompletions(commands, host, now));
  const { look, push, refresh, page } = view;
  const stage = createStage(host.session(), {
    look,
    now,
    push,
    onSeen: (seen) => {
      outbox.see(seen);
      if (!('live' in seen)) status.see(seen);
    },
  });
  const failed = (text: string, why: string) => {
    desk.warn(why);
    desk.draft(text);
  };
  const outbox = createOutbox({ session: stage.session, now, failed });
  const shell = createShell({ host, look, now, push, refresh });
  const attachments = createAttachments(host);
  const beacon = createBeacon(view.send, options.osc9 === true);
  const status = createStatus({ host, view, home: options.home, beacon, asks: () => questions.waiting() > 0, now });
  const lend = (text: string) => lendEditor(view, text);
  const { explain } = host;
  const answering = createAnswering({ questions, look, push, explain, page, refresh: status.refresh, lend });
  const exit = createLeaving(view, questions, host, status);
  const desk = createDesk({ options, view, stage, outbox, host, commands, leave: () => void exit.leave(0) });
  const typed = { view, answering, shell, attachments, desk, past, history, refresh: status.refresh };
  const { submit, prompts } = createSubmission(typed);
  const todo = createTodo(host, desk.agents, status.say);
  const parts = { options, view, stage, outbox, shell, attachments, desk, prompts };
  const more = { submit, onMode: status.sayMode, toggleTodo: todo.toggle, report: beacon.onKey };
  const keys = createKeys(pi, view, answering, createActions({ ...parts, ...more }), now);
  view.editor.borderColor = (text) => borderOf(look, view, host)(text);
  view.editor.onSubmit = (text) => void submit(text, outbox.send);
  const above = (room: number) => aboveEditor({ look, stage, outbox, answering, shell, todo, now: now() }, room);
  start({ view, above, keys, status, desk, attachments, exit });
  push([textRow(look, `${look.theme.bold('rein')} ${look.theme.dim(`${options.version} · ? for help`)}`)]);
  stage.show(host.session());
  status.refresh();
  if (prompt !== undefined) void begin(desk, prompt);
  return { done: exit.done, dispose: exit.dispose, warn: desk.warn };
};

/** What the command line gave is taken as if it had been typed. */
const begin = async (desk: Desk, text: string): Promise<void> => {
  const how = await runCommand(desk, text);
  if (how === 'unknown') desk.draft(text);
  if (how === 'prompt' && text.trim() !== '') desk.send(text);
};

type Started = {
  readonly view: View;
  readonly above: Parts['live'];
  readonly keys: Keys;
  readonly status: StatusBar;
  readonly desk: Desk;
  readonly attachments: Attachments;
  readonly exit: Exit;
};

const start = ({ view, above, keys, status, desk, attachments, exit }: Started): void =>
  view.start({
    live: above,
    status: () => {
      const hint = keys.hint() ?? status.hint();
      return [hint === undefined ? status.row() : lineRow(view.look, view.look.theme.dim(hint))];
    },
    onKey: keys.onKey,
    onPaste: (text) => takePaste(text, view, desk, attachments),
    onGone: () => void exit.leave(129),
  });

const createLeaving = (view: View, questions: Questions, host: Host, status: StatusBar): Exit =>
  createExit({
    questions,
    busy: () => host.session().busy(),
    stop: () => host.session().stop(),
    close: () => {
      status.stop();
      view.stop();
    },
  });

/** A shell line and plan mode are told apart before anything is sent. */
const borderOf = ({ theme }: Look, view: View, host: Host) => {
  if (view.editor.getText().startsWith('!')) return theme.warn;
  return host.session().mode === 'plan' ? theme.accent : theme.dim;
};

/** Puts a text into the editor for a while; what was in it comes back. */
const lendEditor = (view: View, text: string): (() => void) => {
  const draft = view.text();
  const put = (next: string) => {
    view.editor.setText(next);
    view.refresh();
  };
  put(text);
  return () => put(draft);
};

/** A path of an image becomes its token as soon as it is read; anything else is pasted as it is. */
const takePaste = (text: string, view: View, desk: Desk, attachments: Attachments): string => {
  const image = attachments.takePath(text);
  if (image === undefined) return text;
  void image.then((read) => {
    if (typeof read !== 'string') desk.warn(read.complaint);
    view.editor.insertTextAtCursor(typeof read === 'string' ? read : text);
    view.refresh();
  });
  return '';
};
