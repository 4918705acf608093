/** A shell line of the person's own, as the model is shown it: what it is, the command, what came of it. */
import type { Message, User } from '../core/types.ts';

export const shellLine = (intro: string, command: string, output: string, end: string): string =>
  [`${intro.trim()}\n\n$ ${command}`, ...(output === '' ? [] : [output.replace(/\n$/, '')]), end].join('\n');

export const toldBy = (text: string): User => ({ role: 'user', origin: 'shell', content: [{ type: 'text', text }] });

/** The command of a message that `toldBy` made; undefined where it is another. */
export function shellLineIn(message: Message): string | undefined {
  if (message.role !== 'user' || message.origin !== 'shell') return undefined;
  const [part] = message.content;
  return part?.type === 'text' ? /^[^$]*\n\n\$ ([^\n]*)/.exec(part.text)?.[1] : undefined;
}
