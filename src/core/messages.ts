import type { User } from './types.ts';

/** A prompt or steering, in a person's own words; everything else is told by rein. */
export const isPersons = ({ origin = 'person' }: User): boolean => origin === 'person';
