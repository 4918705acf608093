/** How much of a model's window a request fills: what the provider counted last, and an estimate of what came since. */
import type { Assistant, Json, Logged, Message, Request } from '../core/types.ts';

export type Reading = {
  /** Tokens of the request as it would go out now. */
  readonly tokens: number;
  /** Of these, the system text and the tools: what no compaction makes smaller. */
  readonly fixed: number;
  /** The server seems to cut prompts, at so many tokens; and how that is said. */
  readonly cutting?: { readonly limit: number; readonly warning: string };
};

export type Meter = {
  /** `path`: the entries behind the request. */
  readonly read: (request: Request, path: readonly Logged[]) => Reading;
  /** An estimate, by the measure of this session so far. */
  readonly tokensOf: (message: Message) => number;
  readonly tokensOfText: (text: string) => number;
  /** Characters of plain text that make a token, by the same measure. */
  readonly perToken: () => number;
};

/** UTF-16 units of plain text a token, before a provider has said what it counts: on the side of too many tokens. */
const PER_TOKEN = 3.3;
const RANGE = { least: 1.5, most: 6 };
/** What wide characters weigh: most are a token, or most of one. */
const WIDE = 2.5;
/** Tokens. */
export const IMAGE = 1_600;
/** What a message costs besides its text. */
const FRAME = 12;
/** Below this part of a rough count, no tokenizer explains what a server reports. */
const PLAUSIBLE = 0.4;
/** Weight below which a request says little about the measure. */
const SAMPLE = 4_000;

type Weight = { readonly text: number; readonly images: number };

export function createMeter(): Meter {
  const weights = new WeakMap<Message, Weight>();
  let perToken = PER_TOKEN;

  const weigh = (message: Message): Weight => {
    const known = weights.get(message) ?? weightOf(message);
    weights.set(message, known);
    return known;
  };
  const tokens = ({ text, images }: Weight) => Math.ceil(text / perToken) + images * IMAGE;
  const read = ({ system, tools, messages }: Request, path: readonly Logged[]): Reading => {
    const frame = { text: weightOfText(system + JSON.stringify(tools)), images: 0 };
    const last = lastCounted(messages, path);
    if (!last) return { tokens: tokens(sum([frame, ...messages.map(weigh)])), fixed: tokens(frame) };
    const sent = sum([frame, ...messages.slice(0, last.index).map(weigh)]);
    if (last.tokens < (PLAUSIBLE * sent.text) / PER_TOKEN) {
      const all = sum([frame, ...messages.map(weigh)]);
      return { tokens: tokens(all), fixed: tokens(frame), ...cuttingOf(last.tokens, tokens(sent)) };
    }
    if (sent.text > SAMPLE) {
      const measured = sent.text / Math.max(1, last.tokens - sent.images * IMAGE);
      perToken = Math.min(RANGE.most, Math.max(RANGE.least, measured));
    }
    const unsent = sum(messages.slice(last.index).map(weigh));
    return { tokens: last.tokens + tokens(unsent), fixed: tokens(frame) };
  };
  return {
    read,
    tokensOf: (message) => tokens(weigh(message)),
    tokensOfText: (text) => tokens({ text: weightOfText(text), images: 0 }),
    perToken: () => perToken,
  };
}

/** The last reply whose request was counted, unless the view was cut since. */
function lastCounted(
  messages: readonly Message[],
  path: readonly Logged[],
): { index: number; tokens: number } | undefined {
  for (const entry of path.toReversed()) {
    if (entry.type === 'compaction' || entry.type === 'trim') return undefined;
    if (entry.type !== 'message' || entry.message.role !== 'assistant') continue;
    const tokens = promptTokens(entry.message);
    const index = tokens > 0 ? messages.lastIndexOf(entry.message) : -1;
    if (index >= 0) return { index, tokens };
  }
  return undefined;
}

/** All that the request held: whether it was cached or not changes its price, not its size. */
export const promptTokens = ({ usage }: Assistant): number =>
  usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0;

/** Servers that cut prompts cut them at a power of two, and report what is left. */
function roundLimit(reported: number): number | undefined {
  const limit = 2 ** Math.round(Math.log2(Math.max(1, reported)));
  const near = reported <= limit + 1 && limit - reported <= Math.max(8, limit / 50);
  return limit >= 1024 && near ? limit : undefined;
}

const cuttingOf = (reported: number, rough: number): Pick<Reading, 'cutting'> => {
  const limit = roundLimit(reported);
  return limit === undefined ? {} : { cutting: { limit, warning: describeCut(reported, rough, limit) } };
};

const describeCut = (reported: number, rough: number, limit: number): string =>
  `The server counted ${reported} tokens for a request of about ${rough}: it seems to cut prompts at ${limit} without saying so. Give it a larger context (Ollama: OLLAMA_CONTEXT_LENGTH), or the model loses its instructions.`;

// ── Weights: characters, as tokenizers see them ──────────────────────────────────────────────────────────────────────

function weightOf(message: Message): Weight {
  let text = FRAME;
  let images = 0;
  for (const part of message.content) {
    if (part.type === 'image') images++;
    else text += weightOfText(part.type === 'call' ? part.name + inputText(part.input) : part.text);
  }
  return { text, images };
}

export const inputText = (input: Json): string => (typeof input === 'string' ? input : JSON.stringify(input));

/** Plain characters count one, all others `WIDE`. */
function weightOfText(text: string): number {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) wide++;
  return text.length + wide * (WIDE - 1);
}

const sum = (weights: readonly Weight[]): Weight => ({
  text: weights.reduce((total, { text }) => total + text, 0),
  images: weights.reduce((total, { images }) => total + images, 0),
});
