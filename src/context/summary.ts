/** Asks a model to sum a conversation up. Only a whole text counts; a bad answer costs one more try at most. */
import { textOf, toldByRein } from '../core/messages.ts';
import type { Assistant, Event, Message, Model, Request } from '../core/types.ts';
import prompt from './prompts/summary.md';
import { transcribe } from './transcript.ts';

export type SummaryOrder = {
  readonly messages: readonly Message[];
  /** Tokens: of the answer, and of the request. */
  readonly budget: number;
  readonly input: number;
  /** Characters a token. */
  readonly perToken: number;
  /** What a person wants to be kept above all. */
  readonly hint?: string | undefined;
};

export type Summary = { readonly text: string } | { readonly problem: string };

const MAX_TRIES = 2;
const WORDS_PER_TOKEN = 0.7;

/** Yields what its requests cost, none of their text. */
export async function* summarise(
  model: Model,
  order: SummaryOrder,
  signal: AbortSignal,
): AsyncGenerator<Event, Summary> {
  let { input, budget } = order;
  let problem = '';
  for (let tries = 0; tries < MAX_TRIES && !signal.aborted; tries++) {
    const request = requestOf({ ...order, input, budget });
    const reply = yield* factsOf(model(request, signal));
    // A cap that was reached asked nobody, and the next request will say so.
    if (reply.failure?.kind !== 'budget') yield costOf(reply, request, order.perToken);
    problem = problemOf(reply);
    if (problem === '') return { text: saidIn(reply) };
    if (reply.stop === 'error' || reply.stop === 'aborted' || reply.stop === 'refused') break;
    if (reply.stop === 'overflow') input /= 2;
    if (reply.stop === 'length') budget /= 2;
  }
  return { problem: signal.aborted ? 'it was stopped' : problem };
}

function requestOf({ messages, budget, input, perToken, hint }: SummaryOrder): Request {
  const system = prompt.trim().replace('{words}', () => String(Math.round(budget * WORDS_PER_TOKEN)));
  const wish = hint ? `\n\nThe person asks to keep above all: ${hint}` : '';
  const room = Math.max(1_000, Math.floor(input * perToken - system.length - wish.length));
  const text = `<transcript>\n${transcribe(messages, room)}\n</transcript>\n\nWrite the memory now.${wish}`;
  return { system, tools: [], messages: [toldByRein(text)] };
}

/** Facts and waits pass; the text is nobody's answer. */
async function* factsOf(events: AsyncGenerator<Event, Assistant>): AsyncGenerator<Event, Assistant> {
  for (;;) {
    const step = await events.next();
    if (step.done) return step.value;
    if (!('live' in step.value) || step.value.live === 'retrying') yield step.value;
  }
}

/** '' for a good one. */
function problemOf({ stop, content, failure }: Assistant): string {
  if (failure) return failure.message;
  if (content.some(({ type }) => type === 'call')) return 'the model called a tool instead';
  if (stop === 'length') return 'the summary was cut by the output limit';
  if (stop !== 'done') return `the reply ended early (${stop})`;
  return saidIn({ content }) === '' ? 'the model answered nothing' : '';
}

const saidIn = ({ content }: Pick<Assistant, 'content'>): string => textOf(content, '\n').trim();

/** One entry a request, so that the log tells how often it was tried. What failed without a count cost nothing. */
function costOf(reply: Assistant, request: Request, perToken: number): Event {
  const tokens = (length: number) => Math.ceil(length / perToken);
  const asked = request.system.length + JSON.stringify(request.messages).length;
  const guessed = { input: tokens(asked), output: tokens(saidIn(reply).length), cacheRead: 0, cacheWrite: 0 };
  const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
  const usage = reply.usage ?? (reply.failure ? nothing : guessed);
  return { type: 'usage', usage, model: reply.model, why: 'summary' };
}
