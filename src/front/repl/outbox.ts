import type { Content } from '../../core/types.ts';
import type { Seen, Session } from '../../harness/types.ts';
import { lineRow, type Row } from '../render/row.ts';
import { oneLine } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';

type Sent = string | readonly Content[];

/** What was sent and not yet delivered, and since when the session works. */
export type Outbox = {
  readonly send: (content: Sent) => void;
  /** Sends it when what runs now has ended. */
  readonly queue: (content: Sent) => void;
  /** Takes back what the model has not seen. */
  readonly recall: () => readonly string[];
  readonly see: (seen: Seen) => void;
  readonly rows: (look: Look) => readonly Row[];
  readonly since: () => number;
};

export type OutboxOptions = {
  readonly session: () => Session;
  readonly now: () => number;
  /** It could not be sent: the text, and why. */
  readonly failed: (text: string, why: string) => void;
};

export const createOutbox = ({ session, now, failed }: OutboxOptions): Outbox => {
  /** Sent while it worked: folded in after the tools that run. */
  let steering: readonly string[] = [];
  let later: readonly Sent[] = [];
  let since = now();
  const send = (content: Sent) => {
    const at = session();
    const working = at.busy();
    try {
      at.send(content);
    } catch (error) {
      return failed(textOf(content), error instanceof Error ? error.message : String(error));
    }
    if (working) steering = [...steering, textOf(content)];
    else {
      steering = [];
      since = now();
    }
  };
  const sendLater = () => {
    const [first, ...rest] = later;
    if (first === undefined || session().busy()) return;
    later = rest;
    send(first);
  };
  return {
    send,
    queue: (content) => {
      if (!session().busy()) return send(content);
      later = [...later, content];
    },
    recall: () => {
      const back = [...session().recall(), ...later.map(textOf)];
      steering = [];
      later = [];
      return back;
    },
    see: (seen) => {
      if ('live' in seen) return;
      // It rests a moment after it has said so.
      if (seen.type === 'ended')
        void session()
          .settled()
          .then(() => setImmediate(sendLater));
      if (seen.type !== 'message' || seen.message.role !== 'user') return;
      const index = steering.indexOf(textOf(seen.message.content));
      if (index >= 0) steering = steering.toSpliced(index, 1);
    },
    rows: (look) => [
      ...steering.map((text) => lineRow(look, look.theme.dim(`⧗ ${oneLine(text, 200)}`))),
      ...later.map((content) =>
        lineRow(look, look.theme.dim(`⧗ ${oneLine(textOf(content), 200)}`), look.theme.dim(' · afterwards')),
      ),
    ],
    since: () => since,
  };
};

const textOf = (content: Sent): string =>
  typeof content === 'string'
    ? content
    : content
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join('\n')
        .trim();
