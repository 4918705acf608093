import type { Answer, ExplainedPart, Question } from '../../harness/types.ts';
import { blank, type Row, textRow } from '../render/row.ts';
import { exposed } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import { count } from '../render/units.ts';
import type { Host } from './host.ts';
import { answerKeys, answerRow, type Pending, type Questions, questionRows, refusal } from './questions.ts';
import type { View } from './screen.ts';

const QUIET = 300;
/** Letters of a rule where there is no room for all of the question. */
const SHORT = 24;

export type Answering = {
  /** The question on the screen, and the keys that answer it, in so many lines. */
  readonly rows: (room: number) => readonly Row[];
  /** A key answers, or would: nothing is being written. */
  readonly open: () => boolean;
  /** Takes a key that answers; others go their usual way. */
  readonly take: (key: string) => boolean;
  /** Takes the reason, or the changed command, that was typed. */
  readonly submit: (text: string) => boolean;
  /** From the reason, or the changed command, to the question. False where none is written. */
  readonly back: () => boolean;
  /** All of the question, on a screen of its own. False where nothing is asked. */
  readonly showAll: () => boolean;
  /** No, and stop. False where nothing is asked. */
  readonly stop: () => boolean;
};

export type AnsweringOptions = {
  readonly questions: Questions;
  readonly look: Look;
  readonly explain: Host['explain'];
  readonly push: (rows: readonly Row[]) => void;
  readonly refresh: () => void;
  readonly page: View['page'];
  /** Puts a text where the person writes; what comes back puts back what was there. */
  readonly lend: (text: string) => () => void;
};

type Stage = 'unarmed' | 'armed' | 'reason' | 'edit';
type Shown = { readonly pending: Pending; readonly rows: readonly Row[] };

/**
 * The question at the head of the queue: shown, then armed, then answered. Where it does not fit above the editor its
 * beginning is there, and all of it on a screen of its own.
 */
export const createAnswering = (options: AnsweringOptions): Answering => {
  const { questions, look, refresh } = options;
  let shown: Shown | undefined;
  let stage: Stage = 'unarmed';
  const writing = createWriting(options.lend);
  const arming = createArming(() => {
    stage = 'armed';
    refresh();
  });
  const close = (given: Answer): true => {
    const last = shown;
    shown = undefined;
    stage = 'unarmed';
    arming.stop();
    writing.end();
    if (last) settle(last, given, options);
    return true;
  };
  const follow = async () => {
    const head = questions.head();
    if (head === shown?.pending) return;
    if (shown) close({ allow: false, end: true });
    const rows = head ? await rowsOf(head.question, options) : [];
    if (head && questions.head() === head && !shown) {
      shown = { pending: head, rows };
      arming.start();
    }
    refresh();
  };
  const act = (choice: Answer | 'reason' | 'edit' | undefined, { question }: Pending) => {
    if (typeof choice === 'object') close(choice);
    if (typeof choice !== 'string') return;
    stage = choice;
    writing.begin(choice === 'edit' ? (question.access.command ?? '') : '');
  };
  // What was seen before the question is on its way to the screen: it goes first.
  questions.watch(() => setImmediate(() => void follow()));
  return {
    rows: (room) => (shown ? [panelRow(look, shown, { stage, waiting: questions.waiting(), room })] : []),
    open: () => shown !== undefined && !writing.open(),
    take: (key) => {
      if (!shown || writing.open()) return false;
      if (stage === 'armed') act(choiceOf(key.toLowerCase(), shown.pending), shown.pending);
      else arming.start();
      return stage !== 'unarmed' || shown === undefined;
    },
    submit: (text) => {
      if (!shown || !writing.open()) return false;
      return close(stage === 'reason' ? refusal(text) : correction(text, shown.pending));
    },
    back: () => {
      if (!writing.end()) return false;
      stage = 'armed';
      return true;
    },
    showAll: () => shown !== undefined && pageAll(shown, options),
    stop: () => shown !== undefined && close({ allow: false, end: true }),
  };
};

/** Says so in the transcript where nothing else would. A question that was answered elsewhere takes no second answer. */
const settle = ({ pending }: Shown, given: Answer, { look, push }: AnsweringOptions): void => {
  if (!given.allow && given.reason !== undefined) push([answerRow(look, given, pending.question.rule)]);
  pending.answer(given);
};

/** The draft makes room while a reason or a command is written. */
const createWriting = (lend: AnsweringOptions['lend']) => {
  let giveBack: (() => void) | undefined;
  return {
    begin: (text: string) => {
      giveBack = lend(text);
    },
    open: () => giveBack !== undefined,
    /** False where nothing was written. */
    end: (): boolean => {
      const ended = giveBack;
      giveBack = undefined;
      ended?.();
      return ended !== undefined;
    },
  };
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

const choiceOf = (key: string, { question }: Pending): Answer | 'reason' | 'edit' | undefined => {
  if (key === 'y') return { allow: true };
  if (key === 'a' && question.rule !== undefined) return { allow: true, always: true };
  if (key === 'n') return 'reason';
  return key === 'e' && question.access.command !== undefined ? 'edit' : undefined;
};

/** Only the model changes a call: it is told what the person would have it run, and that is asked again. */
const correction = (text: string, { question }: Pending): Answer =>
  refusal(text.trim() === '' || text === question.access.command ? '' : `not this; run instead:\n${text}`);

/** The beginning of the question, as far as there is room, and always what answers it. */
const panelRow =
  (
    look: Look,
    { pending, rows }: Shown,
    { stage, waiting, room }: { stage: Stage; waiting: number; room: number },
  ): Row =>
  (width) => {
    const said = (most?: number) => promptLine(look, stage, pending, waiting, most);
    const lines = rows.flatMap((row) => row(width));
    const whole = [...lines, ...textRow(look, `  ${said()}`, 2)(width)];
    if (whole.length <= room) return whole;
    const keys = textRow(look, `  ${said(SHORT)}`, 2)(width);
    const seen = Math.max(1, room - keys.length - 1);
    const more = look.cut(`  … ${count(lines.length - seen, 'more line')}, ctrl+o shows all`, width);
    return [...lines.slice(0, seen), look.theme.dim(more), ...keys];
  };

const pageAll = ({ pending, rows }: Shown, { look, page }: AnsweringOptions): true => {
  page('question', [...rows, ...ruleRows(look, pending)], 'start');
  return true;
};

const ruleRows = (look: Look, { question: { rule } }: Pending): readonly Row[] =>
  rule === undefined ? [] : [blank, textRow(look, look.theme.dim(`always would allow: ${exposed(rule)}`), 2)];

const promptLine = (look: Look, stage: Stage, { question }: Pending, waiting: number, most?: number): string => {
  if (stage === 'armed') return answerKeys(look, question, waiting, most);
  const said = {
    unarmed: '…',
    reason: 'Why not? The model reads it. Enter sends, also nothing; esc goes back.',
    edit: 'Change it and press Enter: the model is told to run this instead, and it is asked again. Esc goes back.',
  }[stage];
  return look.theme.dim(said);
};
