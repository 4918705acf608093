import { blank, lineRow, type Row, textRow } from '../render/row.ts';
import type { Look } from '../render/theme.ts';
import type { Answering } from './answering.ts';
import type { Outbox } from './outbox.ts';
import { planOf } from './plan.ts';
import { liveRows } from './scene.ts';
import type { Shell } from './shell.ts';
import type { Stage } from './stage.ts';
import { activityLine } from './status.ts';
import type { Todo } from './todo.ts';

export type AboveOptions = {
  readonly look: Look;
  readonly stage: Stage;
  readonly outbox: Outbox;
  readonly answering: Answering;
  readonly shell: Shell;
  readonly todo: Todo;
  readonly now: number;
};

/** What runs, then what the model does and what waits for it, then the question, which may take all of the room. */
export const aboveEditor = (
  { look, stage, outbox, answering, shell, todo, now }: AboveOptions,
  room: number,
): readonly Row[] => {
  const question = answering.rows(room);
  const activity = stage.session().busy()
    ? [textRow(look, activityLine(stage.scene(), look, now - outbox.since()))]
    : [];
  const live = [...liveRows(stage.scene(), look, now), ...shell.rows()];
  const plan = planOf(stage.session()) !== undefined ? [planRow(look)] : [];
  const waits = outbox.rows(look);
  if (question.length > 0) return [...live, ...waits, blank, ...question];
  return [...live, blank, ...activity, ...todo.rows(look), ...plan, ...waits];
};

/** A plan waits for its yes; nothing that is typed now is taken for one. */
const planRow = (look: Look): Row =>
  lineRow(
    look,
    `${look.theme.accent('▸')} ${look.theme.dim('enter: have this plan carried out, or changed · or go on talking')}`,
  );
