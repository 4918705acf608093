import type { Image } from '../../core/types.ts';
import type { Conflicts as HistoryConflicts } from '../../harness/history.ts';
import type { TodoItem } from '../../harness/index.ts';
import type { ExplainedPart, Session } from '../../harness/types.ts';
import type { RuleLine, SettingLine } from '../../harness/user-settings.ts';
import type { ShellEnd } from '../../harness/user-shell.ts';

/**
 * What commands and keys may do with the harness; the command line supplies it. Where a promise resolves with a string,
 * that is Markdown for the person; it rejects with a sentence.
 */
export type Host = {
  /** The session on the screen. */
  readonly session: () => Session;
  /** Closes the session and opens an empty one; the old log is kept. */
  readonly newSession: () => Promise<Session>;
  /** Closes the session and opens another by id or prefix. Rejects with a sentence where there is none. */
  readonly resume: (id: string) => Promise<Session>;
  /** Newest first: of this folder, or of all. */
  readonly listSessions: (all?: boolean) => Promise<readonly SessionSummary[]>;
  /** Those with a key first. */
  readonly models: () => Promise<readonly ModelSummary[]>;

  /** The last of what was said in a session, as text. */
  readonly preview: (id: string) => Promise<string>;
  /** Goes on in a copy. */
  readonly fork: () => Promise<Session>;
  readonly setMode: (mode: string) => void;
  /** Takes back, or brings back, what the last prompt did. */
  readonly undo: (conflicts?: Conflicts) => Promise<Undone>;
  readonly redo: (conflicts?: Conflicts) => Promise<Undone>;
  /** Oldest first. */
  readonly prompts: () => Promise<readonly PromptSummary[]>;
  /** Goes back to before that prompt. */
  readonly rewind: (entry: string, what: 'files' | 'conversation' | 'both', conflicts?: Conflicts) => Promise<Undone>;
  /** Every branch, in the order it is drawn. */
  readonly tree: () => Promise<readonly TreeLine[]>;
  /** Goes on from that entry. */
  readonly goTo: (entry: string) => Promise<string>;
  /** A unified diff of what changed since the session began; '' for nothing. */
  readonly diff: () => Promise<string>;
  readonly compact: (hint: string) => Promise<string>;
  /** What fills the context: undefined before the first request. Called after each reply. */
  readonly context: () => ContextUse | undefined;
  /**
   * Runs a shell line for the person; with `shown`, line and output go to the model with the next prompt. `said` takes
   * output as it comes.
   */
  readonly shell: (
    command: string,
    shown: boolean,
    signal: AbortSignal,
    said: (text: string) => void,
  ) => Promise<ShellEnd>;
  /** All files that may be named with `@`, relative to the folder. Called when a completion begins. */
  readonly files: (signal: AbortSignal) => Promise<readonly string[]>;
  /** The image in a file, or a sentence why not. */
  readonly readImage: (path: string) => Promise<Image | string>;
  /** The image on the clipboard, undefined where there is none. */
  readonly pasteImage: () => Promise<Image | undefined>;
  /** How a shell line was understood: one part for each command in it. */
  readonly explain: (command: string, cwd?: string) => Promise<readonly ExplainedPart[]>;
  readonly rules: () => readonly RuleSummary[];
  /** Takes back a grant of this session. */
  readonly revoke: (rule: string) => void;
  readonly settings: () => readonly SettingLine[];
  /** Writes the user's settings. */
  readonly saveSetting: (key: string, value: string) => Promise<string>;
  /** Called for every picture: cheap. */
  readonly jobs: () => readonly JobSummary[];
  readonly jobOutput: (id: string) => Promise<string>;
  readonly stopJob: (id: string) => Promise<string>;
  /** The shell command that runs goes on as a job. False where none does. */
  readonly background: () => boolean;
  /** Has a plan carried out, in another mode from now on. */
  readonly approvePlan: (plan: string, mode: string) => void;
  readonly todo: () => readonly TodoItem[];
  readonly skills: () => Promise<string>;
  /** The prompt that drafts instructions for this folder. */
  readonly init: () => string;
  readonly exportSession: (path: string | undefined) => Promise<string>;
  readonly doctor: () => Promise<string>;
  /** US dollars for the session. */
  readonly maxCost?: number;
  /** Files changed after the last tests ran. Called for every picture: cheap. */
  readonly testsStale: () => boolean;
  /** The person's own status line, where they have one; called after each prompt and each result. */
  readonly statusLine: () => Promise<string | undefined>;
};

/** About files that somebody else has changed since: leave them, or overwrite. */
export type Conflicts = Exclude<HistoryConflicts, 'ask'>;

/** What was done; or nothing was, because of these files: it is said again with what to do about them. */
export type Undone = { readonly said: string; readonly prompt?: string } | { readonly conflicts: readonly string[] };

/** `time` is milliseconds since the epoch, of the last entry. */
export type SessionSummary = {
  readonly id: string;
  readonly title: string;
  readonly time: number;
  readonly cwd: string;
};

/** `name` is `vendor/model`; the window is in tokens, prices are US dollars for a million. */
export type ModelSummary = {
  readonly name: string;
  readonly usable: boolean;
  readonly window?: number;
  readonly input?: number;
  readonly output?: number;
};

export type PromptSummary = {
  readonly entry: string;
  readonly text: string;
  readonly time: number;
  /** What changed while it was worked on. */
  readonly files: readonly string[];
};

export type TreeLine = { readonly entry: string; readonly stem: string; readonly text: string; readonly here: boolean };

/** Tokens. */
export type ContextUse = {
  readonly used: number;
  readonly window: number;
  /** Where the history is made smaller. */
  readonly start?: number;
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
};

/** `from` is a file, or `this session`. */
export type RuleSummary = RuleLine & { readonly revocable?: boolean };

export type JobSummary = {
  readonly id: string;
  readonly command: string;
  readonly since: number;
  readonly ended?: string;
};
