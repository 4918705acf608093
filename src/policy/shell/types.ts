/** A shell line, as the commands that it would run. */

/** One argument as written, and what is known of its value before the shell runs. */
export type Word = {
  /** The source text. */
  readonly raw: string;
  /** The value after unquoting; null where the shell computes it. */
  readonly text: string | null;
  /** A file-name pattern: what is quoted in it is escaped by `\`. Then `text` is null. */
  readonly pattern?: string;
  /** False where it may become several words, or none. */
  readonly single: boolean;
};

export type Redirect = {
  readonly access: 'read' | 'write';
  readonly target: Word;
};

export type Assignment = {
  readonly name: string;
  readonly value: Word | null;
  /** True where it reaches the environment of a program (`X=1 cmd`, `export X=1`). */
  readonly exported: boolean;
  readonly text: string;
};

export type Command = {
  /** The program or built-in, unquoted; null where the shell computes it. */
  readonly name: string | null;
  /** The arguments, without the name. */
  readonly words: readonly Word[];
  readonly text: string;
  /** The commands that start this one (`env`, `xargs`, `sh -c` …), outermost first. */
  readonly via: readonly Command[];
  /** It does nothing but start others, which stand in the list themselves. */
  readonly wrapper: boolean;
  /** It runs in a folder that the line does not tell (`find -execdir`). */
  readonly elsewhere: boolean;
};

/** What could not be known, and where. */
export type Reason = { readonly text: string; readonly why: string };

export type Analysis = {
  readonly line: string;
  readonly commands: readonly Command[];
  readonly redirects: readonly Redirect[];
  readonly assignments: readonly Assignment[];
  /** Not empty: the line may run more than `commands` says. */
  readonly unknown: readonly Reason[];
  /** A loop may run its commands, `cd` among them, many times. */
  readonly loops: boolean;
};
