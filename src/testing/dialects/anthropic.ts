import { field, list, text, tryJson } from '../../core/json.ts';
import type { Json } from '../../core/types.ts';
import { frame, type Made } from '../made.ts';
import type { Said, Thought } from '../turn.ts';
import type { Dialect } from './dialect.ts';

const stops: Readonly<Record<string, string>> = {
  done: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  refused: 'refusal',
};

const problems: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/** Anthropic Messages. Source of the shapes: platform.claude.com/docs, "Streaming Messages" and "Errors". */
export const anthropic: Dialect = {
  name: 'anthropic',
  read: (body) => ({
    system: blocksText(field(body, 'system')),
    tools: list(field(body, 'tools')).map((tool) => ({
      name: text(field(tool, 'name')),
      description: text(field(tool, 'description')),
      input: field(tool, 'input_schema') ?? {},
    })),
    messages: list(field(body, 'messages')).flatMap(readMessage),
  }),
  whole: (made) => ({
    ...envelope(made),
    content: blocks(made).map((block) => block.whole),
    stop_reason: stops[made.stop] ?? made.stop,
    usage: usageOf(made, made.usage.output),
  }),
  events: (made) => [
    event({ type: 'message_start', message: { ...envelope(made), content: [], usage: usageOf(made, 1) } }),
    ...blocks(made).flatMap((block, index) => [
      event({ type: 'content_block_start', index, content_block: block.start }),
      ...block.deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
      event({ type: 'content_block_stop', index }),
    ]),
    event({
      type: 'message_delta',
      delta: { stop_reason: stops[made.stop] ?? made.stop, stop_sequence: null },
      usage: { output_tokens: made.usage.output },
    }),
    event({ type: 'message_stop' }),
  ],
  thoughts: (made) => made.thoughts.map((thought, i) => thoughtBlock(thought, made, i).whole),
  problem: (status, message) => ({
    type: 'error',
    error: { type: problems[status] ?? 'invalid_request_error', message },
    request_id: 'req_scripted',
  }),
  broken: (message) => event({ type: 'error', error: { type: 'overloaded_error', message } }),
};

const event = (data: Json): string => frame(data, text(field(data, 'type')));

const envelope = (made: Made) => ({
  id: `msg_${made.id('message')}`,
  type: 'message',
  role: 'assistant',
  model: made.model,
  stop_reason: null,
  stop_sequence: null,
});

const usageOf = ({ usage }: Made, output: number): Json => ({
  input_tokens: usage.input,
  cache_creation_input_tokens: usage.cacheWrite,
  cache_read_input_tokens: usage.cacheRead,
  output_tokens: output,
});

type Block = { readonly start: Json; readonly deltas: readonly Json[]; readonly whole: Json };

const blocks = (made: Made): readonly Block[] => [
  ...made.thoughts.map((thought, i) => thoughtBlock(thought, made, i)),
  ...(made.text.length === 0 ? [] : [textBlock(made.text)]),
  ...made.calls.map(({ id, name, fragments }) => ({
    start: { type: 'tool_use', id, name, input: {} },
    deltas: fragments.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    whole: { type: 'tool_use', id, name, input: tryJson(fragments.join('')) ?? {} },
  })),
];

const textBlock = (deltas: readonly string[]): Block => ({
  start: { type: 'text', text: '' },
  deltas: deltas.map((text) => ({ type: 'text_delta', text })),
  whole: { type: 'text', text: deltas.join('') },
});

const thoughtBlock = (thought: Thought, made: Made, i: number): Block => {
  if ('redacted' in thought) {
    const block = { type: 'redacted_thinking', data: thought.redacted };
    return { start: block, deltas: [], whole: block };
  }
  const signature = thought.signature ?? `${made.id(`signature${i}`, 62)}==`;
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', thinking: thought.text },
      { type: 'signature_delta', signature },
    ],
    whole: { type: 'thinking', thinking: thought.text, signature },
  };
};

const blocksText = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map((block) => text(field(block, 'text')))
        .join('');

const readMessage = (message: Json): readonly Said[] => {
  const content = field(message, 'content');
  const parts = list(content);
  if (field(message, 'role') === 'assistant') {
    const calls = parts
      .filter((block) => field(block, 'type') === 'tool_use')
      .map((block) => ({
        id: text(field(block, 'id')),
        name: text(field(block, 'name')),
        input: field(block, 'input') ?? {},
      }));
    return [{ role: 'assistant', text: blocksText(content), calls }];
  }
  const results = parts
    .filter((block) => field(block, 'type') === 'tool_result')
    .map(
      (block): Said => ({
        role: 'result',
        call: text(field(block, 'tool_use_id')),
        text: blocksText(field(block, 'content')),
        failed: field(block, 'is_error') === true,
      }),
    );
  const said = blocksText(content);
  return said === '' && results.length > 0 ? results : [...results, { role: 'user', text: said }];
};
