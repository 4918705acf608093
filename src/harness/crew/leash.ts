/**
 * What ties a child to its parent. The parent sends it over the pipe that it made when it started the child, so no
 * environment variable can forge one, and a child without one is a program of its own, with no keys.
 */
import type { Access, Call, Verdict } from '../../core/types.ts';
import type { Limits } from '../caps.ts';
import type { Seen } from '../types.ts';

export type Leash = {
  readonly depth: number;
  readonly startedBy: { readonly session: string; readonly call: string };
  /** Names of the agents above, outermost first, for the questions that reach the person. */
  readonly from: readonly string[];
  readonly model: string;
  readonly mode: string;
  readonly limits: Limits;
  /** The parent keeps no record, so neither does the child. */
  readonly ephemeral: boolean;
};

/** What a child may ask of its parent, and tell it. */
export type Parent = {
  /** The parent's policy judges every call of the child, with the parent's rules and mode of that moment. */
  readonly judge: (call: Call, access: Access, from: readonly string[], signal: AbortSignal) => Promise<Verdict>;
  /** A place for one more descendant; a sentence where there is none. Asked up to the root. */
  readonly enter: () => Promise<string | undefined>;
  readonly show: (session: string, event: Seen) => void;
};

export const LOST_PARENT: Verdict = { allow: false, reason: 'The agent above is gone; nothing was done.', end: true };
