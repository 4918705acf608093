import { createHash } from 'node:crypto';
import type { Json, Usage } from '../core/types.ts';
import type { Reply, ScriptedCall, Thought } from './turn.ts';

/** A reply with every gap filled: what a dialect renders. */
export type Made = {
  readonly model: string;
  readonly thoughts: readonly Thought[];
  readonly text: readonly string[];
  readonly calls: readonly MadeCall[];
  readonly usage: Usage;
  readonly stop: string;
  /** A made-up id: the same for the same reply and label. */
  readonly id: (label: string, length?: number) => string;
};

export type MadeCall = {
  readonly id: string;
  readonly name: string;
  readonly fragments: readonly string[];
  readonly signature?: string;
};

type Asking = { readonly model: string; readonly vendor: string; readonly index: number; readonly bytes: number };

/** Fills in ids, fragments, usage and stop. `bytes` is the request's size, from which the input tokens are guessed. */
export const makeReply = (reply: Reply, asking: Asking): Made => {
  const id = (label: string, length = 24) => makeId(`${asking.index}/${label}`, length);
  const text = typeof reply.text === 'string' ? splitText(reply.text) : (reply.text ?? []);
  const thoughts = typeof reply.thinking === 'string' ? [{ text: reply.thinking }] : (reply.thinking ?? []);
  const calls = (reply.calls ?? []).map((call, i) => makeCall(call, id(`call${i}`), asking.vendor));
  const written = text.join('').length + calls.reduce((sum, call) => sum + call.fragments.join('').length + 20, 0);
  return {
    model: asking.model,
    thoughts,
    text,
    calls,
    usage: {
      input: Math.ceil(asking.bytes / 4),
      output: Math.ceil(written / 4) || 1,
      cacheRead: 0,
      cacheWrite: 0,
      ...reply.usage,
    },
    stop: reply.stop ?? (calls.length > 0 ? 'calls' : 'done'),
    id,
  };
};

const makeCall = (call: ScriptedCall, seed: string, vendor: string): MadeCall => {
  const whole = call.arguments ?? JSON.stringify(call.input ?? {});
  return {
    id: call.id ?? (vendor === 'mistral' ? seed.slice(0, 9) : `${vendor === 'anthropic' ? 'toolu_' : 'call_'}${seed}`),
    name: call.name,
    fragments: typeof whole === 'string' ? splitText(whole, 48) : whole,
    ...(call.signature === undefined ? {} : { signature: call.signature }),
  };
};

/** Letters and digits that depend on the seed alone. */
const makeId = (seed: string, length: number): string =>
  createHash('sha512')
    .update(seed)
    .digest('base64')
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, length);

/** Pieces the size of a few tokens, cut at word ends where there are any; joined they are the text. */
const splitText = (text: string, size = 12): readonly string[] =>
  text.match(new RegExp(`[^]{1,${size}}(?=\\s|$)|[^]{1,${size}}`, 'gu')) ?? [];

/** One server-sent event; OpenAI's chat dialect has no names. */
export const frame = (data: Json, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
