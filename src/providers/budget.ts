import type { Message, Request } from '../core/types.ts';
import type { Spec } from './resolve.ts';

/** What an answer may use where the model would allow more. */
const MOST = 32_000;
/** Where the model's own limit is unknown; never less by default, or files are cut in the middle. */
const LEAST = 8_192;
const IMAGE = 1_600;
/** What vendors add by themselves: frames of messages, their own words about tools. At most, and of the window. */
const FRAME = 1_000;
const FRAME_SHARE = 1 / 16;

/** Output tokens to ask for: what the window leaves beside the input, within the model's limit, above a floor. */
export function outputBudget(request: Request, spec: Spec, asked?: number): number {
  const most = Math.min(asked ?? (spec.output === undefined ? LEAST : MOST), spec.output ?? Number.POSITIVE_INFINITY);
  if (spec.window === undefined) return most;
  const floor = Math.min(most, LEAST, Math.floor(spec.window / 4));
  const frame = Math.min(FRAME, Math.floor(spec.window * FRAME_SHARE));
  return Math.max(floor, Math.min(most, spec.window - estimateTokens(request) - frame));
}

/** On the high side: three UTF-16 units a token. */
export function estimateTokens({ system, tools, messages }: Request): number {
  const declared = tools.reduce((sum, tool) => sum + tool.description.length + JSON.stringify(tool.input).length, 0);
  const said = messages.reduce((sum, message) => sum + lengthOf(message), 0);
  return Math.ceil((system.length + declared + said) / 3);
}

function lengthOf(message: Message): number {
  let length = 12;
  for (const part of message.content) {
    if (part.type === 'image') length += IMAGE * 3;
    else if (part.type === 'call') length += part.name.length + JSON.stringify(part.input).length;
    else length += part.text.length;
  }
  return length;
}
