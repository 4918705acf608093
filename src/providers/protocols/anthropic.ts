import { field, isObject, type JsonObject, list, text } from '../../core/json.ts';
import type { Content, Json, ToolSchema, Usage } from '../../core/types.ts';
import { addPart, type Draft, extend, findPart, grow, type Part } from '../draft.ts';
import { type Answer, type AssistantTurn, isCall, type Turn } from '../handover.ts';
import { count, get, object, parseJson } from '../json.ts';
import type { Ask, Protocol } from '../protocol.ts';
import { readError } from '../report.ts';
import { rootSchema } from '../schema.ts';

/** Anthropic Messages. https://docs.anthropic.com/en/api/messages, and …/messages-streaming for the events. */
export const anthropic: Protocol = {
  name: 'anthropic',
  path: '/v1/messages',
  headers: (key, bearer) => ({
    'anthropic-version': '2023-06-01',
    ...(key === '' ? {} : bearer ? { authorization: `Bearer ${key}` } : { 'x-api-key': key }),
  }),
  body,
  step,
  raw: (parts, sent) => parts.map((part) => rawBlock(part, sent)),
  events,
};

// ── The request ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** What thinking may use at most, by effort, for models that want a number. */
const BUDGETS: Readonly<Record<string, number>> = { minimal: 1024, low: 4096, medium: 10_240, high: 20_480 };
const BUDGET_MAX = 28_672;

function body(ask: Ask): JsonObject {
  const mark: JsonObject = ask.without.has('cache_control') ? {} : { cache_control: { type: 'ephemeral' } };
  const messages = ask.turns.map((turn) => message(turn));
  // The last two user turns: one for this request to write, one for it to read.
  for (const at of [messages.length - 1, messages.length - 3])
    if (messages[at]) messages[at] = marked(messages[at], mark);
  return {
    model: ask.model,
    stream: true,
    ...thinking(ask, messages.at(-2)),
    ...(ask.system === '' ? {} : { system: [{ type: 'text', text: ask.system, ...mark }] }),
    ...(ask.tools.length === 0 ? {} : { tools: ask.tools.map((tool, at) => declare(tool, at, ask, mark)) }),
    messages,
  };
}

function declare(tool: ToolSchema, at: number, ask: Ask, mark: JsonObject): JsonObject {
  const last = at === ask.tools.length - 1 ? mark : {};
  return { name: tool.name, description: tool.description, input_schema: rootSchema(tool.input), ...last };
}

/** `max_tokens` covers thinking and answer, so a budget leaves at least 1,024 of it to the answer. */
function thinking(ask: Ask, last: JsonObject | undefined): JsonObject {
  const { effort, maxTokens } = ask;
  if (effort === undefined) return { max_tokens: maxTokens };
  if (ask.quirks.thinking !== 'budget') {
    // Newer models refuse `disabled`; the least they do is think when they must, at low effort.
    if (effort === 'off' || effort === 'minimal') return { max_tokens: maxTokens, output_config: { effort: 'low' } };
    return { max_tokens: maxTokens, thinking: { type: 'adaptive' }, output_config: { effort } };
  }
  const budget = Math.min(BUDGETS[effort] ?? BUDGET_MAX, maxTokens - 1024);
  // In the middle of a tool loop it can't begin: the model demands that the calling message started with thinking.
  if (effort === 'off' || budget < 1024 || callsUnthought(last)) return { max_tokens: maxTokens };
  return { max_tokens: maxTokens, thinking: { type: 'enabled', budget_tokens: budget } };
}

function callsUnthought(message: JsonObject | undefined): boolean {
  const blocks = list(message?.['content']);
  const first = text(get(blocks[0], 'type'));
  return blocks.some((block) => get(block, 'type') === 'tool_use') && !first.endsWith('thinking');
}

function marked(message: JsonObject, mark: JsonObject): JsonObject {
  const blocks = list(message['content']);
  return {
    ...message,
    content: blocks.map((block, at) => (at < blocks.length - 1 ? block : { ...object(block), ...mark })),
  };
}

function message(turn: Turn): JsonObject {
  if (turn.role === 'assistant') return { role: 'assistant', content: native(turn) ?? rebuilt(turn) };
  return { role: 'user', content: [...turn.answers.map(toolResult), ...turn.content.map(block)] };
}

const toolResult = (answer: Answer): JsonObject => ({
  type: 'tool_result',
  tool_use_id: answer.id,
  content: answer.content.map(block),
  ...(answer.failed ? { is_error: true } : {}),
});

const block = (part: Content): JsonObject =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } };

const rebuilt = (turn: AssistantTurn): Json[] =>
  turn.parts.flatMap((part): Json[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (isCall(part)) return [{ type: 'tool_use', id: part.id, name: part.name, input: object(part.input) }];
    return [];
  });

/** The blocks as they came, but for ids this request can't use, blank text, and what only their own model may see. */
function native(turn: AssistantTurn): Json[] | undefined {
  if (!turn.native) return undefined;
  const { content, signed } = turn.native;
  const calls = turn.parts.filter(isCall);
  const blocks: Json[] = [];
  for (const entry of list(content)) {
    const type = text(get(entry, 'type'));
    if (type === 'text' && text(get(entry, 'text')).trim() === '') continue;
    if (type.endsWith('thinking') && !signed) continue;
    if (type !== 'tool_use') blocks.push(entry);
    else {
      const call = calls.shift();
      if (!call) return undefined;
      blocks.push({ ...object(entry), id: call.id, name: call.name });
    }
  }
  return calls.length === 0 && blocks.length > 0 ? blocks : undefined;
}

// ── The reply ────────────────────────────────────────────────────────────────────────────────────────────────────────

function step(draft: Draft, event: JsonObject): void {
  switch (event['type']) {
    case 'content_block_delta':
      delta(draft, findPart(draft, count(event['index'])), event['delta']);
      return;
    case 'content_block_start':
      start(draft, count(event['index']), object(event['content_block']));
      return;
    case 'content_block_stop': {
      const part = findPart(draft, count(event['index']));
      if (part) part.done = true;
      return;
    }
    case 'message_start':
      draft.usage = readUsage(draft.usage, get(event, 'message', 'usage'));
      return;
    case 'message_delta':
      draft.usage = readUsage(draft.usage, event['usage']);
      draft.stop = text(get(event, 'delta', 'stop_reason')) || draft.stop;
      draft.ended ||= draft.stop !== '';
      return;
    case 'message_stop':
      draft.ended = draft.over = true;
      return;
    default:
      if (event['error'] === undefined) return;
      draft.problem = readError(event['error']);
      draft.over = true;
  }
}

function start(draft: Draft, key: number, wire: JsonObject): void {
  const type = text(wire['type']);
  if (type === 'text') grow(draft, addPart(draft, 'text', key, wire), text(wire['text']));
  else if (type === 'thinking') grow(draft, addPart(draft, 'thinking', key, wire), text(wire['thinking']));
  else if (type === 'tool_use') {
    const part = addPart(draft, 'call', key, wire);
    part.name = text(wire['name']);
    part.vendorId = text(wire['id']);
    if (isObject(wire['input']) && Object.keys(wire['input']).length > 0) part.text = JSON.stringify(wire['input']);
    draft.live.push({ live: 'calling', name: part.name });
  } else addPart(draft, 'other', key, wire);
}

function delta(draft: Draft, part: Part | undefined, change: Json | undefined): void {
  if (!part) return;
  switch (field(change, 'type')) {
    case 'text_delta':
      grow(draft, part, text(field(change, 'text')));
      return;
    case 'thinking_delta':
      grow(draft, part, text(field(change, 'thinking')));
      return;
    case 'input_json_delta':
      extend(draft, part, text(field(change, 'partial_json')));
      return;
    case 'signature_delta':
      part.wire = { ...part.wire, signature: text(part.wire['signature']) + text(field(change, 'signature')) };
      return;
    case 'citations_delta':
      part.wire = { ...part.wire, citations: [...list(part.wire['citations']), field(change, 'citation') ?? null] };
  }
}

/** Later totals replace earlier ones; what is absent or null leaves them. */
function readUsage(before: Usage | undefined, usage: Json | undefined): Usage | undefined {
  if (!isObject(usage)) return before;
  const of = (key: string, old: number | undefined) =>
    typeof usage[key] === 'number' ? count(usage[key]) : (old ?? 0);
  return {
    input: of('input_tokens', before?.input),
    output: of('output_tokens', before?.output),
    cacheRead: of('cache_read_input_tokens', before?.cacheRead),
    cacheWrite: of('cache_creation_input_tokens', before?.cacheWrite),
  };
}

function rawBlock(part: Part, sent: (part: Part) => string): Json {
  if (part.kind === 'text') return { ...part.wire, text: part.text };
  if (part.kind === 'thinking') return { ...part.wire, thinking: part.text };
  if (part.kind === 'call') return { ...part.wire, input: parseJson(sent(part)) };
  return part.text === '' ? part.wire : { ...part.wire, input: parseJson(sent(part)) };
}

function events(whole: JsonObject): JsonObject[] {
  if (!Array.isArray(whole['content'])) return [];
  return [
    { type: 'message_start', message: whole },
    ...list(whole['content']).flatMap((content_block, index): JsonObject[] => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: whole['stop_reason'] ?? null } },
    { type: 'message_stop' },
  ];
}
