import type { Live } from '../core/types.ts';
import type { Ending, Seen, Session } from '../harness/types.ts';

export const isLive = (seen: Seen): seen is Live => 'live' in seen;

/**
 * Sends one prompt and shows every event to `see`, in order and one at a time, until the prompt has ended and all that
 * it caused was seen. A reader that is gone stops the turn.
 */
export const follow = async (
  session: Session,
  start: () => void,
  see: (seen: Seen) => Promise<void> | void,
  gone: AbortSignal,
): Promise<Ending> => {
  const events = session.events()[Symbol.asyncIterator]();
  const leave = () => void session.stop();
  gone.addEventListener('abort', leave, { once: true });
  start();
  const settled = session.settled();
  for (;;) {
    // What was committed before the session came to rest is in the buffer already: one round of the loop fetches it.
    const item = await Promise.race([events.next(), settled.then(later)]);
    if (item === undefined || item.done) break;
    await see(item.value);
  }
  gone.removeEventListener('abort', leave);
  return settled;
};

const later = (): Promise<undefined> => new Promise((resolve) => setImmediate(() => resolve(undefined)));
