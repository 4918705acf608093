import type { TodoItem } from '../../harness/index.ts';
import { lineRow, type Row } from '../render/row.ts';
import { oneLine } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import type { Host, RunningAgent } from './types.ts';

/** Items of the list that are seen at once. */
const MAX_TODO = 6;

export type Todo = {
  readonly rows: (look: Look) => readonly Row[];
  readonly toggle: () => void;
};

/** The list is seen while it works, unless the person closed it; when it is asked for always, and with the sub-agents. */
export const createTodo = (host: Host, agents: () => readonly RunningAgent[], hint: (text: string) => void): Todo => {
  let open: boolean | undefined;
  const busy = () => host.session().busy();
  const rows = (look: Look) => [
    ...((open ?? busy()) ? todoRows(look, host.todo()) : []),
    ...(open ? agents().map(({ show }) => lineRow(look, `  ${look.theme.accent('●')} ${oneLine(show, 200)}`)) : []),
  ];
  const toggle = () => {
    const [listed, working] = [host.todo().length > 0, agents().length > 0];
    if (!listed && !working) return hint('No todo list.');
    const seen = open ?? (busy() && listed);
    open = seen ? (busy() ? false : undefined) : true;
  };
  return { rows, toggle };
};

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
