/**
 * Runs the calls of one reply: those whose accesses conflict one after the other, in the order of the reply, all others
 * at once. Yields what they yield, and each result as it ends.
 */
import { conflicts } from './access.ts';
import type { Call, Event, Output, Prepared, Result } from './types.ts';

export type Job = Prepared & { readonly call: Call };

type Arrival = { readonly job: Job; readonly step: IteratorResult<Event, Output> };

/** Returns true where a result ends the turn. */
export async function* schedule(jobs: readonly Job[], signal: AbortSignal): AsyncGenerator<Event, boolean> {
  // A controller of its own: closing this generator stops what runs, even when nobody aborted the turn.
  const stopper = new AbortController();
  const stop = () => stopper.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();

  const waiting = new Set(jobs);
  const running = new Map<Job, AsyncGenerator<Event, Output>>();
  const arrivals: Arrival[] = [];
  let wake = () => {};
  let ended = false;

  const advance = (job: Job, events: AsyncGenerator<Event, Output>) => {
    const arrive = (step: Arrival['step']) => {
      arrivals.push({ job, step });
      wake();
    };
    events.next().then(arrive, (error: unknown) => arrive({ done: true, value: crashed(error) }));
  };

  try {
    while (waiting.size > 0 || running.size > 0) {
      const ahead = [...running.keys()];
      for (const job of waiting) {
        if (stopper.signal.aborted) {
          waiting.delete(job);
          yield answer(job.call, neverRan, 'unrun');
        } else if (ahead.some((other) => conflicts(other.access, job.access))) {
          ahead.push(job);
        } else {
          waiting.delete(job);
          ahead.push(job);
          const events = job.run({ call: job.call.id, signal: stopper.signal });
          running.set(job, events);
          advance(job, events);
          yield { live: 'started', call: job.call.id, name: job.call.name, show: job.access.show };
        }
      }
      while (arrivals.length === 0 && running.size > 0) await new Promise<void>((resolve) => (wake = resolve));
      const arrival = arrivals.shift();
      const events = arrival && running.get(arrival.job);
      if (!arrival || !events) continue;
      if (arrival.step.done) {
        running.delete(arrival.job);
        ended ||= arrival.step.value.end === true;
        yield answer(arrival.job.call, arrival.step.value, arrival.step.value.stopped ? 'stopped' : 'ran');
      } else {
        yield arrival.step.value;
        advance(arrival.job, events);
      }
    }
    return ended;
  } finally {
    signal.removeEventListener('abort', stop);
    stopper.abort();
    await Promise.allSettled([...running.values()].map((events) => events.return(neverRan)));
  }
}

const failure = (text: string): Output => ({ content: [{ type: 'text', text: `ERROR: ${text}` }], failed: true });

const neverRan = failure('stopped by the user before it started; nothing was done.');

/** A tool that throws has a bug; the model still gets its one answer. */
const crashed = (error: unknown): Output =>
  failure(`the tool broke: ${error instanceof Error ? error.message : String(error)}. What it had done by then stays.`);

const answer = ({ id, name }: Call, { content, failed, details }: Output, how: Result['how']): Event => ({
  type: 'message',
  message: {
    role: 'result',
    call: id,
    name,
    content: content.length > 0 ? content : [{ type: 'text', text: '(no output)' }],
    failed: failed ?? false,
    how,
    ...(details === undefined ? {} : { details }),
  },
});
