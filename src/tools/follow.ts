import type { Context, Event } from '../core/types.ts';
import type { Run } from '../env/processes/run.ts';

/** Milliseconds between two reports of progress. */
const BEAT = 100;

/**
 * Shows what comes, as it comes, until the end; false where `left` aborted before it, and the run goes on. Nothing runs
 * on when the reader leaves.
 */
export const follow = async function* (run: Run, { call }: Context, left: AbortSignal): AsyncGenerator<Event, boolean> {
  let stays = false;
  try {
    while (!(await endsWithin(run, BEAT, left))) {
      stays = left.aborted;
      if (stays) return false;
      const text = run.output.news();
      if (text !== '') yield { live: 'progress', call, text };
    }
    return true;
  } finally {
    if (!run.end() && !stays) await run.stop();
  }
};

export const endsWithin = async (run: Run, wait: number, signal?: AbortSignal): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  let wake = (): void => {};
  const moment = new Promise<false>((resolve) => {
    wake = () => resolve(false);
    timer = setTimeout(wake, wait);
    signal?.addEventListener('abort', wake, { once: true });
    if (signal?.aborted) wake();
  });
  const ended = await Promise.race([run.ended.then(() => true), moment]);
  clearTimeout(timer);
  signal?.removeEventListener('abort', wake);
  return ended;
};
