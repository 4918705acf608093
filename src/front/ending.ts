import type { Failure } from '../core/types.ts';
import type { Ending } from '../harness/types.ts';

export type Subtype =
  | 'success'
  | 'error_during_execution'
  | 'error_max_turns'
  | 'error_max_budget_usd'
  | 'error_max_time'
  | 'error_permission'
  | 'error_provider'
  | 'error_unavailable'
  | 'interrupted';

type Outcome = { readonly subtype: Subtype; readonly code: number };

const failed: Outcome = { subtype: 'error_during_execution', code: 1 };
const provider: Outcome = { subtype: 'error_provider', code: 5 };
const unavailable: Outcome = { subtype: 'error_unavailable', code: 75 };

/** The one table of how a prompt can end. The result line and the exit code both read it, so they agree. */
const stops: Readonly<Record<Ending['stop'], Outcome>> = {
  done: { subtype: 'success', code: 0 },
  max_turns: { subtype: 'error_max_turns', code: 3 },
  max_cost: { subtype: 'error_max_budget_usd', code: 3 },
  max_time: { subtype: 'error_max_time', code: 3 },
  denied: { subtype: 'error_permission', code: 4 },
  aborted: { subtype: 'interrupted', code: 130 },
  length: failed,
  refused: failed,
  overflow: failed,
  error: failed,
};

/** Behind `error`: for good (5), or worth another try later (75). */
const failures: Readonly<Record<Failure['kind'], Outcome>> = {
  auth: provider,
  request: provider,
  model: provider,
  budget: provider,
  rate: unavailable,
  overloaded: unavailable,
  network: unavailable,
  stream: unavailable,
  empty: unavailable,
  overflow: failed,
  internal: failed,
};

const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const outcomeOf = (ending: Ending): Outcome => {
  if (ending.stop === 'error' && ending.failure) return failures[ending.failure.kind];
  if (ending.stop === 'aborted' && ending.signal) return { ...stops.aborted, code: signals[ending.signal] };
  return stops[ending.stop];
};

export const exitCode = (ending: Ending): number => outcomeOf(ending).code;

export const subtype = (ending: Ending): Subtype => outcomeOf(ending).subtype;

const words: Readonly<Record<Ending['stop'], string>> = {
  done: '',
  max_turns: 'stopped at the limit of model requests (--max-turns)',
  max_cost: 'stopped at the cost limit (--max-cost)',
  max_time: 'stopped at the time limit (--max-time)',
  denied: 'stopped: a tool call was refused',
  aborted: 'stopped',
  length: 'the reply was cut off at the output limit',
  refused: 'the model refused to answer',
  overflow: 'the conversation no longer fits the model; /compact or start a new session',
  error: 'the model request failed',
};

/** One line for a person; '' where all went well. */
export const describeEnding = (ending: Ending): string =>
  ending.message ?? ending.failure?.message ?? words[ending.stop];
