import type { Model, Request } from '../core/types.ts';
import { isRetryable } from './errors.ts';
import { retract } from './retry.ts';

/** Failed tries of one request before the second model is asked. */
const PATIENCE = 3;

/** A wait that the first model's server asks for, in milliseconds, that is worth a change of model. */
const LONG = 60_000;

/**
 * Asks `second` what `first` could not answer for a while. It goes inside `withRetry`, whose tries and time then hold
 * for both; a try is known by its request. Failures for good (a key, a bad request) stay with the first.
 */
export function withFallback(first: Model, second: Model): Model {
  const failed = new WeakMap<Request, number>();
  return async function* ask(request, signal) {
    const before = failed.get(request) ?? 0;
    if (before >= PATIENCE) return yield* second(request, signal);
    const reply = yield* first(request, signal);
    const { failure } = reply;
    if (!failure || signal.aborted || !isRetryable(failure)) return reply;
    const count = (failure.retryAfter ?? 0) > LONG ? PATIENCE : before + 1;
    failed.set(request, count);
    if (count < PATIENCE) return reply;
    yield* retract(reply);
    yield { live: 'notice', text: `${failure.message} Asking the fallback model instead.` };
    return yield* second(request, signal);
  };
}
