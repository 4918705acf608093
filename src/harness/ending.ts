/** How a prompt ended, read from what it left in the log. */
import { textOf } from '../core/messages.ts';
import type { Assistant, Logged, Stop } from '../core/types.ts';
import type { Ending, Signal } from './types.ts';

/** The tool by which the model gives an answer that has to fit a schema. */
export const FINAL_ANSWER = 'final_answer';

export const NOT_STARTED: Ending = { stop: 'done', text: '', turns: 0, duration: 0, durationApi: 0 };

export function endingOf(
  stop: Stop,
  entries: readonly Logged[],
  times: { readonly duration: number; readonly durationApi: number },
  signal: AbortSignal,
): Ending {
  const replies = entries.flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'assistant' ? [entry.message] : [],
  );
  const failure = stop === 'done' ? undefined : replies.at(-1)?.failure;
  const reason = stopOf(stop, signal, failure);
  const message = failure?.message ?? MESSAGES[reason] ?? (stop === 'error' ? UNANSWERED : undefined);
  return {
    stop: reason,
    text: replies.map(({ content }) => textOf(content).trim()).findLast((text) => text !== '') ?? '',
    ...(message === undefined ? {} : { message }),
    ...(failure ? { failure } : {}),
    ...pickSignal(signal),
    ...pickStructured(entries),
    turns: replies.filter(({ failure }) => failure?.kind !== 'budget').length,
    ...times,
  };
}

function stopOf(stop: Stop, signal: AbortSignal, failure: Assistant['failure']): Ending['stop'] {
  if (stop === 'aborted' && signal.reason === 'max_time') return 'max_time';
  if (failure?.kind !== 'budget') return stop;
  return `max_${failure.cap ?? 'turns'}`;
}

const SIGNALS: readonly Signal[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

function pickSignal({ aborted, reason }: AbortSignal): Pick<Ending, 'signal'> {
  const signal = aborted && SIGNALS.find((name) => name === reason);
  return signal ? { signal } : {};
}

/** The final answer as data is the input of the call that gave it. */
function pickStructured(entries: readonly Logged[]): Pick<Ending, 'structured'> {
  const answers = entries.flatMap((entry) =>
    entry.type === 'message' &&
    entry.message.role === 'result' &&
    entry.message.name === FINAL_ANSWER &&
    !entry.message.failed &&
    entry.message.details !== undefined
      ? [{ structured: entry.message.details }]
      : [],
  );
  return answers.at(-1) ?? {};
}

export const hasAnswer = (entries: readonly Logged[]): boolean => 'structured' in pickStructured(entries);

/** No request failed, and yet there is no answer. */
const UNANSWERED = 'The model gave no final answer that fits the schema.';

const MESSAGES: Partial<{ [stop in Ending['stop']]: string }> = {
  max_turns: 'Stopped: the cap on model requests for one prompt was reached. Raise it with --max-turns.',
  max_time: 'Stopped: the time for this prompt is over. Raise it with --max-time.',
  max_cost: 'Stopped: the cap on cost was reached. Raise it with --max-cost.',
  denied: 'Stopped: a tool call was refused.',
  length: 'The answer was cut by the output limit of the model.',
  refused: 'The model refused to answer.',
  overflow: 'The conversation is larger than the window of the model.',
  aborted: 'Stopped.',
};
