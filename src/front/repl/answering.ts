import type { Answer } from '../../harness/types.ts';
import { blank, type Row, textRow } from '../render/row.ts';
import type { Look } from '../render/theme.ts';
import { answerKeys, answerRow, type Pending, type Questions, questionRows, refusal } from './questions.ts';

/** No key answers until the question was on the screen for so long without one, milliseconds. */
const QUIET = 300;

export type Answering = {
  /** The prompt line of the question on the screen. */
  readonly rows: () => readonly Row[];
  readonly open: () => boolean;
  /** Takes a key that answers; others go their usual way. */
  readonly take: (key: string) => boolean;
  /** Takes the reason that was typed. */
  readonly submit: (text: string) => boolean;
  /** No, and stop. False where nothing is asked. */
  readonly stop: () => boolean;
};

export type AnsweringOptions = {
  readonly questions: Questions;
  readonly look: Look;
  readonly push: (rows: readonly Row[]) => void;
  readonly refresh: () => void;
  /** Empties the editor for a reason, and puts back what was in it. */
  readonly lend: () => () => void;
};

type Stage = 'unarmed' | 'armed' | 'reason';

/** The question at the head of the queue, on the screen: shown whole, then armed, then answered. */
export const createAnswering = ({ questions, look, push, refresh, lend }: AnsweringOptions): Answering => {
  let shown: Pending | undefined;
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
    if (shown) push([answerRow(look, answer, shown.question.rule)]);
    shown = undefined;
    stage = 'unarmed';
    clearTimeout(timer);
    giveBack();
    giveBack = () => {};
  };
  const answer = (given: Answer): true => {
    const pending = shown;
    close(given);
    pending?.answer(given);
    return true;
  };
  const follow = () => {
    const head = questions.head();
    if (head !== shown) {
      close({ allow: false, end: true });
      shown = head;
      if (head) push([blank, ...questionRows(look, head.question)]);
      if (head) arm();
    }
    refresh();
  };
  // What was seen before the question is on its way to the screen: it goes first.
  questions.watch(() => setImmediate(follow));
  return {
    rows: () => (shown ? [textRow(look, promptLine(look, stage, shown, questions.waiting()))] : []),
    open: () => shown !== undefined,
    take: (key) => {
      if (!shown || stage === 'reason') return false;
      if (stage === 'unarmed') {
        arm();
        return false;
      }
      const given = answerOf(key, shown);
      if (given === 'why') {
        stage = 'reason';
        giveBack = lend();
        refresh();
      } else if (given) answer(given);
      return true;
    },
    submit: (text) => stage === 'reason' && answer(refusal(text)),
    stop: () => shown !== undefined && answer({ allow: false, end: true }),
  };
};

const answerOf = (key: string, { question }: Pending): Answer | 'why' | undefined => {
  if (key.toLowerCase() === 'y') return { allow: true };
  if (key === 'a' && question.rule !== undefined) return { allow: true, always: true };
  return key === 'n' ? 'why' : undefined;
};

const promptLine = (look: Look, stage: Stage, { question }: Pending, waiting: number): string => {
  if (stage === 'armed') return answerKeys(look, question, waiting);
  return look.theme.dim(stage === 'unarmed' ? '…' : 'Why not? The model reads it. Enter sends, also nothing.');
};
