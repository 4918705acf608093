import { markdownRows } from '../render/markdown.ts';
import { blank, type Row, textRow } from '../render/row.ts';
import { oneLine } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import { createAnswering } from './answering.ts';
import { createCompletions } from './completions.ts';
import { createHistory } from './history.ts';
import { createKeys } from './keys.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { loadPi } from './pi.ts';
import type { Questions } from './questions.ts';
import { liveRows } from './scene.ts';
import { createView, type View } from './screen.ts';
import { createStage, type Stage } from './stage.ts';
import { activityLine, statusLine } from './status.ts';
import { type Desk, runLine } from './submit.ts';
import type { Command, Host, ReplOptions, Running } from './types.ts';

/** The editor below, the transcript above it in real scrollback: puts the parts together and starts them. */
export const runInteractive = async (
  options: ReplOptions,
  commands: readonly Command[],
  questions: Questions,
  host: Host,
  prompt: string | undefined,
): Promise<Running> => {
  const { now } = options;
  const history = createHistory(options.historyFile, options.time);
  const [pi, past] = await Promise.all([loadPi(), history.load(host.session().cwd)]);
  const view = createView(pi, options, createCompletions(commands, host));
  const { look, push, refresh } = view;
  const stage = createStage(host.session(), { look, now, push, onSeen: (seen) => outbox.see(seen) });
  const outbox = createOutbox(stage.session, now);
  const answering = createAnswering({ questions, look, push, refresh, lend: () => lend(view) });
  const busy = () => stage.session().busy();
  const exit = createExit(view, stage, questions);
  const desk: Desk = {
    host,
    commands,
    send: outbox.send,
    say: (markdown) => push([blank, ...markdownRows(markdown, look)]),
    warn: (text) => push([textRow(look, `${look.theme.warn('!')} ${oneLine(text, 1000)}`, 2)]),
    choose: view.choose,
    show: (session) => {
      push([blank, textRow(look, look.theme.dim(`── session ${oneLine(session.id, 60)} ──`))]);
      stage.show(session);
    },
    time: options.time,
    leave: () => void exit.leave(0),
  };
  const submit = async (text: string) => {
    if (answering.submit(text) || text.trim() === '') return;
    view.editor.addToHistory(text);
    view.editor.setText('');
    void history.add(stage.session().cwd, text);
    if (!(await runLine(desk, text))) view.editor.setText(text);
    refresh();
  };
  const takeBack = () => restore(view, outbox);
  const stop = () => {
    takeBack();
    void stage.session().stop();
  };
  const keys = createKeys(pi, view, answering, { busy, stop, takeBack, submit, leave: desk.leave }, now);
  for (const text of past.slice(-100)) view.editor.addToHistory(text);
  view.editor.onSubmit = (text) => void submit(text);
  view.start({
    live: () => aboveEditor(look, stage, outbox, answering.rows(), now()),
    status: () => [textRow(look, keys.leaving() ? hint(look) : statusLine(stage.session(), look, options.home))],
    onKey: keys.onKey,
    onGone: () => void exit.leave(129),
  });
  push([textRow(look, `${look.theme.bold('rein')} ${look.theme.dim(`${options.version} · /help`)}`)]);
  stage.show(host.session());
  if (prompt !== undefined && prompt.trim() !== '') outbox.send(prompt);
  return { done: exit.done, dispose: exit.dispose, warn: desk.warn };
};

const hint = (look: Look): string => look.theme.dim('Ctrl+C again leaves');

/** What runs, then the question or what the model does, then what waits for it. */
const aboveEditor = (
  look: Look,
  stage: Stage,
  outbox: Outbox,
  question: readonly Row[],
  now: number,
): readonly Row[] => {
  const working = stage.session().busy() && question.length === 0;
  const activity = working ? [textRow(look, activityLine(stage.scene(), look, now - outbox.since()))] : [];
  return [...liveRows(stage.scene(), look, now), blank, ...question, ...activity, ...outbox.rows(look)];
};

/** Empties the editor for a while; what was in it comes back. */
const lend = (view: View): (() => void) => {
  const draft = view.text();
  view.editor.setText('');
  return () => view.editor.setText(draft);
};

/** What was queued goes back into the editor, before what is there. */
const restore = (view: View, outbox: Outbox): void => {
  const back = outbox.recall();
  if (back.length > 0) view.editor.setText([...back, view.text()].filter((text) => text !== '').join('\n'));
  view.refresh();
};

/** Leaving: what is asked is refused, what runs is stopped, the terminal is given back. A second time does not wait. */
const createExit = (view: View, stage: Stage, questions: Questions) => {
  const { promise: done, resolve } = Promise.withResolvers<number>();
  // Clocks on the screen tick while something works.
  const ticker = setInterval(() => stage.session().busy() && view.refresh(), 500);
  let leaving = false;
  const close = (code: number) => {
    clearInterval(ticker);
    view.stop();
    resolve(code);
  };
  const leave = async (code: number): Promise<void> => {
    if (leaving) return close(code);
    leaving = true;
    questions.refuse({ allow: false, end: true, reason: 'not approved: the program was left' });
    if (stage.session().busy()) await stage.session().stop();
    close(code);
  };
  return { done, leave, dispose: () => close(0) };
};
