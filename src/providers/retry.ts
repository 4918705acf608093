import type { Assistant, Clock, Event, Failure, Model } from '../core/types.ts';
import { duration, isRetryable } from './errors.ts';

export type RetryOptions = {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Requests in all. */
  readonly tries?: number;
  /** Milliseconds in all, waits included; a try that has begun may end later. */
  readonly time?: number;
  /** The longest wait that a server may ask for, in milliseconds; longer where a person watches. */
  readonly maxWait?: number;
  /** The first wait, in milliseconds; each further one is about twice as long, to half a minute. */
  readonly base?: number;
  /** From 0 up to 1; for tests. */
  readonly random?: () => number;
};

const TRIES = 8;
const TIME = 600_000;
const MAX_WAIT = 60_000;

/** Requests after which this kind of failure is taken for an answer. */
const ENOUGH: Partial<Record<Failure['kind'], number>> = { empty: 2, network: 4 };

/**
 * Asks again where that can help, under one budget for a request, whoever answers it: a fallback goes inside. What a
 * failed try had shown is retracted, what it cost is told.
 */
export function withRetry(model: Model, options: RetryOptions): Model {
  const { clock, tries = TRIES, time = TIME, maxWait = MAX_WAIT } = options;
  return async function* ask(request, signal) {
    const begun = clock.now();
    const failures: Failure['kind'][] = [];
    for (;;) {
      const reply = yield* model(request, signal);
      const { failure } = reply;
      if (!failure || signal.aborted || !isRetryable(failure)) return reply;
      failures.push(failure.kind);
      if ((failure.retryAfter ?? 0) > maxWait) return { ...reply, failure: tooLong(failure) };
      const same = failures.filter((kind) => kind === failure.kind).length;
      const delay = waitFor(failure, failures.length, options);
      const over = failures.length >= tries || same >= (ENOUGH[failure.kind] ?? tries);
      if (over || clock.now() - begun + delay > time) return { ...reply, failure: closing(failure, failures.length) };
      yield* retract(reply);
      yield { live: 'retrying', attempt: failures.length, of: (ENOUGH[failure.kind] ?? tries) - 1, delay, failure };
      await clock.sleep(delay, signal);
      if (signal.aborted) return abandoned(reply);
    }
  };
}

/** A failed try leaves a bill, and words on a screen that are void. */
export function* retract(reply: Assistant): Generator<Event> {
  const why = `failed try: ${reply.failure?.kind ?? reply.stop}`;
  if (reply.usage) yield { type: 'usage', usage: reply.usage, model: reply.model, why };
  yield { live: 'retracted' };
}

/** Its bill has been told and its words have been retracted. */
const abandoned = ({ model }: Assistant): Assistant => ({ role: 'assistant', content: [], stop: 'aborted', model });

/** What the server asked for, or a doubling wait; jitter keeps many clients from coming back at once. */
function waitFor({ retryAfter }: Failure, tried: number, { base = 500, random = Math.random }: RetryOptions): number {
  if (retryAfter !== undefined) return Math.ceil(retryAfter * (1 + random() * 0.1));
  const step = Math.min(30_000, base * 2 ** (tried - 1));
  return Math.round(step * (0.75 + random() * 0.5));
}

const tooLong = (failure: Failure): Failure => ({
  ...failure,
  message: `${failure.message} That is too long to wait; try again in ${duration(failure.retryAfter ?? 0)}.`,
});

const closing = (failure: Failure, tries: number): Failure =>
  tries > 1 ? { ...failure, message: `${failure.message} Gave up after ${tries} tries.` } : failure;
