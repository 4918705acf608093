import type {
  Assistant,
  Call,
  Clock,
  Event,
  Failure,
  Model,
  ReplyStop,
  Request,
  Thinking,
  Usage,
} from '../core/types.ts';
import type { Reply, ScriptedCall } from './turn.ts';

/** A reply, a failure in its place, or both (`failure` after what was said). `wait` holds the reply back. */
export type ModelTurn = Omit<Reply, 'cut'> & {
  readonly wait?: Promise<unknown>;
  readonly failure?: Failure;
  /** Says its text, then waits for the abort. */
  readonly hang?: true;
  /** Facts and noise of its own, yielded first. */
  readonly events?: readonly Event[];
};

export type ModelScript = readonly ModelTurn[] | ((request: Request, index: number) => ModelTurn);

export type ScriptedModel = Model & { readonly requests: readonly Request[] };

/**
 * A `Model` without a wire. Delays (`delay`, `pause`) pass on the given clock and are skipped without one. An abort is
 * seen at each step and ends the reply as `aborted`, with what was said. A script that is used up ends as `error`.
 */
export const scriptedModel = (script: ModelScript, options: { clock?: Clock; name?: string } = {}): ScriptedModel => {
  const requests: Request[] = [];
  const model = async function* (request: Request, signal: AbortSignal): AsyncGenerator<Event, Assistant> {
    const index = requests.push(request) - 1;
    const turn = typeof script === 'function' ? script(request, index) : script[index];
    return yield* play(turn ?? spent(index), index, options.name ?? 'scripted/model', signal, options.clock);
  };
  return Object.assign(model, { requests });
};

const spent = (turns: number): ModelTurn => ({
  failure: { kind: 'internal', message: `The script has only ${turns} turns; give scriptedModel one more.` },
});

async function* play(
  turn: ModelTurn,
  index: number,
  model: string,
  signal: AbortSignal,
  clock: Clock | undefined,
): AsyncGenerator<Event, Assistant> {
  const said = { thinking: '', text: '' };
  const calls = (turn.calls ?? []).map((call, i) => readCall(call, `call_${index}_${i}`));
  const wanted: ReplyStop = turn.failure ? 'error' : calls.length > 0 ? 'calls' : 'done';
  const finish = (stop: ReplyStop): Assistant => ({
    role: 'assistant',
    content: [
      ...(said.thinking === '' ? [] : [{ type: 'thinking' as const, text: said.thinking }]),
      ...(said.text === '' ? [] : [{ type: 'text' as const, text: said.text }]),
      ...(stop === 'aborted' || stop === 'error' ? [] : calls),
    ],
    stop,
    model,
    usage: usageOf(turn),
    ...(turn.failure && stop !== 'aborted' ? { failure: turn.failure } : {}),
  });
  const sleep = (ms: number | undefined) => (ms && clock ? clock.sleep(ms, signal) : undefined);

  await Promise.race([turn.wait, turn.wait && aborted(signal)]);
  await sleep(turn.delay);
  if (signal.aborted) return finish('aborted');
  for (const event of [
    ...(turn.events ?? []),
    ...deltas(turn),
    ...calls.map(({ name }) => ({ live: 'calling' as const, name })),
  ]) {
    if (signal.aborted) return finish('aborted');
    if ('live' in event && event.live === 'thinking') said.thinking += event.text;
    if ('live' in event && event.live === 'text') said.text += event.text;
    if ('live' in event && event.live === 'retracted') said.text = '';
    yield event;
    await sleep(turn.pause);
  }
  if (turn.hang) await aborted(signal);
  return finish(signal.aborted ? 'aborted' : isStop(turn.stop) ? turn.stop : wanted);
}

const deltas = (turn: ModelTurn): readonly Event[] => {
  const thoughts: readonly Thinking[] = [turn.thinking ?? []].flat().flatMap((thought) => {
    if (typeof thought === 'string') return [{ type: 'thinking', text: thought }];
    return 'text' in thought ? [{ type: 'thinking', text: thought.text }] : [];
  });
  return [
    ...thoughts.map(({ text }): Event => ({ live: 'thinking', text })),
    ...[turn.text ?? []].flat().map((text): Event => ({ live: 'text', text })),
  ];
};

const stops: readonly ReplyStop[] = ['done', 'calls', 'length', 'refused', 'overflow', 'aborted', 'error'];
const isStop = (stop: string | undefined): stop is ReplyStop => stops.some((known) => known === stop);

const readCall = (call: ScriptedCall, id: string): Call => {
  const made = { type: 'call' as const, id, vendorId: call.id ?? id, name: call.name };
  if (call.arguments === undefined) return { ...made, input: call.input ?? {} };
  try {
    return { ...made, input: JSON.parse([call.arguments].flat().join('')) };
  } catch (error) {
    return { ...made, input: {}, broken: String(error) };
  }
};

const usageOf = (turn: ModelTurn): Usage => ({ input: 10, output: 5, cacheRead: 0, cacheWrite: 0, ...turn.usage });

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
