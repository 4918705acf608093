/** Bounds on what may enter the history at once, so that one text can't be larger than the window. */
import { aroundRun } from '../core/decorate.ts';
import { textOf } from '../core/messages.ts';
import type { Content, Output, Tool, User } from '../core/types.ts';
import { clip } from './clip.ts';
import { LEAST_ROOM, startOf } from './plan.ts';
import { contentText } from './transcript.ts';
import type { Meter } from './window.ts';

/** Part of the window that one result may take, and its bounds in characters. */
const PART = 0.25;
const LEAST = 2_000;
const MOST = 400_000;

/** Characters that one result may have, for a window in tokens. */
export const resultLimit = (window: number | undefined, perToken = 3): number =>
  window === undefined ? MOST : Math.min(MOST, Math.max(LEAST, Math.floor(window * PART * perToken)));

/** Cuts what a tool returns to `limit` characters. */
export const withResultLimit = (tool: Tool, limit: () => number): Tool =>
  aroundRun(tool, async function* (prepared, context) {
    return bounded(yield* prepared.run(context), limit());
  });

function bounded(output: Output, limit: number): Output {
  const text = textOf(output.content, '\n');
  if (text.length <= limit) return output;
  const note = (left: number) => `[… ${left} of ${text.length} characters left out; ask for a smaller part …]`;
  const images = output.content.filter((part) => part.type === 'image');
  return { ...output, content: [{ type: 'text', text: clip(text, limit, note) }, ...images] };
}

/** Why a prompt can't be sent, where it alone is larger than the model's window. */
export function promptProblem(
  content: readonly Content[],
  {
    window,
    output,
    fixed,
    meter,
  }: { window: number | undefined; output?: number | undefined; fixed: number; meter: Meter },
): string | undefined {
  if (window === undefined) return undefined;
  const message: User = { role: 'user', content };
  const tokens = meter.tokensOf(message);
  // Where system text and tools fill the window, the prompt is not what has to change.
  const room = Math.max(LEAST_ROOM, Math.floor(startOf(window, output) - fixed));
  if (tokens <= room) return undefined;
  return `This prompt has about ${tokens} tokens (${contentText(content).length} characters), more than the ${room} that the model's window of ${window} leaves. Put the text in a file and name its path, or send a part.`;
}
