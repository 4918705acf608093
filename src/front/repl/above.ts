import type { TodoItem } from '../../harness/index.ts';
import { blank, lineRow, type Row, textRow } from '../render/row.ts';
import { oneLine } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import type { Answering } from './answering.ts';
import type { Outbox } from './outbox.ts';
import { planOf } from './plan.ts';
import { liveRows } from './scene.ts';
import type { Shell } from './shell.ts';
import type { Stage } from './stage.ts';
import { activityLine } from './status.ts';

/** Items of the todo list that are seen at once. */
const MAX_TODO = 6;

export type AboveOptions = {
  readonly look: Look;
  readonly stage: Stage;
  readonly outbox: Outbox;
  readonly answering: Answering;
  readonly shell: Shell;
  readonly todo: readonly TodoItem[];
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
  return [...live, blank, ...activity, ...todoRows(look, todo), ...plan, ...waits];
};

/** A plan waits for its yes; nothing that is typed now is taken for one. */
const planRow = (look: Look): Row =>
  lineRow(
    look,
    `${look.theme.accent('▸')} ${look.theme.dim('enter: have this plan carried out, or changed · or go on talking')}`,
  );

/** Around what is being done: what is done already matters less than what comes. */
const todoRows = (look: Look, items: readonly TodoItem[]): readonly Row[] => {
  const { theme } = look;
  if (items.length === 0) return [];
  const at = Math.max(
    0,
    items.findIndex(({ state }) => state !== 'done'),
  );
  const first = Math.max(0, Math.min(at - 1, items.length - MAX_TODO));
  const done = items.filter(({ state }) => state === 'done').length;
  const line = ({ text, state }: TodoItem) => {
    const said = oneLine(text, 200);
    if (state === 'done') return theme.dim(`☑ ${theme.strike(said)}`);
    return state === 'doing' ? `${theme.accent('▸')} ${said}` : theme.dim(`☐ ${said}`);
  };
  const shown = items.slice(first, first + MAX_TODO).map((item) => lineRow(look, `  ${line(item)}`));
  const more = items.length > MAX_TODO ? [lineRow(look, theme.dim(`  ${done} of ${items.length} done`))] : [];
  return [...shown, ...more];
};
