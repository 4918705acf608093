import type { Word } from '../shell/index.ts';
import type { Depth } from '../types.ts';

/** What is known of one invocation. A string says why it may do more than read. */
export type Judgement = { readonly reads: readonly Read[] } | string;

/** A path that it would look at. */
export type Read = { readonly word: Word; readonly how: Depth };

/** Judges the arguments of one program (the name is not among them). */
export type Program = (words: readonly Word[]) => Judgement;

export type Programs = Readonly<Record<string, Program>>;
