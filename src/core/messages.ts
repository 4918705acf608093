import type { Message, User } from './types.ts';

/** A prompt or steering, in a person's own words; everything else is told by rein. */
export const isPersons = ({ origin = 'person' }: User): boolean => origin === 'person';

/** What rein itself tells the model. */
export const toldByRein = (text: string): User => ({
  role: 'user',
  origin: 'harness',
  content: [{ type: 'text', text }],
});

/** The texts of a message, and nothing in the place of what is none. */
export const textOf = (content: readonly Message['content'][number][], between = ''): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(between);
