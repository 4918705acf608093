import type { ContextFill } from '../context/index.ts';
import type { Call, Content, Failure, Json, Live, Logged, Stop, ToolSchema } from '../core/types.ts';
import type { Totals } from '../session/index.ts';
import type { Job } from '../tools/jobs.ts';
import type { History } from './history.ts';
import type { Mode } from './settings.ts';
import type { ShellEnd, ShellLine } from './user-shell.ts';

export type { Answer, Ask, Question } from '../core/types.ts';
export type { Totals } from '../session/index.ts';

/** What a front end sees: facts as they stand in the log, and the noise of this moment. */
export type Seen = Logged | Live;

export type Signal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

/** How a prompt ended. `stop` adds the harness's own reasons to the loop's. */
export type Ending = {
  readonly stop: Stop | 'max_time' | 'max_cost';
  /** The last assistant text, '' where there is none. */
  readonly text: string;
  /** One line for a person where it did not end well. */
  readonly message?: string;
  /** The model failure behind `error`; it decides between trying again and not. */
  readonly failure?: Failure;
  /** The signal behind `aborted`. */
  readonly signal?: Signal;
  /** The final answer as data, where a JSON schema was asked for and met. */
  readonly structured?: Json;
  readonly turns: number;
  /** Milliseconds: in all, and in model requests. */
  readonly duration: number;
  readonly durationApi: number;
};

export type ExplainedPart = {
  readonly text: string;
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** The rule that decided, and why. */
  readonly rule: string;
};

/** A prompt that can't be sent. Its message is for the person; nothing was stored. */
export class PromptError extends Error {}

export type Session = {
  readonly id: string;
  readonly cwd: string;
  /** The log's path, or null with `--no-session`. */
  readonly file: string | null;
  readonly model: string;
  readonly effort: string | undefined;
  readonly mode: string;
  readonly tools: readonly string[];
  /** The same as the model is sent them. */
  readonly schemas: readonly ToolSchema[];
  /** Everything from the root to the leaf. */
  readonly entries: () => readonly Logged[];
  /**
   * Puts a message in the inbox and starts the drive if it rests. While it works, that is steering. Throws a
   * `PromptError` where the model can't take it.
   */
  readonly send: (content: string | readonly Content[]) => void;
  /** Takes back what was sent and not yet delivered. */
  readonly recall: () => readonly string[];
  /** Resolves when the drive rests, with how the last prompt ended. */
  readonly settled: () => Promise<Ending>;
  readonly busy: () => boolean;
  /** Subscribes from now on; every reader has its own buffer and may be slow or leave. */
  readonly events: () => AsyncIterable<Seen>;
  /** Stops the turn: aborts, waits for the tools, commits their results. */
  readonly stop: (signal?: Signal) => Promise<void>;
  readonly setModel: (model: string, effort?: string) => void;
  /** Going back, in words and files. Stops the turn first. */
  readonly history: History;
  /** Makes the history smaller, now; resolves with one line on what came of it. */
  readonly compact: (hint?: string) => Promise<string>;
  /** What fills the model's window, by part. */
  readonly fill: () => ContextFill;
  /** From the next call on, for this session and all below it. */
  readonly setMode: (mode: Mode) => void;
  /** A message for a sub-agent that works (or for this session); false where none of that id does. */
  readonly steer: (session: string, text: string) => boolean;
  readonly skills: readonly { readonly name: string; readonly description: string }[];
  /** Takes back what was granted in this session. */
  readonly revoke: (rule: string) => void;
  /** The rules that were granted here and hold. */
  readonly grants: () => readonly string[];
  /** How the policy understands a shell line, and what it says about each part: for showing; nothing runs. */
  readonly explain: (command: string, cwd?: string) => Promise<readonly ExplainedPart[]>;
  /** Commands of the agent's that run, or ran, in the background: oldest first. */
  readonly jobs: () => readonly Job[];
  /** The commands that are waited for go on as jobs. False where there is none. */
  readonly background: () => boolean;
  /** Runs a shell line of the person's own; with `shown` the model sees it with the next prompt. */
  readonly shell: (line: ShellLine & { readonly shown: boolean }) => Promise<ShellEnd>;
  readonly totals: () => Totals;
  /** Refusals so far, for the result line. */
  readonly denials: () => readonly { readonly call: Call; readonly reason: string }[];
  readonly close: (reason?: Signal) => Promise<void>;
  /** Ends every process of the session now, without grace, for a program that must leave. The log stays valid. */
  readonly kill: () => void;
};
