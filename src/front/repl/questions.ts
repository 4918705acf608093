import type { Answer, Ask, ExplainedPart, Question } from '../../harness/types.ts';
import { previewRows } from '../render/diff.ts';
import { indented, type Row, textRow } from '../render/row.ts';
import { exposed, oneLine } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import { describeCall } from '../render/tools.ts';

export type Pending = { readonly question: Question; readonly answer: (answer: Answer) => void };

/** What the harness asks, in order: one is on the screen, the others wait. */
export type Questions = {
  readonly ask: Ask;
  readonly head: () => Pending | undefined;
  readonly waiting: () => number;
  /** Nobody is left who could answer: refuses what is asked and what will be. */
  readonly refuse: (answer: Answer) => void;
  /** Calls back whenever another question is at the head, or none. */
  readonly watch: (changed: () => void) => void;
};

export const createQuestions = (): Questions => {
  const queue: Pending[] = [];
  let changed = () => {};
  let closed: Answer | undefined;
  const ask: Ask = (question, signal) =>
    new Promise((resolve) => {
      if (closed) return resolve(closed);
      if (signal.aborted) return resolve({ allow: false, end: true });
      const answer = (given: Answer) => {
        signal.removeEventListener('abort', abort);
        const index = queue.indexOf(pending);
        if (index >= 0) queue.splice(index, 1);
        resolve(given);
        changed();
      };
      const abort = () => answer({ allow: false, end: true });
      const pending: Pending = { question, answer };
      signal.addEventListener('abort', abort, { once: true });
      queue.push(pending);
      changed();
    });
  return {
    ask,
    head: () => queue[0],
    waiting: () => queue.length,
    refuse: (answer) => {
      closed = answer;
      for (const pending of [...queue]) pending.answer(answer);
    },
    watch: (callback) => {
      changed = callback;
    },
  };
};

/** No, with the reason that was typed, if any. */
export const refusal = (text: string): Answer => ({
  allow: false,
  ...(text.trim() === '' ? {} : { reason: text.trim() }),
});

/** A question, whole: what would run or change, with nothing hidden, who asks and why. */
export const questionRows = (
  look: Look,
  { call, access, preview, why, from }: Question,
  parts: readonly ExplainedPart[] = [],
): readonly Row[] => {
  const { theme } = look;
  const who = from.length === 0 ? '' : theme.dim(` · asked by ${from.map((name) => oneLine(name, 40)).join(' › ')}`);
  // A question without a call is about going on past a cap: its words say it all.
  if (call.name === '') return [textRow(look, `${theme.warn('?')} ${exposed(access.show)}${who}`, 2)];
  const what = access.command === undefined ? 'wants' : 'wants to run';
  const head = textRow(look, `${theme.warn('?')} ${theme.bold(oneLine(call.name, 60))} ${what}${who}`, 2);
  const body = access.command ?? (access.show === '' ? describeCall(call) : access.show);
  const previewed = preview === undefined ? [] : [indented(previewRows(look, preview), 4)];
  const rows = partRows(look, parts);
  const unsaid = rows.length === 0 ? why : withoutRows(why, parts);
  const reason = unsaid === '' ? [] : [textRow(look, `  ${theme.dim(exposed(unsaid))}`, 2)];
  return [head, indented(wholeRows(look, body), 4), ...rows, ...touched(look, access), ...previewed, ...reason];
};

/** The reasons that no row tells. */
const withoutRows = (why: string, parts: readonly ExplainedPart[]): string =>
  parts
    .reduce((left, { text, rule }) => left.replace(`${text}: ${rule.slice(rule.indexOf(': ') + 2)}`, () => ''), why)
    .trim();

/** What each command in a line is, and the rule that judged it; a plain command says it all itself. */
const partRows = (look: Look, parts: readonly ExplainedPart[]): readonly Row[] => {
  const { theme } = look;
  if (parts.length < 2) return [];
  const width = Math.max(...parts.map(({ text }) => Math.min(40, look.width(exposed(text)))));
  const sign = { allow: theme.good('✓'), ask: theme.warn('?'), deny: theme.bad('✗') };
  return parts.map(({ text, verdict, rule }) => {
    const shown = exposed(text).replaceAll('\n', ' ');
    const pad = ' '.repeat(Math.max(0, width - look.width(shown)));
    return textRow(look, `    ${sign[verdict]} ${shown}${pad}  ${theme.dim(exposed(rule))}`, 6);
  });
};

/** A wall of blanks would push what follows out of sight: it is counted instead. */
const wholeRows = (look: Look, text: string): readonly Row[] => {
  const lines = exposed(text).split('\n');
  const size = lines.length > 10 ? [textRow(look, look.theme.dim(`${lines.length} lines`))] : [];
  const shown = lines.map((line) => {
    const counted = line.replaceAll('\t', '  ').replace(/(?<=\S) {16,}/g, (run) => ` ‹${run.length} blanks› `);
    return textRow(look, counted, 2);
  });
  return [...size, ...shown];
};

const touched = (look: Look, { command, reads, writes, hosts }: Question['access']): readonly Row[] => {
  if (command !== undefined) return [];
  const list = (verb: string, items: readonly string[] | undefined): readonly Row[] =>
    items === undefined || items.length === 0
      ? []
      : [textRow(look, `    ${look.theme.dim(`${verb} ${items.map(exposed).join(', ')}`)}`, 6)];
  return [
    ...list('reads', writes === undefined ? reads : undefined),
    ...list('writes', writes),
    ...list('reaches', hosts),
  ];
};

export const answerRow = (look: Look, answer: Answer, rule?: string): Row => {
  const { theme } = look;
  if (!answer.allow) {
    const reason = answer.reason === undefined ? '' : `: ${oneLine(answer.reason, 300)}`;
    return textRow(look, `  ${theme.bad('✗')} ${theme.dim(`no${answer.end ? ', stopped' : ''}${reason}`)}`, 4);
  }
  const always = answer.always && rule !== undefined ? `, always in this session: ${exposed(rule)}` : '';
  return textRow(look, `  ${theme.good('✓')} ${theme.dim(`yes${always}`)}`, 4);
};

/** The keys that answer, once they do; with at most so many letters of the rule. */
export const answerKeys = (
  look: Look,
  question: Question,
  waiting: number,
  most = Number.POSITIVE_INFINITY,
): string => {
  const { theme } = look;
  const rule = exposed(question.rule ?? '');
  const key = (name: string, meaning: string) => `${theme.bold(name)} ${theme.dim(meaning)}`;
  const always =
    question.rule === undefined ? [] : [key('a', `always: ${rule.length > most ? oneLine(rule, most) : rule}`)];
  const more = waiting > 1 ? [theme.dim(`(${waiting - 1} more waiting)`)] : [];
  const edit = question.access.command === undefined ? [] : [key('e', 'edit')];
  return [key('y', 'yes'), ...always, key('n', 'no, and why'), ...edit, key('esc', 'stop'), ...more].join('   ');
};
