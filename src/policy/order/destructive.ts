import { isThere, spotOf } from '../parts.ts';
import { DANGEROUS_TEXT, destroys } from '../programs/index.ts';
import type { OrderRule } from '../types.ts';

/** What can't be brought back: asked even in auto mode, whatever was allowed. */
export const destructive: OrderRule = (part, query) => {
  if (part.kind === 'unknown' && DANGEROUS_TEXT.test(query.access.command ?? part.text)) {
    return { verdict: 'ask', rule: 'not known', why: `${part.why}, and it may be destructive` };
  }
  if (part.kind !== 'command') return null;
  const { command } = part;
  const locate = (word: (typeof command.words)[number]) => (command.elsewhere ? 'unknown' : spotOf(word, query));
  const why = destroys(command, locate, (word) => isThere(word, command, query));
  return why === null ? null : { verdict: 'ask', rule: 'destructive', why };
};
