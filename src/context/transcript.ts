/** A conversation as plain text, for a model that is to sum it up: valid for every provider, and of any size. */
import { isPersons } from '../core/messages.ts';
import type { Content, Message } from '../core/types.ts';
import { clip } from './clip.ts';
import { inputText } from './window.ts';

/** Characters of one output or one call's input; the first that fits is taken. */
const CAPS = [4_000, 1_200, 400, 120];

/** At most `limit` characters: outputs are shortened first, then the middle is left out. */
export function transcribe(messages: readonly Message[], limit: number): string {
  let text = '';
  for (const cap of CAPS) {
    text = messages.map((message) => render(message, cap)).join('\n\n');
    if (text.length <= limit) return text;
  }
  return clip(text, limit);
}

function render(message: Message, cap: number): string {
  if (message.role === 'user') {
    return `${isPersons(message) ? 'PERSON' : 'HARNESS'}: ${clip(contentText(message.content), cap * 4)}`;
  }
  if (message.role === 'result') return `OUTPUT of ${message.name}: ${clip(contentText(message.content), cap)}`;
  const said = message.content.flatMap((part) => {
    if (part.type === 'thinking') return [];
    if (part.type === 'text') return [`AGENT: ${clip(part.text, cap * 2)}`];
    return [`CALL ${part.name} ${clip(inputText(part.input), cap)}`];
  });
  return said.join('\n');
}

export const contentText = (content: readonly Content[]): string =>
  content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
