import type { Answer, ExplainedPart, Question } from '../../harness/types.ts';
import { blank, type Row, textRow } from '../render/row.ts';
import type { Look } from '../render/theme.ts';
import type { Host } from './host.ts';
import { answerKeys, answerRow, type Pending, type Questions, questionRows, refusal } from './questions.ts';

const QUIET = 300;
/** Lines of the screen that a question leaves to the rest. */
const MARGIN = 8;

export type Answering = {
  /** The question on the screen, and the keys that answer it. */
  readonly rows: () => readonly Row[];
  readonly open: () => boolean;
  /** Takes a key that answers; others go their usual way. */
  readonly take: (key: string) => boolean;
  /** Takes the reason, or the changed command, that was typed. */
  readonly submit: (text: string) => boolean;
  /** No, and stop. False where nothing is asked. */
  readonly stop: () => boolean;
  /** The screen has another size. */
  readonly reflow: () => void;
};

export type AnsweringOptions = {
  readonly questions: Questions;
  readonly look: Look;
  readonly explain: Host['explain'];
  readonly push: (rows: readonly Row[]) => void;
  readonly refresh: () => void;
  readonly measure: (rows: readonly Row[]) => { readonly lines: number; readonly height: number };
  /** Puts a text where the person writes; what comes back puts back what was there. */
  readonly lend: (text: string) => () => void;
};

type Stage = 'unarmed' | 'armed' | 'reason' | 'edit';
type Shown = { readonly pending: Pending; readonly rows: readonly Row[]; readonly inTranscript: boolean };

/**
 * The question at the head of the queue: shown whole, then armed, then answered. Where it does not fit above the editor
 * it goes into the transcript, so that all of it can be read.
 */
export const createAnswering = (options: AnsweringOptions): Answering => {
  const { questions, look, refresh } = options;
  let shown: Shown | undefined;
  let stage: Stage = 'unarmed';
  let giveBack = () => {};
  const arming = createArming(() => {
    stage = 'armed';
    refresh();
  });
  const close = (given: Answer): true => {
    const last = shown;
    shown = undefined;
    stage = 'unarmed';
    arming.stop();
    giveBack();
    giveBack = () => {};
    if (last) settle(last, given, options);
    return true;
  };
  const follow = async () => {
    const head = questions.head();
    if (head === shown?.pending) return;
    if (shown) close({ allow: false, end: true });
    const rows = head ? await rowsOf(head.question, options) : [];
    refresh();
    if (!head || questions.head() !== head || shown) return;
    shown = place(head, rows, options);
    arming.start();
  };
  const act = (choice: Answer | 'reason' | 'edit' | undefined, { question }: Pending) => {
    if (typeof choice === 'object') close(choice);
    if (typeof choice !== 'string') return;
    stage = choice;
    giveBack = options.lend(choice === 'edit' ? (question.access.command ?? '') : '');
    refresh();
  };
  // What was seen before the question is on its way to the screen: it goes first.
  questions.watch(() => setImmediate(() => void follow()));
  return {
    rows: () => (shown ? panelRows(look, shown, stage, questions.waiting()) : []),
    open: () => shown !== undefined,
    take: (key) => {
      if (!shown || stage === 'reason' || stage === 'edit') return false;
      if (stage === 'armed') act(choiceOf(key.toLowerCase(), shown.pending), shown.pending);
      else arming.start();
      return stage !== 'unarmed' || shown === undefined;
    },
    submit: (text) => {
      if (!shown || (stage !== 'reason' && stage !== 'edit')) return false;
      return close(stage === 'reason' ? refusal(text) : correction(text, shown.pending));
    },
    stop: () => shown !== undefined && close({ allow: false, end: true }),
    reflow: () => {
      if (shown && !shown.inTranscript) shown = place(shown.pending, shown.rows, options);
      refresh();
    },
  };
};

/** Says so in the transcript where nothing else would. A question that was answered elsewhere takes no second answer. */
const settle = ({ pending, inTranscript }: Shown, given: Answer, { look, push }: AnsweringOptions): void => {
  const reason = !given.allow && given.reason !== undefined;
  if (inTranscript || reason) push([answerRow(look, given, pending.question.rule)]);
  pending.answer(given);
};

/** No key answers until the question was on the screen for so long without one, milliseconds. */
const createArming = (armed: () => void) => {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const start = () => {
    stop();
    timer = setTimeout(armed, QUIET);
  };
  return { start, stop };
};

const rowsOf = async (question: Question, { look, explain }: AnsweringOptions): Promise<readonly Row[]> => {
  const { command, cwd } = question.access;
  const parts = command === undefined ? [] : await explain(command, cwd).catch((): ExplainedPart[] => []);
  return questionRows(look, question, parts);
};

const place = (pending: Pending, rows: readonly Row[], { measure, push }: AnsweringOptions): Shown => {
  const { lines, height } = measure(rows);
  const inTranscript = lines > height - MARGIN;
  if (inTranscript) push([blank, ...rows]);
  return { pending, rows, inTranscript };
};

const choiceOf = (key: string, { question }: Pending): Answer | 'reason' | 'edit' | undefined => {
  if (key === 'y') return { allow: true };
  if (key === 'a' && question.rule !== undefined) return { allow: true, always: true };
  if (key === 'n') return 'reason';
  return key === 'e' && question.access.command !== undefined ? 'edit' : undefined;
};

/** Only the model changes a call: it is told what the person would have it run, and that is asked again. */
const correction = (text: string, { question }: Pending): Answer =>
  refusal(text.trim() === '' || text === question.access.command ? '' : `not this; run instead:\n${text}`);

const panelRows = (
  look: Look,
  { pending, rows, inTranscript }: Shown,
  stage: Stage,
  waiting: number,
): readonly Row[] => {
  const line = textRow(look, `  ${promptLine(look, stage, pending, waiting)}`, 2);
  return inTranscript ? [line] : [...rows, line];
};

const promptLine = (look: Look, stage: Stage, { question }: Pending, waiting: number): string => {
  if (stage === 'armed') return answerKeys(look, question, waiting);
  const said = {
    unarmed: '…',
    reason: 'Why not? The model reads it. Enter sends, also nothing.',
    edit: 'Change it and press Enter: the model is told to run this instead, and it is asked again.',
  }[stage];
  return look.theme.dim(said);
};
