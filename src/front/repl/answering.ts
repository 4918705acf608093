import type { Answer } from '../../harness/types.ts';
import { blank, type Row, textRow } from '../render/row.ts';
import type { Look } from '../render/theme.ts';
import { answerKeys, answerRow, type Pending, type Questions, questionRows } from './questions.ts';

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

/** The question at the head of the queue, on the screen: shown whole, then armed, then answered. */
export const createAnswering = ({ questions, look, push, refresh, lend }: AnsweringOptions): Answering => {
  let shown: Pending | undefined;
  let stage: 'unarmed' | 'armed' | 'reason' = 'unarmed';
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
    if (!shown) return;
    push([answerRow(look, answer, shown.question.rule)]);
    giveBack();
    giveBack = () => {};
    shown = undefined;
  };
  const follow = () => {
    const head = questions.head();
    if (head === shown) return refresh();
    close({ allow: false, end: true });
    clearTimeout(timer);
    stage = 'unarmed';
    shown = head;
    if (head) {
      push([blank, ...questionRows(look, head.question)]);
      arm();
    }
    refresh();
  };
  // What was seen before the question is on its way to the screen: it goes first.
  questions.watch(() => setImmediate(follow));
  const answer = (given: Answer): true => {
    const pending = shown;
    close(given);
    pending?.answer(given);
    return true;
  };
  const take = (key: string): boolean => {
    if (!shown) return false;
    if (stage === 'unarmed') {
      arm();
      return false;
    }
    if (stage === 'reason') return false;
    if (key === 'y') return answer({ allow: true });
    if (key === 'a' && shown.question.rule !== undefined) return answer({ allow: true, always: true });
    if (key === 'n') {
      stage = 'reason';
      giveBack = lend();
      refresh();
    }
    return true;
  };
  return {
    rows: () => {
      if (!shown) return [];
      const { theme } = look;
      if (stage === 'unarmed') return [textRow(look, theme.dim('…'))];
      if (stage === 'reason')
        return [textRow(look, theme.dim('Why not? The model reads it. Enter sends, also nothing.'))];
      return [textRow(look, answerKeys(look, shown.question, questions.waiting()))];
    },
    open: () => shown !== undefined,
    take,
    submit: (text) => {
      if (!shown || stage !== 'reason') return false;
      return answer({ allow: false, ...(text.trim() === '' ? {} : { reason: text.trim() }) });
    },
    stop: () => shown !== undefined && answer({ allow: false, end: true }),
  };
};
