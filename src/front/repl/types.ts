import type { Readable, Writable } from 'node:stream';
import type { Ask, Session } from '../../harness/types.ts';

/** What commands may do with the harness. The command line supplies it. */
export type Host = {
  /** The session on the screen. */
  readonly session: () => Session;
  /** Closes the session and opens an empty one; the old log is kept. */
  readonly newSession: () => Promise<Session>;
  /** Closes the session and opens another by id or prefix. Rejects with a sentence where there is none. */
  readonly resume: (id: string) => Promise<Session>;
  /** Newest first. */
  readonly listSessions: () => Promise<readonly SessionSummary[]>;
  /** `vendor/model`, those with a key first. */
  readonly models: () => Promise<readonly string[]>;
};

/** `time` is milliseconds since the epoch, of the last entry. */
export type SessionSummary = { readonly id: string; readonly title: string; readonly time: number };

export type Choice = { readonly value: string; readonly label: string; readonly about?: string };

/** A slash command is a line of data. The command line adds its own to `builtins`. */
export type Command = {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** How its arguments are written: `[id]`. */
  readonly args?: string;
  readonly help: string;
  /** Completions of its argument. */
  readonly complete?: (host: Host) => Promise<readonly Choice[]>;
  readonly run: (context: CommandContext, args: string) => Promise<void> | void;
};

export type CommandContext = {
  readonly host: Host;
  readonly commands: readonly Command[];
  /** Shows Markdown to the person; the model never sees it. */
  readonly say: (markdown: string) => void;
  /** Lets the person pick; undefined where they would not, or can't (line mode shows the list). */
  readonly choose: (title: string, choices: readonly Choice[]) => Promise<string | undefined>;
  /** Puts another session on the screen. */
  readonly show: (session: Session) => void;
  /** Milliseconds since the epoch. */
  readonly time: () => number;
  readonly leave: () => void;
};

export type Input = Readable & {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  readonly setRawMode?: (raw: boolean) => unknown;
};

export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

export type ReplOptions = {
  readonly stdin: Input;
  readonly stdout: Screen;
  readonly color: boolean;
  /** True with `--plain`, TERM=dumb or no TERM. Without a terminal at both ends line mode is chosen anyway. */
  readonly plain: boolean;
  readonly version: string;
  /** One line per prompt, all folders together; absent: nothing is kept. */
  readonly historyFile?: string;
  /** Shown as `~`. */
  readonly home?: string;
  /** Milliseconds: monotonic, and since the epoch. */
  readonly now: () => number;
  readonly time: () => number;
  readonly commands?: readonly Command[];
};

/** A mode that runs: `done` resolves with the exit code. */
export type Running = {
  readonly done: Promise<number>;
  readonly dispose: () => void;
  readonly warn: (text: string) => void;
};

export type Repl = {
  /** The function that answers the harness's questions. */
  readonly ask: Ask;
  /** Runs until the person leaves; resolves with the exit code. */
  readonly run: (host: Host, prompt?: string) => Promise<number>;
  /** Tells the person one line; a write to stderr would land in the middle of the screen. */
  readonly warn: (text: string) => void;
  /** Gives the terminal back at once, whatever is going on. Safe to call twice, and from an exit or signal handler. */
  readonly dispose: () => void;
};
