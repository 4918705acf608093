import { field, list, text, tryJson } from '../../core/json.ts';
import type { Json } from '../../core/types.ts';
import { frame, type Made } from '../made.ts';
import type { Said } from '../turn.ts';
import type { Dialect } from './dialect.ts';

const stops: Readonly<Record<string, string>> = {
  done: 'stop',
  calls: 'tool_calls',
  length: 'length',
  refused: 'content_filter',
};

/**
 * OpenAI Chat Completions, and what Gemini, Mistral, DeepSeek and others make of it.
 * Source: platform.openai.com/docs/api-reference/chat, api-docs.deepseek.com, ai.google.dev/gemini-api/docs/openai.
 */
export const openaiChat: Dialect = {
  name: 'openai-chat',
  read: (body) => ({
    system: list(field(body, 'messages'))
      .filter((message) => ['system', 'developer'].includes(text(field(message, 'role'))))
      .map((message) => contentText(field(message, 'content')))
      .join('\n'),
    tools: list(field(body, 'tools')).map((tool) => ({
      name: text(field(field(tool, 'function'), 'name')),
      description: text(field(field(tool, 'function'), 'description')),
      input: field(field(tool, 'function'), 'parameters') ?? {},
    })),
    messages: list(field(body, 'messages')).flatMap(readMessage),
  }),
  whole: (made) => ({
    ...envelope(made, 'chat.completion'),
    choices: [{ index: 0, message: wholeMessage(made), logprobs: null, finish_reason: stops[made.stop] ?? made.stop }],
    usage: usageOf(made),
  }),
  events: (made) => {
    const chunk = (delta: Json, finish_reason: string | null = null): string =>
      frame({
        ...envelope(made, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      });
    return [
      chunk({ role: 'assistant', content: made.calls.length > 0 && made.text.length === 0 ? null : '' }),
      ...made.thoughts.flatMap((thought) => ('text' in thought ? [chunk({ reasoning_content: thought.text })] : [])),
      ...made.text.map((content) => chunk({ content })),
      ...made.calls.flatMap((call, index) => [
        chunk({ tool_calls: [{ index, ...wholeCall(call, '') }] }),
        ...call.fragments.map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
      ]),
      chunk({}, stops[made.stop] ?? made.stop),
      frame({ ...envelope(made, 'chat.completion.chunk'), choices: [], usage: usageOf(made) }),
      'data: [DONE]\n\n',
    ];
  },
  thoughts: () => [],
  problem: (status, message, vendor) => {
    if (vendor === 'gemini') return [{ error: { code: status, message, status: geminiStatus(status) } }];
    if (vendor === 'mistral') return { object: 'error', message, type: problemType(status), param: null, code: null };
    return { error: { message, type: problemType(status), param: null, code: null } };
  },
  broken: (message) => frame({ error: { message, type: 'server_error', code: 502 } }),
};

const problemType = (status: number): string => {
  if (status === 401) return 'authentication_error';
  if (status === 429) return 'rate_limit_exceeded';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
};

const geminiStatus = (status: number): string => {
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 429) return 'RESOURCE_EXHAUSTED';
  return status >= 500 ? 'UNAVAILABLE' : 'INVALID_ARGUMENT';
};

const envelope = (made: Made, object: string) => ({
  id: `chatcmpl-${made.id('message')}`,
  object,
  created: 1_760_000_000,
  model: made.model,
  system_fingerprint: 'fp_scripted',
});

const usageOf = ({ usage }: Made): Json => {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
  };
};

const wholeCall = (call: Made['calls'][number], text: string) => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: text },
  ...(call.signature === undefined ? {} : { extra_content: { google: { thought_signature: call.signature } } }),
});

const wholeMessage = (made: Made): Json => {
  const reasoning = reasoningText(made);
  return {
    role: 'assistant',
    content: made.text.length === 0 && made.calls.length > 0 ? null : made.text.join(''),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(made.calls.length === 0
      ? {}
      : { tool_calls: made.calls.map((call) => wholeCall(call, call.fragments.join(''))) }),
  };
};

export const reasoningText = (made: Made): string =>
  made.thoughts.map((thought) => ('text' in thought ? thought.text : '')).join('');

const contentText = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map((part) => text(field(part, 'text')))
        .join('');

const readMessage = (message: Json): readonly Said[] => {
  const said = contentText(field(message, 'content'));
  switch (field(message, 'role')) {
    case 'user':
      return [{ role: 'user', text: said }];
    case 'tool':
      // The dialect has no mark for a failure; rein's own failures begin with this word.
      return [
        { role: 'result', call: text(field(message, 'tool_call_id')), text: said, failed: said.startsWith('ERROR:') },
      ];
    case 'assistant':
      return [{ role: 'assistant', text: said, calls: list(field(message, 'tool_calls')).map(readCall) }];
    default:
      return [];
  }
};

const readCall = (call: Json) => ({
  id: text(field(call, 'id')),
  name: text(field(field(call, 'function'), 'name')),
  input: tryJson(text(field(field(call, 'function'), 'arguments'))) ?? {},
});
