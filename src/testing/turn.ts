import type { Json, ToolSchema, Usage } from '../core/types.ts';

export type DialectName = 'anthropic' | 'openai-chat' | 'openai-responses';

// ── What is asked ────────────────────────────────────────────────────────────────────────────────────────────────────

export type AskedCall = { readonly id: string; readonly name: string; readonly input: Json };

/** One message of a request, the same for every dialect. A message that mixes results and text becomes several. */
export type Said =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly AskedCall[] }
  | { readonly role: 'result'; readonly call: string; readonly text: string; readonly failed: boolean };

/** A call and what came of it. `text` is '' where the request holds no result. */
export type Answer = AskedCall & { readonly text: string; readonly failed: boolean };

/** A request in neutral form: what a scenario looks at. */
export type Asked = {
  readonly dialect: DialectName;
  /** The first part of the path where there is one (`/mistral/v1/…`), else the dialect's own vendor. */
  readonly vendor: string;
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolSchema[];
  readonly messages: readonly Said[];
  /** The last prompt: user text that does not follow results (that would be steering). */
  readonly prompt: string;
  /** The calls since that prompt, one list for each reply that had any, with their results. */
  readonly rounds: readonly (readonly Answer[])[];
};

// ── What is answered ─────────────────────────────────────────────────────────────────────────────────────────────────

export type ScriptedCall = {
  readonly name: string;
  readonly input?: Json;
  /** Sent as it is; made up in the vendor's form where absent. */
  readonly id?: string;
  /** The argument text itself, for what `input` can't say: broken, empty, cut. A list is sent as these fragments. */
  readonly arguments?: string | readonly string[];
  /** Gemini's thought signature. */
  readonly signature?: string;
};

export type Thought = { readonly text: string; readonly signature?: string } | { readonly redacted: string };

/** A reply in high-level form, rendered as the dialect's own events. A list of texts is a list of deltas. */
export type Reply = {
  readonly thinking?: string | readonly Thought[];
  readonly text?: string | readonly string[];
  readonly calls?: readonly ScriptedCall[];
  readonly usage?: Partial<Usage>;
  /** `done`, `calls`, `length` or `refused` (default: by content); any other word is sent as it is. */
  readonly stop?: string;
  /** Milliseconds before the first byte, and between events. */
  readonly delay?: number;
  readonly pause?: number;
  /** Breaks the stream after so many events: silence, a reset, a clean close, or an error event. */
  readonly cut?: { readonly after: number; readonly how: 'hang' | 'reset' | 'close' | 'error' };
};

/** Bytes as they are. A number is a pause in milliseconds. */
export type RawTurn = {
  readonly raw: readonly (string | Uint8Array | number)[];
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What follows the last chunk; default `close`. */
  readonly then?: 'close' | 'hang' | 'reset';
};

/** A plain response. Without a body it is the vendor's error for that status. */
export type StatusTurn = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Json;
  readonly message?: string;
};

/** No response at all: silence, a reset, or a closed connection. */
export type FailTurn = { readonly fail: 'hang' | 'reset' | 'close' };

export type Turn = Reply | RawTurn | StatusTurn | FailTurn;

/** Turns in order, or a function of the request; `index` counts the valid requests before it. */
export type Scenario = readonly Turn[] | ((asked: Asked, index: number) => Turn);

/** What a server remembers of a reply, for the validators that compare what comes back. */
export type Served = {
  readonly dialect: DialectName;
  readonly vendor: string;
  /** Thinking blocks (Anthropic) or reasoning items (Responses), as they were sent. */
  readonly thoughts: readonly Json[];
  /** Reasoning text of the chat dialect. */
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly signature?: string }[];
};
