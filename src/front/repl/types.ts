import type { Readable, Writable } from 'node:stream';
import type { Content } from '../../core/types.ts';
import type { Ask, Session } from '../../harness/types.ts';
import type { ThemeName } from '../render/theme.ts';
import type { Host } from './host.ts';

export type { Host } from './host.ts';

export type Choice = {
  readonly value: string;
  readonly label: string;
  readonly about?: string;
  /** What it would be, as text; asked for when it is under the cursor. */
  readonly preview?: () => Promise<string>;
};

export type Choosing = {
  /** Where the cursor begins. */
  readonly at?: string;
  /** What Tab changes to, and back. */
  readonly other?: { readonly name: string; readonly choices: () => Promise<readonly Choice[]> };
};

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
  /** The keys that there are, as Markdown: none in line mode. */
  readonly keys: readonly string[];
  /** Shows Markdown to the person; the model never sees it. */
  readonly say: (markdown: string) => void;
  /** As `say`, for a text to read and to leave: on a screen of its own, where there is one. */
  readonly read: (title: string, markdown: string) => void;
  /** Lets the person pick; undefined where they would not, or can't (line mode shows the list). */
  readonly choose: (title: string, choices: readonly Choice[], options?: Choosing) => Promise<string | undefined>;
  /** Sends a prompt, as if it had been typed. */
  readonly send: (content: string | readonly Content[]) => void;
  /** Puts text where the person types. */
  readonly draft: (text: string) => void;
  /** Keeps a prompt that was taken back where the person finds it, which is not where they type; says where. */
  readonly keep: (prompt: string) => string;
  /** Puts another session on the screen. */
  readonly show: (session: Session) => void;
  readonly setTheme: (name: ThemeName) => void;
  /** To the clipboard; resolves with what came of it, in words. */
  readonly copy: (text: string) => Promise<string>;
  /** Lets the person change a text in an editor of their own; absent where there is none. Rejects with a sentence. */
  readonly edit?: (text: string) => Promise<string>;
  /** Sub-agents that work now. */
  readonly agents: () => readonly RunningAgent[];
  /** Milliseconds since the epoch. */
  readonly time: () => number;
  readonly leave: () => void;
};

/** `show` is its task, in a line. */
export type RunningAgent = { readonly session: string; readonly show: string };

export type Input = Readable & {
  readonly isTTY?: boolean;
  readonly setRawMode?: (raw: boolean) => unknown;
};

export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

export type ReplOptions = {
  readonly stdin: Input;
  readonly stdout: Screen;
  readonly color: boolean;
  readonly theme?: ThemeName;
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
  /** Lets the person change a text in an editor of their own, which has the terminal meanwhile. */
  readonly edit: (text: string) => Promise<string>;
  /** Puts a text on the clipboard with a program of this machine; false where there is none. */
  readonly copy?: (text: string) => Promise<boolean>;
  /** Stops this process and its group until the shell goes on with it. */
  readonly suspend: () => void;
  /** The terminal is known to understand OSC 9: progress and notifications. */
  readonly osc9?: boolean;
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
