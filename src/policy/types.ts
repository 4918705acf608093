import type { Access } from '../core/types.ts';
import type { Analysis, Assignment, Command } from './shell/index.ts';

/** From the tightest to the loosest. */
export const MODES = ['plan', 'ask', 'acceptEdits', 'auto', 'bypass'] as const;
export type Mode = (typeof MODES)[number];

export type Effect = 'allow' | 'ask' | 'deny';

/** A rule as somebody wrote it. `source` says who: `settings`, `project`, `flag`, `grant` … */
export type Rule = {
  readonly effect: Effect;
  readonly text: string;
  readonly source: string;
  /** The tool's name, or `*`. */
  readonly tool: string;
  readonly match: Match;
};

export type Match =
  | { readonly kind: 'any' }
  /** `words` after unquoting; `*` in the middle is any one word; `open`: any arguments may follow. */
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly open: boolean }
  | { readonly kind: 'path'; readonly pattern: string }
  | { readonly kind: 'host'; readonly host: string; readonly below: boolean };

/** The part of a file system that a decision looks at. */
export type Disk = {
  /** The real path, links resolved; where it does not exist, the real path of what does, and the rest. */
  readonly real: (path: string) => string;
  /** The names in a folder; none where it can't be read. */
  readonly names: (folder: string) => readonly string[];
  /** Whether git would start programs there that the repository's own configuration names. */
  readonly arms?: (folder: string) => boolean;
};

/** What stays the same for a whole session. All paths are absolute. */
export type Place = {
  /** Where the agent may write; the first is the workspace. */
  readonly roots: readonly string[];
  readonly home: string | null;
  readonly disk: Disk;
};

export type Query = Place & {
  readonly tool: string;
  readonly access: Access;
  readonly cwd: string;
  readonly mode: Mode;
  readonly rules: readonly Rule[];
  /** True where this call would run inside a working sandbox. */
  readonly sandboxed: boolean;
  /** Of `access.command`, where there is one. */
  readonly analysis: Analysis | null;
};

/** One thing that a call would do. Each is decided on its own, and the strictest decision counts. */
export type Part = { readonly text: string } & (
  | {
      readonly kind: 'command';
      readonly command: Command;
      readonly harmless: string | null;
      readonly paths: readonly string[];
    }
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'assignment'; readonly assignment: Assignment }
  /** `path` is real; null where it can't be known. `of` is the command that reads it by its arguments. */
  | { readonly kind: 'read'; readonly path: string | null; readonly how: Depth; readonly of?: Command }
  | { readonly kind: 'write'; readonly path: string | null }
  /** `of`: the command that would reach it. */
  | { readonly kind: 'host'; readonly host: string; readonly of?: Command }
  | { readonly kind: 'anything' }
);

/**
 * What of a path is looked at. `deep`: the contents of everything below, `visible`: the same without hidden files,
 * `names`: names and sizes only.
 */
export type Depth = 'file' | 'deep' | 'visible' | 'names';

/** `rule` names the rule of the order, or is the text of a written rule. */
export type Decision = { readonly verdict: Effect; readonly rule: string; readonly why: string };

/** One line of the order: decides about a part, or leaves it to the next. */
export type OrderRule = (part: Part, query: Query) => Decision | null;

export type PartDecision = Decision & { readonly part: Part };
export type Outcome = Decision & { readonly parts: readonly PartDecision[] };
