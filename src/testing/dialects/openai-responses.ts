import { field, isObject, list, text, tryJson } from '../../core/json.ts';
import type { Json } from '../../core/types.ts';
import { frame, type Made, type MadeCall } from '../made.ts';
import type { Said, Thought } from '../turn.ts';
import type { Dialect } from './dialect.ts';

/** OpenAI Responses. Source of the shapes: platform.openai.com/docs/api-reference/responses-streaming. */
export const openaiResponses: Dialect = {
  name: 'openai-responses',
  read: (body) => {
    const input = field(body, 'input');
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input);
    return {
      system: [text(field(body, 'instructions')), ...items.filter(isSystem).map(contentText)].join('\n').trim(),
      tools: list(field(body, 'tools')).map((tool) => ({
        name: text(field(tool, 'name')),
        description: text(field(tool, 'description')),
        input: field(tool, 'parameters') ?? {},
      })),
      messages: items.reduce(readItem, []),
    };
  },
  whole: (made) => response(made, endOf(made)),
  events: (made) => {
    const started = { ...response(made, 'in_progress'), output: [], usage: null };
    const data: Named[] = [
      { type: 'response.created', response: started },
      { type: 'response.in_progress', response: started },
      ...made.thoughts.map((thought, i) => reasoningItem(thought, made, i)).flatMap(reasoningEvents),
      ...(made.text.length === 0 ? [] : textEvents(made)),
      ...made.calls.flatMap((call, i) => callEvents(call, made, i)),
      { type: `response.${endOf(made)}`, response: response(made, endOf(made)) },
    ];
    return data.map((event, sequence_number) => frame({ ...event, sequence_number }, event.type));
  },
  thoughts: (made) => made.thoughts.map((thought, i) => reasoningItem(thought, made, i)),
  problem: (status, message) => ({
    error: { message, type: status >= 500 ? 'server_error' : 'invalid_request_error', param: null, code: null },
  }),
  broken: (message) => frame({ type: 'error', code: 'server_error', message, param: null }, 'error'),
};

type Named = { readonly type: string; readonly [key: string]: Json };

const endOf = (made: Made): string => (['length', 'refused'].includes(made.stop) ? 'incomplete' : 'completed');

const response = (made: Made, status: string) => ({
  id: `resp_${made.id('response')}`,
  object: 'response',
  created_at: 1_760_000_000,
  status,
  error: null,
  incomplete_details:
    status === 'incomplete' ? { reason: made.stop === 'refused' ? 'content_filter' : 'max_output_tokens' } : null,
  model: made.model,
  output: [
    ...made.thoughts.map((thought, i) => reasoningItem(thought, made, i)),
    ...(made.text.length === 0 ? [] : [textItem(made, made.text.join(''))]),
    ...made.calls.map((call, i) => callItem(call, made, i, call.fragments.join(''))),
  ],
  parallel_tool_calls: true,
  usage: {
    input_tokens: made.usage.input + made.usage.cacheRead,
    input_tokens_details: { cached_tokens: made.usage.cacheRead },
    output_tokens: made.usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: made.usage.input + made.usage.cacheRead + made.usage.output,
  },
});

type ReasoningItem = {
  readonly id: string;
  readonly type: 'reasoning';
  readonly summary: readonly Json[];
  readonly encrypted_content: string;
};

const reasoningItem = (thought: Thought, made: Made, i: number): ReasoningItem => ({
  id: `rs_${made.id(`reasoning${i}`)}`,
  type: 'reasoning',
  summary: 'text' in thought ? [{ type: 'summary_text', text: thought.text }] : [],
  encrypted_content:
    'redacted' in thought ? thought.redacted : (thought.signature ?? `gAAAA${made.id(`sealed${i}`, 60)}`),
});

const textItem = (made: Made, text: string | null) => ({
  id: `msg_${made.id('message')}`,
  type: 'message',
  status: text === null ? 'in_progress' : 'completed',
  role: 'assistant',
  content: text === null ? [] : [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});

const callItem = (call: MadeCall, made: Made, i: number, text: string | null) => ({
  id: `fc_${made.id(`item${i}`)}`,
  type: 'function_call',
  status: text === null ? 'in_progress' : 'completed',
  call_id: call.id,
  name: call.name,
  arguments: text ?? '',
});

const reasoningEvents = (item: ReasoningItem, output_index: number): readonly Named[] => {
  const at = { item_id: item.id, output_index, summary_index: 0 };
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, summary: [], encrypted_content: '' } },
    ...item.summary.flatMap((part): Named[] => [
      { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...at, delta: text(field(part, 'text')) },
      { type: 'response.reasoning_summary_text.done', ...at, text: text(field(part, 'text')) },
      { type: 'response.reasoning_summary_part.done', ...at, part },
    ]),
    { type: 'response.output_item.done', output_index, item },
  ];
};

const textEvents = (made: Made): readonly Named[] => {
  const output_index = made.thoughts.length;
  const text = made.text.join('');
  const item = textItem(made, text);
  const at = { item_id: item.id, output_index, content_index: 0 };
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
  return [
    { type: 'response.output_item.added', output_index, item: textItem(made, null) },
    { type: 'response.content_part.added', ...at, part },
    ...made.text.map((delta): Named => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part: { ...part, text } },
    { type: 'response.output_item.done', output_index, item },
  ];
};

const callEvents = (call: MadeCall, made: Made, i: number): readonly Named[] => {
  const output_index = made.thoughts.length + (made.text.length === 0 ? 0 : 1) + i;
  const whole = call.fragments.join('');
  const item = callItem(call, made, i, whole);
  const at = { item_id: item.id, output_index };
  return [
    { type: 'response.output_item.added', output_index, item: callItem(call, made, i, null) },
    ...call.fragments.map((delta): Named => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
    { type: 'response.function_call_arguments.done', ...at, name: call.name, arguments: whole },
    { type: 'response.output_item.done', output_index, item },
  ];
};

const isSystem = (item: Json): boolean => ['system', 'developer'].includes(text(field(item, 'role')));

const contentText = (item: Json): string => {
  const content = field(item, 'content') ?? field(item, 'output');
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => text(field(part, 'text')))
    .join('');
};

/** Items of one reply stand side by side here; they are one message in neutral form. */
const readItem = (said: readonly Said[], item: Json): readonly Said[] => {
  const last = said.at(-1);
  const open = last?.role === 'assistant' ? last : undefined;
  const before = open ? said.slice(0, -1) : said;
  if (field(item, 'type') === 'function_call_output') {
    const out = contentText(item);
    return [
      ...said,
      { role: 'result', call: text(field(item, 'call_id')), text: out, failed: out.startsWith('ERROR:') },
    ];
  }
  if (field(item, 'type') === 'function_call') {
    const input = tryJson(text(field(item, 'arguments'))) ?? {};
    const call = { id: text(field(item, 'call_id')), name: text(field(item, 'name')), input };
    return [...before, { role: 'assistant', text: open?.text ?? '', calls: [...(open?.calls ?? []), call] }];
  }
  if (!isObject(item) || isSystem(item)) return said;
  if (field(item, 'role') === 'assistant')
    return [...before, { role: 'assistant', text: (open?.text ?? '') + contentText(item), calls: open?.calls ?? [] }];
  return field(item, 'role') === 'user' ? [...said, { role: 'user', text: contentText(item) }] : said;
};
