import type { Event } from '../core/types.ts';
import type { Session } from '../harness/types.ts';
import { oneLine } from './render/safe.ts';

export type DebugOptions = {
  readonly write: (line: string) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
};

/** `--debug`: a line for each fact of the session and each step on the way to it, until the session is closed. */
export async function debug(session: Session, { write, now }: DebugOptions): Promise<void> {
  const began = now();
  for await (const seen of session.events()) {
    const text = describe(seen);
    if (text !== '') write(`debug: ${Math.round(now() - began)} ms ${oneLine(text, 300)}\n`);
  }
}

function describe(event: Event): string {
  if (!('live' in event)) return describeFact(event);
  switch (event.live) {
    case 'retrying':
      return `retry ${event.attempt} of ${event.of} in ${event.delay} ms: ${event.failure.kind}: ${event.failure.message}`;
    case 'started':
      return `call ${event.call} ${event.name} started: ${event.show}`;
    case 'waiting':
      return `call ${event.call} waits for an answer`;
    case 'retracted':
      return 'what was shown of the reply is void';
    case 'child':
      return childLine(event.session, describe(event.event));
    default:
      return '';
  }
}

const childLine = (session: string, text: string): string => (text === '' ? '' : `[${session}] ${text}`);

function describeFact(event: Exclude<Event, { readonly live: string }>): string {
  switch (event.type) {
    case 'opened':
      return `opened with ${event.model}: ${event.tools.length} tools, ${event.system.length} characters of system text`;
    case 'message':
      return describeMessage(event.message);
    case 'usage':
      return `${event.why}: ${event.usage.input} tokens in, ${event.usage.output} out`;
    case 'compaction':
      return `summed up ${event.tokensBefore} tokens`;
    case 'ended':
      return `ended: ${event.stop}`;
    case 'snapshot':
      return `snapshot ${event.when} the step`;
    case 'model':
      return `model ${event.model}`;
    case 'mode':
      return `mode ${event.mode}`;
    default:
      return event.type;
  }
}

function describeMessage(message: Extract<Event, { readonly type: 'message' }>['message']): string {
  if (message.role === 'user') return `prompt of ${message.content.length} parts (${message.origin ?? 'person'})`;
  if (message.role === 'result')
    return `call ${message.call} ${message.name}: ${message.how}${message.failed ? ', failed' : ''}`;
  const { usage, stop, model, failure } = message;
  const tokens = usage ? `${usage.input}+${usage.cacheRead} tokens in, ${usage.output} out` : 'no usage';
  return `reply of ${model}: ${stop}, ${tokens}${failure ? `, ${failure.kind}: ${failure.message}` : ''}`;
}
