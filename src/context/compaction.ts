/**
 * Keeps the history within the model's window. It decorates the view: what it does are entries, so nothing is deleted,
 * a resumed session sees the same, and a step back in the log undoes it. See `docs/context.md`.
 */
import { toldByRein } from '../core/messages.ts';
import type { Event, Logged, Message, Model, Request, Shown, View } from '../core/types.ts';
import { type Outline, type Plan, planFor } from './plan.ts';
import resumed from './prompts/resumed.md';
import { summarise } from './summary.ts';
import type { Meter } from './window.ts';

export type CompactionOptions = {
  /** Tokens, of the model in use at this moment; undefined where they are unknown. */
  readonly window: () => number | undefined;
  readonly output: () => number | undefined;
  /** Who sums up. */
  readonly model: Model;
  /** What stands in front of the messages in each request. */
  readonly request: Pick<Request, 'system' | 'tools'>;
  /** The path from the root to the leaf, what was just yielded included. */
  readonly entries: () => readonly Logged[];
  /** What of it is shown, without the summary ahead. */
  readonly items: () => readonly Shown[];
  readonly meter: Meter;
};

export type Compaction = {
  readonly decorate: (view: View) => View;
  /** As a person asks for it: returns one line that says what came of it. */
  readonly now: (view: View, signal: AbortSignal, hint?: string) => AsyncGenerator<Event, string>;
};

export function createCompaction(options: CompactionOptions): Compaction {
  let warned = 0;
  const plan = (messages: readonly Message[], asked: boolean) => {
    const path = options.entries();
    const reading = options.meter.read({ ...options.request, messages }, path);
    const items = options.items();
    const model = { window: options.window(), output: options.output() };
    return { reading, plan: planFor({ path, messages, items, reading, meter: options.meter, ...model, asked }) };
  };
  const decorate = (view: View): View =>
    async function* (signal) {
      const messages = yield* view(signal);
      const { reading, plan: next } = plan(messages, false);
      // Said once for each limit.
      if (reading.cutting && reading.cutting.limit !== warned) {
        warned = reading.cutting.limit;
        yield notice(reading.cutting.warning);
      }
      if (next.do === 'nothing') return messages;
      const said = yield* carryOut(next, options, signal);
      if (said !== '') yield notice(said);
      return yield* view(signal);
    };
  const now: Compaction['now'] = async function* (view, signal, hint) {
    const { plan: next } = plan(yield* view(signal), true);
    return yield* carryOut(next, options, signal, hint);
  };
  return { decorate, now };
}

/** Returns what a person should know of it. */
async function* carryOut(
  plan: Plan,
  options: CompactionOptions,
  signal: AbortSignal,
  hint?: string,
): AsyncGenerator<Event, string> {
  if (plan.do === 'explain') return plan.why;
  if (plan.do === 'trim') yield plan.entry;
  if (plan.do !== 'summary') return plan.do === 'trim' ? TRIMMED : '';
  yield notice('Summing up the older part of the conversation …');
  const order = { ...plan, messages: plan.ahead, perToken: options.meter.perToken(), hint };
  const summary = yield* summarise(options.model, order, signal);
  if ('problem' in summary) return `The conversation stays as it is: it could not be summed up (${summary.problem}).`;
  const text = [resumed.trim(), plan.quotes, `## Notes\n\n${summary.text}`].filter((part) => part !== '').join('\n\n');
  const after = sizeAfter(plan, text, options.meter);
  if (after > plan.before - plan.replaced * 0.1) return NO_GAIN;
  yield { type: 'compaction', summary: text, keep: plan.keep, tokensBefore: plan.before };
  return `Summed up: about ${plan.before} tokens became ${after}. /undo brings the whole conversation back.`;
}

const sizeAfter = ({ before, replaced }: Outline, text: string, meter: Meter): number =>
  before - replaced + meter.tokensOf(toldByRein(text));

const notice = (text: string): Event => ({ live: 'notice', text });

const TRIMMED = 'Old outputs are left out from here on to make room; the agent can get them again.';

const NO_GAIN = 'The conversation stays as it is: a summary would have been hardly shorter.';
