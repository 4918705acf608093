import type { Seen, Session } from '../../harness/types.ts';
import { type Row, textRow } from '../render/row.ts';
import { oneLine } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';

/** What was sent and not yet delivered, and since when the session works. */
export type Outbox = {
  readonly send: (text: string) => void;
  /** Takes back what the model has not seen. */
  readonly recall: () => readonly string[];
  readonly see: (seen: Seen) => void;
  readonly rows: (look: Look) => readonly Row[];
  readonly since: () => number;
};

export const createOutbox = (session: () => Session, now: () => number): Outbox => {
  let queued: readonly string[] = [];
  let since = now();
  return {
    send: (text) => {
      const at = session();
      if (at.busy()) queued = [...queued, text];
      else {
        queued = [];
        since = now();
      }
      at.send(text);
    },
    recall: () => {
      queued = [];
      return session().recall();
    },
    see: (seen) => {
      if ('live' in seen || seen.type !== 'message' || seen.message.role !== 'user') return;
      const text = seen.message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      const index = queued.indexOf(text);
      if (index >= 0) queued = queued.toSpliced(index, 1);
    },
    rows: (look) => queued.map((text) => textRow(look, look.theme.dim(`⧗ ${oneLine(text, 200)}`), 2)),
    since: () => since,
  };
};
