import type { User } from './types.ts';

/** What rein itself says to the model. */
export const toldByRein = (text: string): User => ({
  role: 'user',
  origin: 'harness',
  content: [{ type: 'text', text: text.trim() }],
});

/** A prompt or steering, in a person's own words; everything else is told by rein. */
export const isPersons = ({ origin = 'person' }: User): boolean => origin === 'person';
