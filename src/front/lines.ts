import { randomUUID } from 'node:crypto';
import type { Assistant, Content, Json, Message, Result, Usage } from '../core/types.ts';
import type { Ending, Session } from '../harness/types.ts';
import { describeEnding, subtype } from './ending.ts';

/** One line of stream-json, in the shape that wrappers of `claude` read. */
export type Line = { readonly type: string; readonly [key: string]: unknown };

/** Where a line comes from: a session, and the call that started it where it is a sub-agent. */
export type Source = { readonly session: string; readonly parent: string | null; readonly id?: string };

const tag = ({ session, parent, id }: Source) => ({
  session_id: session,
  uuid: id ?? randomUUID(),
  parent_tool_use_id: parent,
});

export const initLine = (session: Session, version: string): Line => ({
  type: 'system',
  subtype: 'init',
  session_id: session.id,
  cwd: session.cwd,
  model: session.model,
  tools: session.tools,
  permissionMode: session.mode,
  mcp_servers: [],
  slash_commands: [],
  version,
  uuid: randomUUID(),
});

export const systemLine = (kind: string, fields: Readonly<Record<string, unknown>>, source: Source): Line => ({
  type: 'system',
  subtype: kind,
  ...fields,
  session_id: source.session,
  uuid: source.id ?? randomUUID(),
  ...(source.parent === null ? {} : { parent_tool_use_id: source.parent }),
});

export const streamLine = (event: Readonly<Record<string, unknown>>, source: Source): Line => ({
  type: 'stream_event',
  event,
  ...tag(source),
});

/** A message as one line: replies as `assistant`, results and prompts as `user`. */
export const messageLine = (message: Message, source: Source): Line => {
  if (message.role === 'assistant')
    return { type: 'assistant', message: assistantMessage(message, source), ...tag(source) };
  if (message.role === 'user') {
    return { type: 'user', message: { role: 'user', content: message.content.map(contentBlock) }, ...tag(source) };
  }
  const details = message.details === undefined ? {} : { tool_use_result: message.details };
  return { type: 'user', message: { role: 'user', content: [resultBlock(message)] }, ...tag(source), ...details };
};

const stopReasons: Readonly<Record<Assistant['stop'], string | null>> = {
  done: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  refused: 'refusal',
  overflow: 'model_context_window_exceeded',
  aborted: null,
  error: null,
};

const assistantMessage = (message: Assistant, source: Source) => ({
  id: source.id ?? randomUUID(),
  type: 'message',
  role: 'assistant',
  model: message.model,
  content: message.content.map((part) => {
    if (part.type === 'thinking') return { type: 'thinking', thinking: part.text };
    if (part.type === 'text') return contentBlock(part);
    return { type: 'tool_use', id: part.id, name: part.name, input: part.input };
  }),
  stop_reason: stopReasons[message.stop],
  stop_sequence: null,
  ...(message.usage ? { usage: usageOf(message.usage) } : {}),
});

const contentBlock = (part: Content) =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } };

const resultBlock = (result: Result) => {
  const [only, ...more] = result.content;
  const content = only?.type === 'text' && more.length === 0 ? only.text : result.content.map(contentBlock);
  return { type: 'tool_result', tool_use_id: result.call, content, is_error: result.failed };
};

const usageOf = (usage: Usage) => ({
  input_tokens: usage.input,
  output_tokens: usage.output,
  cache_read_input_tokens: usage.cacheRead,
  cache_creation_input_tokens: usage.cacheWrite,
});

/** The last line. It agrees with the exit code, because both read the same table. */
export const resultLine = (session: Session, ending: Ending): Line => {
  const kind = subtype(ending);
  const totals = session.totals();
  const problem = kind === 'success' ? '' : describeEnding(ending);
  return {
    type: 'result',
    subtype: kind,
    is_error: kind !== 'success',
    result: ending.text,
    ...(problem === '' ? {} : { errors: [problem] }),
    ...(ending.structured === undefined ? {} : { structured_output: ending.structured }),
    num_turns: ending.turns,
    duration_ms: Math.round(ending.duration),
    duration_api_ms: Math.round(ending.durationApi),
    total_cost_usd: totals.unpriced ? null : (totals.usage.cost ?? 0),
    usage: usageOf(totals.usage),
    modelUsage: Object.fromEntries(Object.entries(totals.models).map(([model, usage]) => [model, modelUsage(usage)])),
    permission_denials: session.denials().map(({ call, reason }) => ({
      tool_name: call.name,
      tool_use_id: call.id,
      tool_input: call.input satisfies Json,
      reason,
    })),
    session_id: session.id,
    uuid: randomUUID(),
  };
};

const modelUsage = (usage: Usage) => ({
  inputTokens: usage.input,
  outputTokens: usage.output,
  cacheReadInputTokens: usage.cacheRead,
  cacheCreationInputTokens: usage.cacheWrite,
  costUSD: usage.cost ?? null,
});
