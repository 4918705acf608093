import type { JsonObject } from '../core/json.ts';
import type { Json, ToolSchema } from '../core/types.ts';
import type { Quirks } from './catalog.ts';
import type { Draft, Part } from './draft.ts';
import type { Turn } from './handover.ts';

export type Dialect = 'anthropic' | 'openai-chat' | 'openai-responses';

/** What a body is built from; `turns` alternate, begin and end with the user. */
export type Ask = {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolSchema[];
  readonly turns: readonly Turn[];
  readonly maxTokens: number;
  readonly effort: string | undefined;
  readonly quirks: Quirks;
  /** Optional fields that this server has refused. */
  readonly without: ReadonlySet<string>;
};

/** A wire dialect: data and pure functions. Transport, retries and limits are not its business. */
export type Protocol = {
  readonly name: Dialect;
  readonly path: string;
  readonly headers: (key: string, bearer: boolean) => Record<string, string>;
  readonly body: (ask: Ask) => JsonObject;
  /** Takes one event of the stream into the draft. */
  readonly step: (draft: Draft, event: JsonObject) => void;
  /** The parts in the vendor's own form, as it wants them back. `sent` gives a call's argument text. */
  readonly raw: (parts: readonly Part[], sent: (part: Part) => string) => Json;
  /** A whole reply of a server that does not stream, as the events it stands for. */
  readonly events: (whole: JsonObject) => readonly JsonObject[];
};
