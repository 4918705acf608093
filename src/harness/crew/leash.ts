/**
 * What ties a child to its parent. The parent sends it over the pipe that it made when it started the child, so no
 * environment variable can forge one, and a child without one is a program of its own, with no keys.
 */
import type { Access, Call, Verdict } from '../../core/types.ts';
import type { Limits } from '../caps.ts';
import type { Settings } from '../settings.ts';
import type { Seen } from '../types.ts';

/** Agents of one prompt: how deep they may nest, and how many there may be in all. */
export const BOUNDS = { depth: 3, descendants: 16 };

export type Leash = {
  readonly depth: number;
  readonly startedBy: { readonly session: string; readonly call: string };
  /** Names of the agents above, outermost first, for the questions that reach the person. */
  readonly from: readonly string[];
  readonly model: string;
  readonly limits: Limits;
  /** The parent keeps no record, so neither does the child. */
  readonly ephemeral: boolean;
  /** The hash of the configuration that the person trusts, for a child that works in the same folder. */
  readonly trusted?: string | undefined;
  /** The parent's deny rules: a child's own tools leave out what they name. */
  readonly deny: readonly string[];
  /** The parent's tools, where it has not all. */
  readonly tools?: readonly string[] | undefined;
  /** Safe mode: no instructions and the like from files. */
  readonly bare: boolean;
  /** The parent's commands run in a sandbox: the child's must too, whatever its mode. */
  readonly walled: boolean;
  /** Folders that the parent may write: a child writes its own folder only inside of them. */
  readonly roots: readonly string[];
  /** The folder of the family's working trees. */
  readonly trees: string;
  /** It works in one of them and may write nowhere else. */
  readonly isolated: boolean;
  /** What only the parent may set. */
  readonly settings: Pick<Settings, Trusted>;
};

/** Settings that say where keys go, what is hidden and what is walled. A child's command line, which a model wrote, has no say in them. */
const TRUSTED = [
  'baseUrl',
  'vendors',
  'models',
  'fallbackModel',
  'privateHosts',
  'hiddenVariables',
  'limits',
  'secrets',
  'sandbox',
  'undo',
  'addDirs',
  'prompts',
  'agentModels',
] as const;

type Trusted = (typeof TRUSTED)[number];

export const trustedSettings = (settings: Settings): Leash['settings'] =>
  Object.fromEntries(TRUSTED.flatMap((key) => (settings[key] === undefined ? [] : [[key, settings[key]]])));

/** A child's settings: its own where they can only narrow, its parent's for the rest. */
export function leashSettings(own: Settings, leash: Leash): Settings {
  const narrow = Object.fromEntries(Object.entries(own).filter(([key]) => !TRUSTED.some((name) => name === key)));
  const permissions = { ...own.permissions, deny: [...leash.deny, ...(own.permissions?.deny ?? [])] };
  const tools = own.tools?.filter((name) => leash.tools?.includes(name) ?? true) ?? leash.tools;
  return { model: leash.model, ...narrow, ...leash.settings, permissions, ...(tools ? { tools: [...tools] } : {}) };
}

/** What a child may ask of its parent, and tell it. */
export type Parent = {
  /** The parent's policy judges every call of the child, with the parent's rules and mode of that moment. */
  readonly judge: (call: Call, access: Access, from: readonly string[], signal: AbortSignal) => Promise<Verdict>;
  /** A place for one more descendant; a sentence where there is none. Asked up to the root. */
  readonly enter: () => Promise<string | undefined>;
  readonly show: (session: string, event: Seen) => void;
};

/** The parent as a child holds it. */
export type Above = Parent & {
  /** A message of the person's for this session or one below it. */
  readonly onSteer: (listener: (session: string, text: string) => void) => void;
};

export const LOST_PARENT: Verdict = { allow: false, reason: 'The agent above is gone; nothing was done.', end: true };
