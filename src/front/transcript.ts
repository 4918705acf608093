/** A session as text, for reading and for tools: what was said and done, in order. */
import type { Logged, Message } from '../core/types.ts';
import { safe } from './render/safe.ts';

export const transcript = (entries: readonly Logged[]): string =>
  entries.flatMap((entry) => (entry.type === 'message' ? [describe(entry.message)] : [])).join('\n');

function describe(message: Message): string {
  if (message.role === 'user') return `\n> ${textOf(message.content).replaceAll('\n', '\n> ')}\n`;
  if (message.role === 'result') return indent(textOf(message.content));
  return message.content
    .flatMap((part) => {
      if (part.type === 'text') return part.text.trim() === '' ? [] : [safe(part.text.trim()), ''];
      return part.type === 'call' ? [`● ${part.name} ${safe(JSON.stringify(part.input))}`] : [];
    })
    .join('\n');
}

const textOf = (content: readonly { readonly type: string; readonly text?: string }[]): string =>
  content.map((part) => safe(part.text ?? `[${part.type}]`)).join('\n');

const indent = (text: string): string => `  ${text.trimEnd().replaceAll('\n', '\n  ')}\n`;
