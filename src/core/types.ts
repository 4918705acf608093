/**
 * The architecture, in one file. An agent is a model, a view of the history, tools, a gate, and a loop (`loop.ts`).
 * The model is stateless; whatever it knows, the view showed it. Read this first, then `loop.ts`.
 */

// ── Messages: what is said ───────────────────────────────────────────────────────────────────────────────────────────

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type Text = { readonly type: 'text'; readonly text: string };
/** `data` is base64; `mediaType` comes from the bytes, never from the file's name. */
export type Image = { readonly type: 'image'; readonly mediaType: string; readonly data: string };
/** What the model thought, for display. What its provider needs back is in `Assistant.raw`. */
export type Thinking = { readonly type: 'thinking'; readonly text: string };
/**
 * A tool call. `id` is rein's own and unique in a session; `vendorId` is what the provider sent (may be empty or
 * repeated). `broken` says why the arguments could not be read: such a call is answered, never run.
 */
export type Call = {
  readonly type: 'call';
  readonly id: string;
  readonly vendorId: string;
  readonly name: string;
  readonly input: Json;
  readonly broken?: string;
};

export type Content = Text | Image;

/** `origin` tells a person's prompt from text that rein itself adds (a nudge, late instructions), and from a shell line of `!`. */
export type User = {
  readonly role: 'user';
  readonly content: readonly Content[];
  readonly origin?: 'person' | 'harness' | 'shell';
};

/** Why a reply ended. Content decides between `done` and `calls`; the rest are ends that run nothing. */
export type ReplyStop = 'done' | 'calls' | 'length' | 'refused' | 'overflow' | 'aborted' | 'error';

export type Assistant = {
  readonly role: 'assistant';
  readonly content: readonly (Text | Thinking | Call)[];
  readonly stop: ReplyStop;
  /** `vendor/model` as it was asked. */
  readonly model: string;
  readonly usage?: Usage;
  readonly failure?: Failure;
  /** The provider's own form of `content`, returned byte for byte to the same dialect and vendor. */
  readonly raw?: Raw;
};

export type Raw = { readonly dialect: string; readonly vendor: string; readonly model: string; readonly content: Json };

/** The one answer to a call. `failed` marks what the model should treat as an error. */
export type Result = {
  readonly role: 'result';
  readonly call: string;
  readonly name: string;
  readonly content: readonly Content[];
  readonly failed: boolean;
  /** How it came about: ran to its end, was refused before it began, stopped after it began, never ran, or was lost. */
  readonly how: 'ran' | 'refused' | 'stopped' | 'unrun' | 'lost';
  /** For people and front ends (a diff, an exit code); never sent to a model. */
  readonly details?: Json;
};

export type Message = User | Assistant | Result;

/** A message as it is shown and as the log has it. With `entry` the view may begin here: each result has its call. */
export type Shown = { readonly message: Message; readonly original: Message; readonly entry?: string };

/** Tokens. `input` counts what was neither read from nor written to the cache. */
export type Usage = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** US dollars; absent when the price is unknown, which is not the same as 0. */
  readonly cost?: number;
};

/** A model failure is data. Each kind knows itself whether trying again can help (`providers/errors.ts`). */
export type Failure = {
  readonly kind:
    | 'auth'
    | 'request'
    | 'model'
    | 'rate'
    | 'overloaded'
    | 'network'
    | 'stream'
    | 'overflow'
    | 'empty'
    | 'budget'
    | 'internal';
  /** One line for a person: what happened and what to do. */
  readonly message: string;
  readonly status?: number;
  /** Which cap a `budget` failure hit. */
  readonly cap?: 'turns' | 'cost' | 'time';
  /** Milliseconds the server asked us to wait. */
  readonly retryAfter?: number;
};

// ── Events: facts and noise ──────────────────────────────────────────────────────────────────────────────────────────

export type ToolSchema = { readonly name: string; readonly description: string; readonly input: Json };

/**
 * A fact. It is appended to the log before anybody acts on it, and replayed on resume. `opened` holds what was sent, as
 * it was sent, so that a resumed session sends the same bytes.
 */
export type Entry =
  | {
      readonly type: 'opened';
      readonly version: number;
      readonly cwd: string;
      readonly system: string;
      readonly tools: readonly ToolSchema[];
      readonly model: string;
      readonly effort?: string;
    }
  | { readonly type: 'message'; readonly message: Message }
  /** From here on the view shows `summary`, then everything from entry `keep` on. */
  | {
      readonly type: 'compaction';
      readonly summary: string;
      readonly keep: string | null;
      readonly tokensBefore: number;
    }
  /** From here on the view shows what is large ahead of entry `keep` (tool outputs, or images) as a line (`trim.ts`). */
  | { readonly type: 'trim'; readonly what: 'outputs' | 'images'; readonly keep: string | null }
  /** What "always" allowed; with `revoked` it is asked again. */
  | { readonly type: 'grant'; readonly rule: string; readonly revoked?: true }
  | { readonly type: 'model'; readonly model: string; readonly effort?: string }
  | { readonly type: 'mode'; readonly mode: string }
  | { readonly type: 'snapshot'; readonly tree: string; readonly when: 'before' | 'after' }
  | { readonly type: 'label'; readonly label: string }
  /** What a request cost that left no message: a failed try, a summary, a sub-agent. */
  | { readonly type: 'usage'; readonly usage: Usage; readonly model: string; readonly why: string }
  /** One prompt's end; `stop` as in `Stop`. */
  | { readonly type: 'ended'; readonly stop: Stop }
  /** A position: the next entry's parent. Undo, rewind and branch append one of these and delete nothing. */
  | {
      readonly type: 'rewind';
      /** Where it came from, for the way back. */
      readonly from?: string;
      /** The workspace before and after its files were put back. */
      readonly files?: { readonly before: string; readonly after: string };
    };

/** An entry as it stands in the log: a node of a tree. `time` is milliseconds since the epoch, for people only. */
export type Logged = Entry & { readonly id: string; readonly parent: string | null; readonly time: number };

/** Noise: shown and forgotten. A delta never carries the whole. */
export type Live =
  | { readonly live: 'text' | 'thinking'; readonly text: string }
  /** What was shown of the current reply is void: a retry begins it anew. */
  | { readonly live: 'retracted' }
  | { readonly live: 'calling'; readonly name: string }
  | {
      readonly live: 'retrying';
      readonly attempt: number;
      readonly of: number;
      readonly delay: number;
      readonly failure: Failure;
    }
  | { readonly live: 'started'; readonly call: string; readonly name: string; readonly show: string }
  | { readonly live: 'progress'; readonly call: string; readonly text: string }
  | { readonly live: 'waiting'; readonly call: string }
  | { readonly live: 'notice'; readonly text: string }
  /** Something of a descendant's, passed up: `call` is the call that started it. */
  | { readonly live: 'child'; readonly call: string; readonly session: string; readonly event: Event };

export type Event = Entry | Live;

// ── Parts: what a loop is made of ────────────────────────────────────────────────────────────────────────────────────

export type Request = {
  readonly system: string;
  readonly tools: readonly ToolSchema[];
  readonly messages: readonly Message[];
};

/** Yields deltas (and facts of its own), returns the finished message. Never throws: failures are stop reasons. */
export type Model = (request: Request, signal: AbortSignal) => AsyncGenerator<Event, Assistant>;

/** What the model will see. May yield entries of its own, a compaction for one. */
export type View = (signal: AbortSignal) => AsyncGenerator<Event, readonly Message[]>;

/**
 * What a call would touch and how to show it; permission, display and scheduling read this one answer.
 * Paths are absolute and real (links resolved). A path stands for everything below it.
 */
export type Access = {
  /** One line for a person. */
  readonly show: string;
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly hosts?: readonly string[];
  /** A shell line, whole and exactly as it would run, and the folder that it would run in. */
  readonly command?: string;
  readonly cwd?: string;
  /** The command asks for the network, which a sandbox keeps from it otherwise. */
  readonly network?: true;
  /** What it touches can't be known beforehand. */
  readonly anything?: true;
  /** Makes what a person should see before saying yes: a diff, the file's text. Called where one is asked. Never throws. */
  readonly preview?: () => Promise<string>;
};

/** `stopped`: stopped after it had begun; the content says what it did so far. `end`: the turn is over with this result. */
export type Output = {
  readonly content: readonly Content[];
  readonly failed?: boolean;
  readonly stopped?: true;
  readonly end?: true;
  readonly details?: Json;
};

export type Context = { readonly call: string; readonly signal: AbortSignal };

/** A call that passed its schema: what it would touch, and the way to run it. */
export type Prepared = {
  readonly access: Access;
  readonly run: (context: Context) => AsyncGenerator<Event, Output>;
};

export type Tool = ToolSchema & {
  /** Checks the input against the schema before anything is touched. A string is a complaint that the model can act on; `ERROR: ` is put before it. */
  readonly prepare: (input: Json) => Promise<Prepared | string>;
};

/** `reason` is what the model is told. `end` stops the turn after the refusal. */
export type Verdict =
  | { readonly allow: true }
  | { readonly allow: false; readonly reason: string; readonly end?: true };

/** The policy, and the question to the person where it says ask. */
export type Gate = (call: Call, access: Access, signal: AbortSignal) => AsyncGenerator<Event, Verdict>;

/** A question to the person. `rule` is the narrowest rule that "always" would grant; absent where none is safe. */
export type Question = {
  readonly call: Call;
  readonly access: Access;
  /** What `access.preview` made. */
  readonly preview?: string;
  /** Why it is asked, in words. */
  readonly why: string;
  readonly rule?: string;
  /** Which descendant asks, outermost first; empty for the session itself. */
  readonly from: readonly string[];
};

export type Answer =
  | { readonly allow: true; readonly always?: true }
  /** `end` stops the turn after the refusal; a `reason` goes to the model. */
  | { readonly allow: false; readonly reason?: string; readonly end?: true };

/** The one function that a front end supplies. It answers `{ allow: false, end: true }` at the latest when `signal` aborts. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

export type Agent = {
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly model: Model;
  readonly view: View;
  readonly gate: Gate;
  /** Takes what waits for the model: prompts and steering. */
  readonly inbox: () => readonly User[];
  /** Model requests for one prompt. */
  readonly maxTurns: number;
};

/** Why the loop ended. */
export type Stop = 'done' | 'max_turns' | 'denied' | 'length' | 'refused' | 'overflow' | 'aborted' | 'error';

// ── Ports: what the parts need of a machine ──────────────────────────────────────────────────────────────────────────

/** The part of `fetch` that a provider needs; the global one fits, and so does `env/http.ts`. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body: string; signal: AbortSignal },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}>;

export type Clock = {
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly time: () => number;
  /** Resolves after `ms`, or at once (never rejects) when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};
