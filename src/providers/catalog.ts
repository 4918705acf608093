import data from './models.json' with { type: 'json' };
import type { Dialect } from './protocol.ts';
import type { Price } from './usage.ts';

/** Where a compatible server differs from what is usual in its dialect. */
export type Quirks = {
  /** Call ids: exactly nine letters or digits. */
  readonly ids?: 'nine';
  /** Reasoning that this server wants back in the messages it came with. */
  readonly echo?: 'reasoning_content' | 'reasoning_details';
  /** `max_tokens` unless told otherwise. */
  readonly maxTokens?: 'max_completion_tokens';
  /** `tool` may be followed by `assistant` only. */
  readonly order?: 'strict';
  readonly streamOptions?: false;
  /** How effort is asked for; `reasoning_effort` unless told otherwise. */
  readonly effort?: 'reasoning' | 'thinking';
  /** What stands in for the signature of a call that another vendor's model made. */
  readonly signature?: string;
  /** Thinking is asked for with a token budget (Claude up to 4.5) instead of adaptively. */
  readonly thinking?: 'budget';
};

/** An endpoint. `NAME_API_KEY`, `NAME_BASE_URL` and Chat Completions go without saying. */
export type Vendor = {
  readonly baseUrl: string;
  readonly dialect?: Dialect;
  /** Environment variables that may hold the key, best first; `[]` where no key is needed. */
  readonly keys?: readonly string[];
  /** The variable that overrides the base URL. */
  readonly baseVariable?: string;
  /** What the vendor's name alone means. */
  readonly model?: string;
  readonly quirks?: Quirks;
};

/** Sizes in tokens. What is absent is unknown. */
export type ModelInfo = {
  readonly window?: number;
  readonly output?: number;
  readonly price?: Price;
  readonly images?: boolean;
  /** It can't call tools: they are described to it, and its calls are read from its text. */
  readonly textCalls?: boolean;
  readonly quirks?: Quirks;
};

export type Catalog = {
  readonly vendors: Readonly<Record<string, Vendor>>;
  /** By `vendor/model`. */
  readonly models: Readonly<Record<string, ModelInfo>>;
};

const OPENROUTER: Quirks = { echo: 'reasoning_details', effort: 'reasoning' };
const DEEPSEEK: Quirks = { echo: 'reasoning_content', effort: 'thinking' };
const MISTRAL: Quirks = { ids: 'nine', order: 'strict', streamOptions: false };
const RENAMED: Quirks = { maxTokens: 'max_completion_tokens' };
const CLAUDE: readonly string[] = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'];
const GOOGLE = 'https://generativelanguage.googleapis.com/v1beta/openai';

/** In the order in which a default is looked for. A compatible vendor is one line. */
const VENDORS: Readonly<Record<string, Vendor>> = {
  anthropic: { baseUrl: 'https://api.anthropic.com', dialect: 'anthropic', keys: CLAUDE, model: 'claude-sonnet-5-5' },
  openai: { baseUrl: 'https://api.openai.com/v1', dialect: 'openai-responses', model: 'gpt-5.6-sol', quirks: RENAMED },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', model: 'openrouter/auto', quirks: OPENROUTER },
  gemini: { baseUrl: GOOGLE, keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'], model: 'gemini-3.8-flash' },
  deepseek: { baseUrl: 'https://api.deepseek.com', model: 'deepseek-v4-pro', quirks: DEEPSEEK },
  groq: { baseUrl: 'https://api.groq.com/openai/v1', model: 'openai/gpt-oss-120b', quirks: RENAMED },
  mistral: { baseUrl: 'https://api.mistral.ai/v1', model: 'mistral-large-latest', quirks: MISTRAL },
  xai: { baseUrl: 'https://api.x.ai/v1', model: 'grok-4.7', quirks: RENAMED },
  ollama: { baseUrl: 'http://127.0.0.1:11434/v1', keys: [] },
  lmstudio: { baseUrl: 'http://127.0.0.1:1234/v1', keys: [] },
  llamacpp: { baseUrl: 'http://127.0.0.1:8080/v1', keys: [] },
  vllm: { baseUrl: 'http://127.0.0.1:8000/v1', keys: [] },
};

/** Servers to try where no key is set, in this order: `GET {baseUrl}/models` lists what they run. */
export const LOCAL_VENDORS: readonly string[] = ['ollama', 'lmstudio', 'llamacpp'];

type Row = {
  readonly window: number;
  readonly output: number;
  readonly price?: readonly number[];
  readonly images: boolean;
  readonly signature?: string;
  readonly budgetThinking?: boolean;
};

/** The built-in catalog with a user's own laid over it, entry by entry. */
export function createCatalog(extra: Partial<Catalog> = {}): Catalog {
  const rows: Readonly<Record<string, Row>> = data.models;
  const models: Record<string, ModelInfo> = {};
  for (const [name, row] of Object.entries(rows)) models[name] = readRow(row);
  for (const [name, info] of Object.entries(extra.models ?? {})) models[name] = { ...models[name], ...info };
  const vendors: Record<string, Vendor> = { ...VENDORS };
  for (const [name, vendor] of Object.entries(extra.vendors ?? {})) vendors[name] = { ...vendors[name], ...vendor };
  return { vendors, models };
}

/** The day on which the built-in prices and sizes were looked up. */
export const catalogDate: string = data.date;

function readRow({ window, output, images, price, signature, budgetThinking }: Row): ModelInfo {
  const [input, out, cacheRead, cacheWrite] = price ?? [];
  const known =
    input === undefined || out === undefined
      ? {}
      : {
          price: {
            input,
            output: out,
            ...(cacheRead === undefined ? {} : { cacheRead }),
            ...(cacheWrite === undefined ? {} : { cacheWrite }),
          },
        };
  const quirks: Quirks = {
    ...(signature === undefined ? {} : { signature }),
    ...(budgetThinking ? { thinking: 'budget' } : {}),
  };
  return { window, output, images, ...known, quirks };
}
