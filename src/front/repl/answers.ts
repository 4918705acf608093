import type { Answer } from '../../harness/types.ts';
import type { Row } from '../render/row.ts';
import { exposed } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import { answerRow, type Pending, type Questions, questionRows, refusal } from './questions.ts';

/** Answers by line, for line mode. */
export type LineAnswers = {
  /** Takes a line that answers, or that should. */
  readonly take: (line: string) => boolean;
};

export const createLineAnswers = (
  questions: Questions,
  look: Look,
  show: (rows: readonly Row[]) => void,
): LineAnswers => {
  let asked: Pending | undefined;
  let wantsReason = false;
  const say = (text: string) => show([() => [text]]);
  const close = (given: Answer): true => {
    const pending = asked;
    asked = undefined;
    wantsReason = false;
    if (pending) show([answerRow(look, given, pending.question.rule)]);
    pending?.answer(given);
    return true;
  };
  const follow = () => {
    const head = questions.head();
    if (head === asked) return;
    asked = head;
    wantsReason = false;
    if (!head) return;
    const rule = head.question.rule;
    show(questionRows(look, head.question));
    say(`y = yes, n = no${rule === undefined ? '' : `, a = always: ${exposed(rule)}`}, s = no, and stop`);
  };
  // What was seen before the question is on its way to the screen: it goes first.
  questions.watch(() => setImmediate(follow));
  const take = (line: string): boolean => {
    if (!asked) return false;
    const word = line.trim().toLowerCase();
    if (wantsReason) return close(refusal(line));
    if (word === 'y' || word === 'yes') return close({ allow: true });
    if ((word === 'a' || word === 'always') && asked.question.rule !== undefined)
      return close({ allow: true, always: true });
    if (word === 's' || word === 'stop') return close({ allow: false, end: true });
    wantsReason = word === 'n' || word === 'no';
    say(wantsReason ? 'Why not? The model reads it; an empty line says nothing.' : 'Answer y, n, a or s.');
    return true;
  };
  return { take };
};

/** Where stdin is no terminal a line is a prompt, written before any question was known: nobody answers. */
export const refuseAll = (questions: Questions): LineAnswers => {
  questions.refuse({ allow: false, reason: 'nobody is there to approve it: allow it with --allowed-tools or --yolo' });
  return { take: () => false };
};
