import type { Word } from '../shell/index.ts';

/** What is known of one invocation. A string says why it may do more than read. */
export type Judgement = { readonly reads: readonly Read[] } | string;

/**
 * A path that it would look at. `deep`: the contents of everything below, `visible`: the same without hidden files,
 * `names`: names and sizes only.
 */
export type Read = { readonly word: Word; readonly how: 'file' | 'deep' | 'visible' | 'names' };

/** Judges the arguments of one program (the name is not among them). */
export type Program = (words: readonly Word[]) => Judgement;

export type Programs = Readonly<Record<string, Program>>;
