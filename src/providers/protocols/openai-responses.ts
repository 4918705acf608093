import { isObject, type JsonObject, list, text } from '../../core/json.ts';
import type { Content, Json, Usage } from '../../core/types.ts';
import { addPart, type Draft, extend, findPart, grow, type Part } from '../draft.ts';
import { type Answer, type AssistantTurn, asOneText, isCall, type Turn } from '../handover.ts';
import { count, get, object } from '../json.ts';
import type { Ask, Protocol } from '../protocol.ts';
import { readError } from '../report.ts';
import { rootSchema } from '../schema.ts';

/**
 * OpenAI Responses, with nothing kept on the server: reasoning comes back encrypted and goes back as it came.
 * https://platform.openai.com/docs/api-reference/responses
 */
export const openaiResponses: Protocol = {
  name: 'openai-responses',
  path: '/responses',
  headers: (key): Record<string, string> => (key === '' ? {} : { authorization: `Bearer ${key}` }),
  body,
  step,
  raw: (parts, sent) => parts.map((part) => rawItem(part, sent)),
  events: (whole) =>
    Array.isArray(whole['output']) ? [{ type: `response.${text(whole['status'])}`, response: whole }] : [],
};

// ── The request ──────────────────────────────────────────────────────────────────────────────────────────────────────

function body(ask: Ask): JsonObject {
  const { effort } = ask;
  return {
    model: ask.model,
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    max_output_tokens: ask.maxTokens,
    ...(effort === undefined ? {} : { reasoning: effort === 'off' ? { effort: 'none' } : { effort, summary: 'auto' } }),
    ...(ask.system === '' ? {} : { instructions: ask.system }),
    ...(ask.tools.length === 0 ? {} : { tools: ask.tools.map((tool) => declare(tool, ask)) }),
    input: ask.turns.flatMap(items),
  };
}

const declare = ({ name, description, input }: Ask['tools'][number], { without }: Ask): JsonObject => ({
  type: 'function',
  name,
  description,
  parameters: rootSchema(input),
  ...(without.has('strict') ? {} : { strict: false }),
});

function items(turn: Turn): Json[] {
  if (turn.role === 'assistant') return native(turn) ?? rebuilt(turn);
  const said: Json[] = turn.content.length === 0 ? [] : [{ role: 'user', content: turn.content.map(inputPart) }];
  return [...turn.answers.map(output), ...said];
}

const output = ({ id, content }: Answer): JsonObject => ({
  type: 'function_call_output',
  call_id: id,
  output: content.every((part) => part.type === 'text') ? asOneText(content) : content.map(inputPart),
});

const inputPart = (part: Content): JsonObject =>
  part.type === 'text'
    ? { type: 'input_text', text: part.text }
    : { type: 'input_image', detail: 'auto', image_url: `data:${part.mediaType};base64,${part.data}` };

const rebuilt = (turn: AssistantTurn): Json[] =>
  turn.parts.flatMap((part): Json[] => {
    if (part.type === 'text') return [message(part.text)];
    if (!isCall(part)) return [];
    return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: JSON.stringify(part.input) }];
  });

const message = (said: string): JsonObject => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: said, annotations: [] }],
});

/**
 * The items as they came. Reasoning stays with what it led to, or goes, and the ids that tied the others to it go
 * with it: the server kept neither.
 */
function native(turn: AssistantTurn): Json[] | undefined {
  if (!turn.native) return undefined;
  const { content, signed } = turn.native;
  const calls = turn.parts.filter(isCall);
  const kept: JsonObject[] = [];
  let whole = true;
  for (const item of list(content)) {
    if (!isObject(item)) continue;
    if (item['type'] === 'function_call') {
      const call = calls.shift();
      if (!call) return undefined;
      kept.push({ ...item, call_id: call.id, name: call.name });
    } else if (item['type'] === 'reasoning' && !(signed && text(item['encrypted_content']) !== '')) whole = false;
    else if (!isBlank(item)) kept.push(item);
  }
  const items = kept.filter((item, at) => item['type'] !== 'reasoning' || at < kept.length - 1);
  if (calls.length > 0 || items.length === 0) return undefined;
  return whole ? items : items.map(({ id, ...item }) => item);
}

const isBlank = (item: JsonObject): boolean =>
  item['type'] === 'message' &&
  list(item['content']).every((part) => (text(get(part, 'text')) || text(get(part, 'refusal'))).trim() === '');

// ── The reply ────────────────────────────────────────────────────────────────────────────────────────────────────────

function step(draft: Draft, event: JsonObject): void {
  const key = count(event['output_index']);
  switch (event['type']) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      grow(draft, partAt(draft, key, 'text'), text(event['delta']));
      return;
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      grow(draft, partAt(draft, key, 'thinking'), text(event['delta']));
      return;
    case 'response.reasoning_summary_part.added': {
      const part = partAt(draft, key, 'thinking');
      if (part.text !== '') grow(draft, part, '\n\n');
      return;
    }
    case 'response.function_call_arguments.delta':
      extend(draft, partAt(draft, key, 'call'), text(event['delta']));
      return;
    case 'response.output_item.added':
      open(draft, key, object(event['item']));
      return;
    case 'response.output_item.done':
      close(draft, key, object(event['item']));
      return;
    case 'response.completed':
    case 'response.incomplete':
      finish(draft, object(event['response']));
      return;
    case 'response.failed':
      draft.usage = readUsage(get(event, 'response', 'usage')) ?? draft.usage;
      draft.problem = readError(get(event, 'response', 'error'));
      draft.over = true;
      return;
    case 'error':
      draft.problem = readError(isObject(event['error']) ? event['error'] : event);
      draft.over = true;
      return;
    default:
      if (isObject(event['error']) && event['type'] === undefined) draft.problem = readError(event['error']);
  }
}

const partAt = (draft: Draft, key: number, kind: Part['kind']): Part =>
  findPart(draft, key) ?? addPart(draft, kind, key);

const KINDS: Readonly<Record<string, Part['kind']>> = { message: 'text', reasoning: 'thinking', function_call: 'call' };

function open(draft: Draft, key: number, item: JsonObject): void {
  const part = partAt(draft, key, KINDS[text(item['type'])] ?? 'other');
  part.name = text(item['name']);
  part.vendorId = text(item['call_id']);
  if (part.kind === 'call') draft.live.push({ live: 'calling', name: part.name });
}

/** A done item is the truth; its deltas were for show. */
function close(draft: Draft, key: number, item: JsonObject): void {
  if (!findPart(draft, key)) open(draft, key, item);
  const part = partAt(draft, key, 'other');
  if (part.done) return;
  if (part.kind === 'text' && part.text === '')
    for (const piece of list(item['content'])) grow(draft, part, said(piece));
  if (part.kind === 'thinking' && part.text === '') {
    grow(draft, part, list(item['summary']).map(said).join('\n\n') || list(item['content']).map(said).join('\n\n'));
  }
  if (part.kind === 'call') {
    part.name = text(item['name']) || part.name;
    part.vendorId = text(item['call_id']) || part.vendorId;
    part.text = typeof item['arguments'] === 'string' ? item['arguments'] : part.text;
  }
  part.wire = item;
  part.done = true;
}

const said = (piece: Json): string => text(get(piece, 'text')) || text(get(piece, 'refusal'));

function finish(draft: Draft, response: JsonObject): void {
  for (const [key, item] of list(response['output']).entries()) close(draft, key, object(item));
  draft.usage = readUsage(response['usage']) ?? draft.usage;
  draft.stop = text(get(response, 'incomplete_details', 'reason')) || text(response['status']) || 'completed';
  if (draft.parts.some((part) => list(part.wire['content']).some((piece) => get(piece, 'type') === 'refusal')))
    draft.stop = 'refusal';
  draft.ended = draft.over = true;
}

function readUsage(usage: Json | undefined): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const cacheRead = count(get(usage, 'input_tokens_details', 'cached_tokens'));
  const cacheWrite = count(get(usage, 'input_tokens_details', 'cache_write_tokens'));
  const input = Math.max(0, count(usage['input_tokens']) - cacheRead - cacheWrite);
  return { input, output: count(usage['output_tokens']), cacheRead, cacheWrite };
}

function rawItem(part: Part, sent: (part: Part) => string): Json {
  if (part.done) return part.kind === 'call' ? { ...part.wire, arguments: sent(part) } : part.wire;
  if (part.kind === 'text') return message(part.text);
  return { type: 'function_call', call_id: part.vendorId, name: part.name, arguments: sent(part) };
}
