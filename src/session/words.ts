/** What a search looks through: what was said and what was asked of tools, not what came out of them. */
import { isPersons } from '../core/messages.ts';
import type { Logged } from '../core/types.ts';

export type Words = { readonly who: 'person' | 'model' | 'tool'; readonly text: string };

/** Characters of one text: enough for any prompt, too few for a whole file that was written. */
const MOST = 20_000;

export function wordsOf(entry: Logged): readonly Words[] {
  if (entry.type === 'compaction') return [{ who: 'model', text: entry.summary.slice(0, MOST) }];
  if (entry.type !== 'message' || entry.message.role === 'result') return [];
  if (entry.message.role === 'user') {
    if (!isPersons(entry.message)) return [];
    return entry.message.content.flatMap((part) => (part.type === 'text' ? [words('person', part.text)] : []));
  }
  return entry.message.content.flatMap((part) => {
    if (part.type === 'text') return [words('model', part.text)];
    return part.type === 'call' ? [words('tool', `${part.name} ${valuesOf(part.input).join(' ')}`)] : [];
  });
}

const words = (who: Words['who'], text: string): Words => ({ who, text: text.slice(0, MOST).normalize() });

/** The values of an input without its punctuation, so that a command is found as it was written. */
function valuesOf(input: unknown): string[] {
  if (typeof input === 'object' && input !== null) return Object.values(input).flatMap(valuesOf);
  return input === null ? [] : [String(input)];
}
