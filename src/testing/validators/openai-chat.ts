import { field, list, text, tryJson } from '../../core/json.ts';
import type { Json } from '../../core/types.ts';
import { checkName, checkText, repeated } from './text.ts';

export const roleOf = (message: Json | undefined): string => text(field(message, 'role'));
export const callsOf = (message: Json | undefined): readonly Json[] => list(field(message, 'tool_calls'));
export const idOf = (call: Json): string => text(field(call, 'id'));

/** STRICT-O: what OpenAI's Chat Completions refuses, with no field of another vendor's. An empty list is a pass. */
export const strictOpenai = (body: Json): readonly string[] => [
  ...strictChat(body),
  ...list(field(body, 'messages')).flatMap((message, i) => [
    ...['reasoning_content', 'reasoning', 'extra_content']
      .filter((key) => field(message, key) !== undefined)
      .map((key) => `messages.${i}.${key}: unknown field`),
    ...callsOf(message)
      .filter((call) => field(call, 'extra_content') !== undefined)
      .map(() => `messages.${i}.tool_calls.extra_content: unknown field`),
  ]),
];

/** The rules that every server of this dialect shares. */
export const strictChat = (body: Json): readonly string[] => {
  const messages = list(field(body, 'messages'));
  return [
    ...checkText(body),
    ...(text(field(body, 'model')) === '' ? ['model: missing'] : []),
    ...(messages.length === 0 ? ['messages: at least one is needed'] : []),
    ...(roleOf(messages.at(-1)) === 'assistant' ? ['the last role must not be assistant (no prefill)'] : []),
    ...messages.flatMap((message, i) => checkMessage(message, `messages.${i}`)),
    ...messages.flatMap((_, i) => checkAnswers(messages, i)),
    ...list(field(body, 'tools')).flatMap((tool, i) => checkTool(tool, `tools.${i}`)),
  ];
};

const checkTool = (tool: Json, path: string): readonly string[] => {
  const parameters = field(field(tool, 'function'), 'parameters');
  return [
    ...(field(tool, 'type') === 'function' ? [] : [`${path}.type: must be "function"`]),
    ...checkName(text(field(field(tool, 'function'), 'name')), `${path}.function.name`),
    ...(parameters === undefined || field(parameters, 'type') === 'object'
      ? []
      : [`${path}.function.parameters: the root must have type "object"`]),
  ];
};

const checkMessage = (message: Json, path: string): readonly string[] => {
  const role = roleOf(message);
  const content = field(message, 'content');
  const calls = callsOf(message);
  const nullable = role === 'assistant' && calls.length > 0;
  const known = ['system', 'developer', 'user', 'assistant', 'tool'].includes(role);
  return [
    ...(known ? [] : [`${path}: role "${role}" is unknown`]),
    ...(content === undefined ? [`${path}.content: missing`] : []),
    ...(content === null && !nullable ? [`${path}.content: null only with tool_calls`] : []),
    ...(Array.isArray(content) && content.length === 0 ? [`${path}.content: empty list`] : []),
    ...(calls.length > 0 && role !== 'assistant' ? [`${path}: tool_calls in a message of role ${role}`] : []),
    ...(field(message, 'tool_calls') !== undefined && calls.length === 0 ? [`${path}.tool_calls: empty`] : []),
    ...repeated(calls.map(idOf)).map((id) => `${path}: tool call id "${id}" is not unique`),
    ...calls.flatMap((call) => checkCall(call, `${path}.tool_calls`)),
  ];
};

const checkCall = (call: Json, path: string): readonly string[] => {
  const sent = field(field(call, 'function'), 'arguments');
  const id = idOf(call);
  return [
    ...(id.length >= 1 && id.length <= 40 ? [] : [`${path}: id of ${id.length} characters, 1 to 40 are allowed`]),
    ...(field(call, 'type') === 'function' ? [] : [`${path}.type: must be "function"`]),
    ...checkName(text(field(field(call, 'function'), 'name')), `${path}.function.name`),
    ...(typeof sent === 'string' && tryJson(sent) !== undefined
      ? []
      : [`${path}.function.arguments: must be a string that holds JSON`]),
  ];
};

/** A message with calls is followed by one `tool` message for each, in any order, before anything else. */
const checkAnswers = (messages: readonly Json[], i: number): readonly string[] => {
  const ids = callsOf(messages[i]).map(idOf);
  const next = messages.slice(i + 1, i + 1 + ids.length).filter((message) => roleOf(message) === 'tool');
  const answers = next.map((message) => text(field(message, 'tool_call_id')));
  const missing = ids
    .filter((id) => !answers.includes(id))
    .map((id) => `messages.${i}: tool call "${id}" is not answered by the tool messages that follow`);
  if (roleOf(messages[i]) !== 'tool') return missing;
  const caller = messages.slice(0, i).findLast((message) => roleOf(message) !== 'tool');
  const id = text(field(messages[i], 'tool_call_id'));
  const orphan = callsOf(caller).some((call) => idOf(call) === id)
    ? []
    : [`messages.${i}: tool message "${id}" follows no such tool call`];
  const start = messages.findLastIndex((message, at) => at < i && roleOf(message) !== 'tool');
  const earlier = messages.slice(start + 1, i).some((message) => text(field(message, 'tool_call_id')) === id);
  return [...missing, ...orphan, ...(earlier ? [`messages.${i}: two results for "${id}"`] : [])];
};
