/** A session as text, for reading and for tools: what was said and done, in order. */

import type { Logged, Message, Result } from '../core/types.ts';
import { isPersons, messagesOf } from '../harness/messages.ts';
import type { Branch } from '../harness/positions.ts';
import { oneLine, safe } from './render/safe.ts';

export const transcript = (entries: readonly Logged[]): string => messagesOf(entries).map(describe).join('\n');

function describe(message: Message): string {
  if (message.role === 'user' && !isPersons(message)) return `· ${oneLine(textOf(message.content), 200)}\n`;
  if (message.role === 'user') return `\n> ${textOf(message.content).replaceAll('\n', '\n> ')}\n`;
  if (message.role === 'result') return `  ↳ ${message.name}\n${indent(resultOf(message))}`;
  return message.content
    .flatMap((part) => {
      if (part.type === 'text') return part.text.trim() === '' ? [] : [safe(part.text.trim()), ''];
      return part.type === 'call' ? [`● ${part.name} ${safe(JSON.stringify(part.input))}`] : [];
    })
    .join('\n');
}

const textOf = (content: readonly { readonly type: string; readonly text?: string }[]): string =>
  content.map((part) => safe(part.text ?? `[${part.type}]`)).join('\n');

// The log alone can't tell which: another program may be at work on it.
const resultOf = ({ how, content }: Result): string =>
  how === 'lost' ? 'no result: it still runs, or the program ended before it was recorded' : textOf(content);

const indent = (text: string): string => `  ${text.trimEnd().replaceAll('\n', '\n  ')}\n`;

/** The same as a Markdown document: a heading for each prompt, calls and results in code blocks. */
export const markdown = (title: string, entries: readonly Logged[]): string => {
  const parts = messagesOf(entries).map(section);
  return `${[`# ${oneLine(title, 120)}`, ...parts.filter((part) => part !== '')].join('\n\n')}\n`;
};

function section(message: Message): string {
  if (message.role === 'user') {
    return !isPersons(message) ? quote(textOf(message.content)) : `## Prompt\n\n${textOf(message.content)}`;
  }
  if (message.role === 'result') return `Result of ${message.name}:\n\n${fence(resultOf(message))}`;
  const parts = message.content.flatMap((part) => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [safe(part.text.trim())];
    return part.type === 'call' ? [`**${part.name}**\n\n${fence(JSON.stringify(part.input, null, 2), 'json')}`] : [];
  });
  return parts.join('\n\n');
}

const quote = (text: string): string => `> ${text.replaceAll('\n', '\n> ')}`;

/** Longer than any row of backticks inside, so that the text can't end its block. */
function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${safe(text).trimEnd()}\n${ticks}`;
}

/** The prompts with their branches, a line each: `●` is the conversation as it stands, `○` was left. */
export function outline(branches: readonly Branch[], depth = 0): string {
  let lines = '';
  let rest = branches;
  // A chain without a fork stays at its depth, however long it is.
  for (let [only] = rest; only && rest.length === 1; [only] = rest) {
    lines += `${'  '.repeat(depth)}${only.current ? '●' : '○'} ${only.entry}  ${oneLine(only.text, 100)}\n`;
    rest = only.next;
  }
  return lines + rest.map((branch) => outline([branch], depth + 1)).join('');
}
