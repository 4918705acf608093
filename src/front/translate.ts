import type { Event, Live, Message } from '../core/types.ts';
import { isPersons } from '../harness/messages.ts';
import { type Line, messageLine, type Source, streamLine, systemLine } from './lines.ts';

/** Turns the events of a session, its descendants' included, into lines of stream-json. */
export const createTranslator = (session: string, partial: boolean): ((event: Event) => readonly Line[]) => {
  const streams = new Map<string, Stream>();
  const streamOf = (id: string): Stream => {
    const stream = streams.get(id) ?? { started: false, block: null, index: -1 };
    streams.set(id, stream);
    return stream;
  };
  const translate = (event: Event, source: Source): readonly Line[] => {
    if (!('live' in event)) {
      const closing = event.type === 'message' && partial ? closeStream(streamOf(source.session), source) : [];
      return [...closing, ...factLines(event, source)];
    }
    if (event.live === 'child') return translate(event.event, { session: event.session, parent: event.call });
    const deltas = partial ? streamLines(streamOf(source.session), event, source) : [];
    return [...deltas, ...noiseLines(event, source)];
  };
  return (event) => translate(event, { session, parent: null });
};

const factLines = (event: Exclude<Event, Live>, from: Source): readonly Line[] => {
  const source = 'id' in event && typeof event.id === 'string' ? { ...from, id: event.id } : from;
  switch (event.type) {
    case 'message':
      return messageLines(event.message, source);
    case 'compaction':
      return [
        systemLine(
          'compact_boundary',
          { compact_metadata: { trigger: 'auto', pre_tokens: event.tokensBefore } },
          source,
        ),
      ];
    case 'mode':
      return [systemLine('status', { status: null, permissionMode: event.mode }, source)];
    case 'model':
      return [systemLine('status', { status: null, model: event.model }, source)];
    default:
      return [];
  }
};

const messageLines = (message: Message, source: Source): readonly Line[] => {
  // A wrapper knows the prompt that it gave; a sub-agent's prompt is news.
  if (message.role === 'user' && isPersons(message) && source.parent === null) return [];
  const line = messageLine(message, source);
  if (message.role !== 'result' || message.how !== 'refused') return [line];
  const { id: _, ...from } = source;
  const reason = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const denied = { tool_name: message.name, tool_use_id: message.call, message: reason };
  return [systemLine('permission_denied', denied, from), line];
};

const noiseLines = (event: Live, source: Source): readonly Line[] => {
  if (event.live === 'notice') return [systemLine('status', { status: event.text }, source)];
  if (event.live !== 'retrying') return [];
  const fields = {
    attempt: event.attempt,
    max_retries: event.of,
    retry_delay_ms: event.delay,
    error_status: event.failure.status ?? null,
    error: event.failure.kind,
    message: event.failure.message,
  };
  return [systemLine('api_retry', fields, source)];
};

type Stream = { started: boolean; block: 'text' | 'thinking' | null; index: number };

/** Deltas in the frame that stream readers expect: message and block starts and stops around them. */
const streamLines = (stream: Stream, event: Live, source: Source): readonly Line[] => {
  if (event.live === 'retracted') return closeStream(stream, source);
  if (event.live !== 'text' && event.live !== 'thinking') return [];
  const lines: Line[] = [];
  const say = (said: Readonly<Record<string, unknown>>) => lines.push(streamLine(said, source));
  if (!stream.started) say({ type: 'message_start', message: { type: 'message', role: 'assistant', content: [] } });
  stream.started = true;
  if (stream.block !== event.live) {
    if (stream.block !== null) say({ type: 'content_block_stop', index: stream.index });
    stream.block = event.live;
    stream.index += 1;
    say({ type: 'content_block_start', index: stream.index, content_block: { type: event.live, [event.live]: '' } });
  }
  const delta =
    event.live === 'text' ? { type: 'text_delta', text: event.text } : { type: 'thinking_delta', thinking: event.text };
  say({ type: 'content_block_delta', index: stream.index, delta });
  return lines;
};

/** The next delta opens a message anew: what was retracted is a message that never came to be. */
const closeStream = (stream: Stream, source: Source): readonly Line[] => {
  if (!stream.started) return [];
  const { block, index } = stream;
  stream.started = false;
  stream.block = null;
  stream.index = -1;
  const stop = block === null ? [] : [streamLine({ type: 'content_block_stop', index }, source)];
  return [...stop, streamLine({ type: 'message_stop' }, source)];
};
