import type {
  Assistant,
  Clock,
  Event,
  Fetch,
  Json,
  Message,
  Model,
  Request,
  ToolSchema,
} from '../../src/core/types.ts';
import { createCatalog, createModel, type ModelOptions, resolveModel, type Spec } from '../../src/providers/index.ts';

export type Dialect = Spec['dialect'];
export const VENDOR: Readonly<Record<Dialect, string>> = {
  anthropic: 'anthropic/claude-sonnet-5-5',
  'openai-chat': 'groq/openai/gpt-oss-120b',
  'openai-responses': 'openai/gpt-5.6-sol',
};
export const DIALECTS: readonly Dialect[] = ['anthropic', 'openai-chat', 'openai-responses'];

function specOf(name: string): Spec {
  const spec = resolveModel(name, createCatalog());
  if (typeof spec === 'string') throw new Error(spec);
  return spec;
}

const tool = (name: string): ToolSchema => ({ name, description: name, input: { type: 'object' } });
const TOOLS = ['bash', 'read', 'write', 'list'].map(tool);

export const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
export const ask = (...messages: readonly Message[]): Request => ({
  system: 'Be brief.',
  tools: TOOLS,
  messages: messages.length === 0 ? [user('hi')] : messages,
});

/** A clock on which waiting takes no time and is counted. */
export function fakeClock(): Clock & { readonly waits: number[] } {
  let now = 0;
  const waits: number[] = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
    now += ms;
  };
  return { waits, now: () => now, time: () => Date.UTC(2026, 10, 30) + now, sleep };
}

/** Server-sent events. A string stands for itself. */
export const sse = (...events: readonly (Json | string)[]): string =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');

export type Canned = {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Chunks of the body; null is no body. */
  readonly body: string | readonly (string | Uint8Array)[] | null;
};

export type Sent = { readonly url: string; readonly headers: Record<string, string>; readonly body: string };

/** A `Fetch` that answers from a list, the last answer for ever, and keeps what was sent. */
export function canned(...answers: readonly (Canned | Error)[]): Fetch & { readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, { headers, body }) => {
    sent.push({ url, headers, body });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    if (!answer || answer instanceof Error) throw answer ?? new Error('no answer');
    const all = new Map(Object.entries({ 'content-type': answer.type ?? 'text/event-stream', ...answer.headers }));
    const chunks = typeof answer.body === 'string' ? [answer.body] : answer.body;
    return {
      status: answer.status ?? 200,
      headers: { get: (name: string) => all.get(name) ?? null },
      body: chunks && chunked(chunks),
    };
  };
  return Object.assign(fetch, { sent });
}

async function* chunked(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const chunk of chunks) yield typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
}

/** Ids in order: `own1`, `own2`, … */
function counter(): () => string {
  let made = 0;
  return () => `own${++made}`;
}

export const modelOf = (name: string, fetch: Fetch, more: Partial<ModelOptions> = {}): Model =>
  createModel({ spec: specOf(name), fetch, clock: fakeClock(), key: 'test-key-123456', newId: counter(), ...more });

export type Ran = { readonly events: readonly Event[]; readonly reply: Assistant };

export async function run(model: Model, request = ask(), signal = new AbortController().signal): Promise<Ran> {
  const events: Event[] = [];
  const going = model(request, signal);
  for (;;) {
    const next = await going.next();
    if (next.done) return { events, reply: next.value };
    events.push(next.value);
  }
}

/** What one dialect makes of a body. */
export const read = async (dialect: Dialect, body: Canned['body'], more: Partial<Canned> = {}): Promise<Assistant> =>
  (await run(modelOf(VENDOR[dialect], canned({ ...more, body })))).reply;

export const textOf = (reply: Assistant): string =>
  reply.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');

export const callsOf = (reply: Assistant) => reply.content.filter((part) => part.type === 'call');

// ── Recorded streams: thinking, text with wide characters, and one call ──────────────────────────────────────────────

const ARGUMENTS = ['{"path":"a.txt","con', 'tent":"日本😀 {}\\n"}'];
export const INPUT = { path: 'a.txt', content: '日本😀 {}\n' };

export const RECORDED: Readonly<Record<Dialect, readonly (Json | string)[]>> = {
  anthropic: [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: '  step 1\n' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'AAA=' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'I write 日' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: '本😀.' } },
    { type: 'content_block_stop', index: 2 },
    {
      type: 'content_block_start',
      index: 3,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'write', input: {} },
    },
    ...ARGUMENTS.map((partial_json) => ({
      type: 'content_block_delta',
      index: 3,
      delta: { type: 'input_json_delta', partial_json },
    })),
    { type: 'content_block_stop', index: 3 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 42 } },
    { type: 'message_stop' },
  ],
  'openai-chat': [
    chunk({ role: 'assistant', content: '', reasoning_content: '  step 1\n' }),
    chunk({ content: 'I write 日' }),
    chunk({ content: '本😀.' }),
    chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'write', arguments: '' } }] }),
    ...ARGUMENTS.map((part) => chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] })),
    chunk({}, 'tool_calls'),
    {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [],
      usage: {
        prompt_tokens: 1000,
        completion_tokens: 42,
        total_tokens: 1042,
        prompt_tokens_details: { cached_tokens: 900 },
      },
    },
    '[DONE]',
  ],
  'openai-responses': responsesEvents(),
};

export function chunk(delta: Json, finish_reason: string | null = null): Json {
  const choices = [{ index: 0, delta, finish_reason }];
  return { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
}

function responsesEvents(): Json[] {
  const reasoning = {
    id: 'rs_1',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: '  step 1\n' }],
    encrypted_content: 'ENC',
  };
  const text = 'I write 日本😀.';
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  const source = ARGUMENTS.join('');
  const call = {
    id: 'fc_1',
    type: 'function_call',
    call_id: 'call_1',
    name: 'write',
    arguments: source,
    status: 'completed',
  };
  const usage = {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 900 },
    output_tokens: 42,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 1042,
  };
  const output = [reasoning, message, call];
  const response = { id: 'r', object: 'response', status: 'completed', error: null, output, usage };
  const part = { type: 'output_text', text: '', annotations: [] };
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: '' },
    },
    {
      type: 'response.reasoning_summary_part.added',
      output_index: 0,
      item_id: 'rs_1',
      summary_index: 0,
      part: { type: 'summary_text', text: '' },
    },
    {
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      item_id: 'rs_1',
      summary_index: 0,
      delta: '  step 1\n',
    },
    { type: 'response.output_item.done', output_index: 0, item: reasoning },
    {
      type: 'response.output_item.added',
      output_index: 1,
      item: { ...message, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', output_index: 1, item_id: 'msg_1', content_index: 0, part },
    { type: 'response.output_text.delta', output_index: 1, item_id: 'msg_1', content_index: 0, delta: 'I write 日' },
    { type: 'response.output_text.delta', output_index: 1, item_id: 'msg_1', content_index: 0, delta: '本😀.' },
    { type: 'response.output_item.done', output_index: 1, item: message },
    {
      type: 'response.output_item.added',
      output_index: 2,
      item: { ...call, arguments: '', status: 'in_progress' },
    },
    ...ARGUMENTS.map((delta) => ({
      type: 'response.function_call_arguments.delta',
      output_index: 2,
      item_id: 'fc_1',
      delta,
    })),
    { type: 'response.function_call_arguments.done', output_index: 2, item_id: 'fc_1', arguments: source },
    { type: 'response.output_item.done', output_index: 2, item: call },
    { type: 'response.completed', response },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}
