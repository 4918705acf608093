import type { Answer } from '../../harness/types.ts';
import { blank, type Row, textRow } from '../render/row.ts';
import type { Look } from '../render/theme.ts';
import type { CommandPart, Host } from './host.ts';
import { answerKeys, answerRow, type Pending, type Questions, questionRows, refusal } from './questions.ts';

/** No key answers until the question was on the screen for so long without one, milliseconds. */
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
  const { questions, look, explain, push, refresh, lend } = options;
  let shown: Shown | undefined;
  let stage: Stage = 'unarmed';
  let timer: NodeJS.Timeout | undefined;
  let giveBack = () => {};

  const arm = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      stage = 'armed';
      refresh();
    }, QUIET);
  };
  const close = (answer: Answer) => {
    const no = !answer.allow && answer.reason !== undefined;
    if (shown && (shown.inTranscript || no)) push([answerRow(look, answer, shown.pending.question.rule)]);
    shown = undefined;
    stage = 'unarmed';
    clearTimeout(timer);
    giveBack();
    giveBack = () => {};
  };
  const answer = (given: Answer): true => {
    const pending = shown?.pending;
    close(given);
    pending?.answer(given);
    return true;
  };
  const place = (pending: Pending, rows: readonly Row[]) => {
    const { lines, height } = options.measure(rows);
    const inTranscript = lines > height - MARGIN;
    if (inTranscript) push([blank, ...rows]);
    shown = { pending, rows, inTranscript };
  };
  const open = async (pending: Pending) => {
    const { command } = pending.question.access;
    const parts = command === undefined || !explain ? [] : await explain(command).catch((): CommandPart[] => []);
    if (questions.head() !== pending || shown?.pending === pending) return;
    place(pending, questionRows(look, pending.question, parts));
    arm();
    refresh();
  };
  const follow = () => {
    const head = questions.head();
    if (head !== shown?.pending) {
      close({ allow: false, end: true });
      if (head) void open(head);
    }
    refresh();
  };
  const write = (next: 'reason' | 'edit', text: string) => {
    stage = next;
    giveBack = lend(text);
    refresh();
  };
  // What was seen before the question is on its way to the screen: it goes first.
  questions.watch(() => setImmediate(follow));
  return {
    rows: () => {
      if (!shown) return [];
      const line = textRow(look, `  ${promptLine(look, stage, shown.pending, questions.waiting())}`, 2);
      return shown.inTranscript ? [line] : [...shown.rows, line];
    },
    open: () => shown !== undefined,
    take: (key) => {
      if (!shown || stage === 'reason' || stage === 'edit') return false;
      if (stage === 'unarmed') {
        arm();
        return false;
      }
      const { question } = shown.pending;
      const typed = key.toLowerCase();
      if (typed === 'y') answer({ allow: true });
      else if (typed === 'a' && question.rule !== undefined) answer({ allow: true, always: true });
      else if (typed === 'n') write('reason', '');
      else if (typed === 'e' && question.access.command !== undefined) write('edit', question.access.command);
      return true;
    },
    submit: (text) => {
      if (stage === 'reason') return answer(refusal(text));
      if (stage !== 'edit' || !shown) return false;
      if (text.trim() === '' || text === shown.pending.question.access.command) return answer(refusal(''));
      return answer(refusal(`not this; run instead:\n${text}`));
    },
    stop: () => shown !== undefined && answer({ allow: false, end: true }),
    reflow: () => {
      if (shown && !shown.inTranscript) place(shown.pending, shown.rows);
      refresh();
    },
  };
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
