import type { Call, Event } from '../core/types.ts';
import { type Row, textRow } from './render/row.ts';
import { oneLine } from './render/safe.ts';
import type { Look } from './render/theme.ts';
import { callRow, describeCall, resultRows } from './render/tools.ts';
import { duration } from './render/units.ts';

/** What happens besides the reply's text, as rows: calls as they start and end, retries, notices, compactions. */
export const narrator = (look: Look, now: () => number): ((event: Event) => readonly Row[]) => {
  const started = new Map<string, { readonly name: string; readonly at: number }>();
  let calls: readonly Call[] = [];
  return (event) => {
    if ('live' in event) {
      if (event.live === 'started') {
        started.set(event.call, { name: event.name, at: now() });
        return [callRow(look, event.name, event.show)];
      }
      return noiseRows(look, event);
    }
    if (event.type !== 'message') return factRows(look, event);
    const { message } = event;
    if (message.role === 'assistant') calls = message.content.filter((part) => part.type === 'call');
    if (message.role !== 'result') return [];
    const start = started.get(message.call);
    started.delete(message.call);
    const call = calls.find(({ id }) => id === message.call);
    const head = start ? [] : [callRow(look, message.name, call ? describeCall(call) : '')];
    return [...head, ...resultRows(look, message, start && now() - start.at)];
  };
};

/** Noise that is worth a line of its own. */
export const noiseRows = (look: Look, event: Extract<Event, { live: string }>): readonly Row[] => {
  const { theme } = look;
  if (event.live === 'retrying') {
    const why = oneLine(event.failure.message, 200);
    const when = `trying again in ${duration(event.delay)} (${event.attempt} of ${event.of})`;
    return [textRow(look, `${theme.warn('↻')} ${theme.dim(`${why} · ${when}`)}`, 2)];
  }
  return event.live === 'notice' ? [textRow(look, `${theme.warn('!')} ${oneLine(event.text, 1000)}`, 2)] : [];
};

/** Facts other than messages that a person should see. */
export const factRows = (look: Look, event: Exclude<Event, { live: string }>): readonly Row[] => {
  const said = (text: string): readonly Row[] => [textRow(look, look.theme.dim(`· ${oneLine(text, 400)}`), 2)];
  switch (event.type) {
    case 'compaction':
      return said('older messages were summarised to make room');
    case 'grant':
      return said(event.revoked ? `asked again: ${event.rule}` : `always allowed in this session: ${event.rule}`);
    case 'model':
      return said(`model ${event.model}${event.effort === undefined ? '' : `, effort ${event.effort}`}`);
    case 'mode':
      return said(`permission mode ${event.mode}`);
    default:
      return [];
  }
};
