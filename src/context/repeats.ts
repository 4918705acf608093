/**
 * A model that goes in circles: the same calls with the same results, over and over. Counted from the log since the
 * last prompt; a call that is new, or whose result is, begins the count anew. So polling that changes and work on many
 * files are never in its way.
 */
import { toldByRein } from '../core/messages.ts';
import type { Assistant, Call, Content, Event, Logged, Model, Result, View } from '../core/types.ts';
import { sincePrompt } from './items.ts';
import repeated from './prompts/repeated.md';
import { inputText } from './window.ts';

export type Repeats = {
  /** The call of the last reply that was made most often, and how often, with the same result each time. */
  readonly call: Call;
  readonly times: number;
};

export type RepeatOptions = {
  readonly entries: () => readonly Logged[];
  /** Asks the person whether to go on; absent where nobody is there. */
  readonly goOn?: (question: string, signal: AbortSignal) => Promise<boolean>;
};

const NUDGE_AT = 3;
const END_AT = 5;

/** Points a repetition out to the model: a message of the harness's, behind the results. */
export const withRepeatNudge = (view: View, { entries }: RepeatOptions): View =>
  async function* (signal) {
    const path = entries();
    const repeats = path.findLast(({ type }) => type === 'message');
    const found = repeats && isResult(repeats) ? countRepeats(path) : undefined;
    if (found?.times === NUDGE_AT) yield nudge(found);
    return yield* view(signal);
  };

/** Ends the turn, or asks the person, where it goes on all the same. */
export const withRepeatLimit = (model: Model, { entries, goOn }: RepeatOptions): Model =>
  async function* (request, signal) {
    const found = countRepeats(entries());
    if (found && found.times % END_AT === 0) {
      const why = `The agent goes in circles: ${found.call.name} was called ${found.times} times with the same result.`;
      if (!(await goOn?.(`${why} Go on?`, signal))) return ended(why);
    }
    return yield* model(request, signal);
  };

/** Undefined where the last reply did something new. */
export function countRepeats(path: readonly Logged[]): Repeats | undefined {
  const results = new Map<string, Result>();
  const replies: Assistant[] = [];
  for (const entry of sincePrompt(path)) {
    if (entry.type !== 'message') continue;
    if (entry.message.role === 'assistant') replies.push(entry.message);
    if (entry.message.role === 'result') results.set(entry.message.call, entry.message);
  }
  // The results of each call so far, and how often each came again since something was new.
  const known = new Map<string, Outcome[]>();
  const counted = new Set<Outcome>();
  let latest: Repeats | undefined;
  for (const reply of replies) {
    const calls = callsOf(reply);
    if (calls.length === 0) continue;
    const outcomes = calls.map((call) => ({ call, ...outcomeOf(known, call, results.get(call.id)) }));
    if (outcomes.some(({ isNew }) => isNew)) {
      for (const outcome of counted) outcome.again = 0;
      counted.clear();
      latest = undefined;
      continue;
    }
    for (const outcome of new Set(outcomes.map(({ outcome }) => outcome))) {
      outcome.again++;
      counted.add(outcome);
    }
    const most = outcomes.toSorted((a, b) => b.outcome.again - a.outcome.again)[0];
    latest = most && { call: most.call, times: most.outcome.again + 1 };
  }
  return latest;
}

type Outcome = { readonly content: readonly Content[] | undefined; again: number };

function outcomeOf(known: Map<string, Outcome[]>, call: Call, result: Result | undefined) {
  const key = `${call.name} ${inputText(call.input)}`;
  const before = known.get(key) ?? [];
  const same = before.find(({ content }) => sameContent(content, result?.content));
  if (same) return { outcome: same, isNew: false };
  const outcome: Outcome = { content: result?.content, again: 0 };
  known.set(key, [...before, outcome]);
  return { outcome, isNew: true };
}

const callsOf = ({ content }: Assistant): readonly Call[] => content.filter((part) => part.type === 'call');

const isResult = (entry: Logged): boolean => entry.type === 'message' && entry.message.role === 'result';

const sameContent = (a: readonly Content[] = [], b: readonly Content[] = []): boolean =>
  a.length === b.length && a.every((part, i) => bytesOf(part) === bytesOf(b[i]));

const bytesOf = (part: Content | undefined): string | undefined => (part?.type === 'image' ? part.data : part?.text);

const nudge = ({ call, times }: Repeats): Event => {
  const text = repeated.trim().replace('{tool}', call.name).replace('{times}', String(times));
  return { type: 'message', message: toldByRein(text) };
};

const ended = (why: string): Assistant => ({
  role: 'assistant',
  content: [],
  stop: 'error',
  model: '',
  failure: { kind: 'budget', message: `${why} Say how to go on, or what to do instead.` },
});
