import { lineRow, textRow } from '../render/row.ts';
import type { Look } from '../render/theme.ts';
import { aboveEditor } from './above.ts';
import { createActions } from './actions.ts';
import { createAnswering } from './answering.ts';
import { createAttachments } from './attachments.ts';
import { createBeacon } from './beacon.ts';
import { commandsOf } from './commands/index.ts';
import { createCompletions } from './completions.ts';
import { createDesk } from './desk.ts';
import { createExit } from './exit.ts';
import { createHistory } from './history.ts';
import { createKeys } from './keys.ts';
import { createOutbox } from './outbox.ts';
import { loadPi } from './pi.ts';
import type { Questions } from './questions.ts';
import { createView, type View } from './screen.ts';
import { createShell } from './shell.ts';
import { createStage } from './stage.ts';
import { createStatus } from './status-bar.ts';
import { type Desk, runCommand } from './submit.ts';
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
  const prompts = [...past];
  const commands = commandsOf(host, options.commands ?? []);
  const view = createView(pi, options, createCompletions(commands, host, now));
  const { look, push, refresh } = view;
  const stage = createStage(host.session(), {
    look,
    now,
    push,
    onSeen: (seen) => {
      outbox.see(seen);
      if (!('live' in seen)) status.see(seen);
    },
  });
  const outbox = createOutbox({
    session: stage.session,
    now,
    failed: (text, why) => {
      desk.warn(why);
      desk.draft(text);
    },
  });
  const shell = createShell({ host, look, now, push, refresh });
  const attachments = createAttachments(host);
  const beacon = createBeacon(view.send, options.osc9 === true);
  const status = createStatus({ host, view, home: options.home, beacon, asks: () => questions.waiting() > 0, now });
  const answering = createAnswering({
    questions,
    look,
    push,
    explain: host.explain,
    measure: view.measure,
    refresh: status.refresh,
    lend: (text) => lend(view, text),
  });
  const exit = createExit({
    questions,
    busy: () => stage.session().busy(),
    stop: () => stage.session().stop(),
    close: () => {
      status.stop();
      view.stop();
    },
  });
  const desk = createDesk({ view, stage, outbox, host, commands, time, leave: () => void exit.leave(0) });
  const submit = async (text: string, send: Desk['send']) => {
    if (answering.submit(text) || text.trim() === '') return;
    view.editor.addToHistory(text);
    view.editor.setText('');
    prompts.push(text);
    void history.add(stage.session().cwd, text);
    if (shell.take(text)) return;
    const how = await runCommand(desk, text);
    if (how === 'unknown') view.editor.setText(text);
    if (how === 'prompt') send(attachments.contentOf(text));
    status.refresh();
  };
  let todo = true;
  const actions = createActions({
    options,
    view,
    stage,
    outbox,
    shell,
    attachments,
    desk,
    prompts: () => prompts,
    submit: (text, send) => void submit(text, send),
    onMode: status.sayMode,
    toggleTodo: () => {
      todo = !todo;
    },
    report: beacon.onKey,
  });
  const keys = createKeys(pi, view, answering, actions, now);
  for (const text of past.slice(-100)) view.editor.addToHistory(text);
  view.editor.borderColor = (text) => borderOf(look, view, host)(text);
  view.editor.onSubmit = (text) => void submit(text, outbox.send);
  view.start({
    live: () =>
      aboveEditor({
        look,
        stage,
        outbox,
        answering,
        shell,
        todo: todo && stage.session().busy() ? (host.todo?.() ?? []) : [],
        now: now(),
      }),
    status: () => {
      const hint = keys.hint() ?? status.hint();
      return [hint === undefined ? status.row() : lineRow(look, look.theme.dim(hint))];
    },
    onKey: keys.onKey,
    onPaste: (text) => takePaste(text, view, desk, attachments.takePath(text)),
    onResize: answering.reflow,
    onGone: () => void exit.leave(129),
  });
  push([textRow(look, `${look.theme.bold('rein')} ${look.theme.dim(`${options.version} · ? for help`)}`)]);
  stage.show(host.session());
  status.refresh();
  if (prompt !== undefined && prompt.trim() !== '') outbox.send(prompt);
  return { done: exit.done, dispose: exit.dispose, warn: desk.warn };
};

/** A shell line and plan mode are told apart before anything is sent. */
const borderOf = ({ theme }: Look, view: View, host: Host) => {
  if (host.shell && view.editor.getText().startsWith('!')) return theme.warn;
  return host.session().mode === 'plan' ? theme.accent : theme.dim;
};

/** Puts a text into the editor for a while; what was in it comes back. */
const lend = (view: View, text: string): (() => void) => {
  const draft = view.text();
  view.editor.setText(text);
  return () => view.editor.setText(draft);
};

/** A path of an image becomes its token as soon as it is read; anything else is pasted as it is. */
const takePaste = (
  text: string,
  view: View,
  desk: Desk,
  image: ReturnType<ReturnType<typeof createAttachments>['takePath']>,
): string => {
  if (image === undefined) return text;
  void image.then((read) => {
    if (typeof read !== 'string') desk.warn(read.complaint);
    view.editor.insertTextAtCursor(typeof read === 'string' ? read : text);
    view.refresh();
  });
  return '';
};
