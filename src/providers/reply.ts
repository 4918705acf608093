import type { Assistant, Call, Failure, ReplyStop, Text, Thinking } from '../core/types.ts';
import { type Arguments, readArguments } from './arguments.ts';
import type { Draft, Part } from './draft.ts';
import { emptyFailure } from './errors.ts';
import type { Protocol } from './protocol.ts';
import type { Spec } from './resolve.ts';
import { priced, sound } from './usage.ts';

const LENGTH = /^(max_tokens|length|max_output_tokens|model_length|model_context_window_exceeded)$/i;
const REFUSED = /^(refusal|content_filter|safety|recitation|prohibited_content|blocklist|spii)$/i;

const CUT =
  'The call was cut off by the output limit before its arguments were complete, so nothing ran. Use smaller steps.';

/** How the wire left a draft: with a failure, by an abort, or neither. */
export type End = { readonly failure?: Failure; readonly aborted?: boolean };

/** The finished message. A reply that did not reach its end keeps what was said and drops every call. */
export function finishReply(draft: Draft, end: End, protocol: Protocol, spec: Spec, newId: () => string): Assistant {
  const whole = !end.failure && !end.aborted;
  const parts = draft.parts.filter((part) => isKept(part, whole));
  const read = new Map(parts.filter(hasArguments).map((part) => [part, readArguments(part.text)]));
  const length = LENGTH.test(draft.stop);
  const content = parts.flatMap((part) => toContent(part, read.get(part), length, newId));
  const failure = end.failure ?? (whole ? emptiness(draft, content, spec.name) : undefined);
  const raw = protocol.raw(parts, (part) => read.get(part)?.sent ?? '{}');
  const origin = { dialect: protocol.name, vendor: spec.vendor, model: spec.model };
  return {
    role: 'assistant',
    content,
    stop: stopOf(draft.stop, content, end, failure),
    model: spec.name,
    ...(draft.usage ? { usage: priced(sound(draft.usage), spec.price) } : {}),
    ...(failure ? { failure } : {}),
    ...(failure || content.length === 0 ? {} : { raw: { ...origin, content: raw } }),
  };
}

/** Thinking counts only with its end, where its signature stands. */
function isKept(part: Part, whole: boolean): boolean {
  if (part.kind === 'text') return part.text !== '';
  if (part.kind === 'call') return whole;
  return part.done;
}

const hasArguments = (part: Part): boolean => part.kind === 'call' || part.kind === 'other';

function toContent(
  part: Part,
  read: Arguments | undefined,
  length: boolean,
  newId: () => string,
): (Text | Thinking | Call)[] {
  if (part.kind === 'text') return [{ type: 'text', text: part.text }];
  if (part.kind === 'thinking') return part.text === '' ? [] : [{ type: 'thinking', text: part.text }];
  if (part.kind === 'other' || !read) return [];
  const call: Call = { type: 'call', id: newId(), vendorId: part.vendorId, name: part.name, input: read.input };
  return [read.broken === undefined ? call : { ...call, broken: length ? CUT : read.broken }];
}

/** What was asked for and did not come: neither a word nor a call, or a call that the server could not read itself. */
function emptiness(draft: Draft, content: Assistant['content'], name: string): Failure | undefined {
  if (content.some((part) => part.type === 'call')) return undefined;
  const said = content.some((part) => part.type === 'text' && part.text.trim() !== '');
  const malformed = /malformed/i.test(draft.stop);
  if (!malformed && (said || LENGTH.test(draft.stop) || REFUSED.test(draft.stop))) return undefined;
  return emptyFailure(name, draft.stop);
}

/** The content decides between calls and done, whatever the server named its stop. */
function stopOf(stop: string, content: Assistant['content'], end: End, failure: Failure | undefined): ReplyStop {
  if (end.aborted) return 'aborted';
  if (failure) return failure.kind === 'overflow' ? 'overflow' : 'error';
  if (LENGTH.test(stop)) return 'length';
  if (REFUSED.test(stop)) return 'refused';
  return content.some((part) => part.type === 'call') ? 'calls' : 'done';
}
