import { isObject, type JsonObject, list, text } from '../../core/json.ts';
import type { Content, Json, Usage } from '../../core/types.ts';
import type { Draft, Part } from '../draft.ts';
import { type Answer, type AssistantTurn, asOneText, isCall, type Turn } from '../handover.ts';
import { count, get, object } from '../json.ts';
import type { Ask, Protocol } from '../protocol.ts';
import { readError } from '../report.ts';
import { rootSchema } from '../schema.ts';
import { addDetail, addFragment, addReasoning, addText, keepExtra } from './openai-fragments.ts';

/** OpenAI Chat Completions, and what the compatible servers made of it. Vendors differ by `Quirks` only. */
export const openaiChat: Protocol = {
  name: 'openai-chat',
  path: '/chat/completions',
  headers: (key): Record<string, string> => (key === '' ? {} : { authorization: `Bearer ${key}` }),
  body,
  step,
  raw,
  events,
};

// ── The request ──────────────────────────────────────────────────────────────────────────────────────────────────────

function body(ask: Ask): JsonObject {
  const { quirks } = ask;
  return {
    model: ask.model,
    stream: true,
    ...(quirks.streamOptions === false ? {} : { stream_options: { include_usage: true } }),
    ...limit(ask),
    ...effort(ask),
    ...(ask.tools.length === 0 ? {} : { tools: ask.tools.map(declare) }),
    messages: [
      ...(ask.system === '' ? [] : [{ role: 'system', content: ask.system }]),
      ...ask.turns.flatMap((turn) => (turn.role === 'user' ? userMessages(turn, ask) : [assistantMessage(turn, ask)])),
    ],
  };
}

/** The one field with two names. A server that refuses one is asked with the other. */
function limit({ quirks, maxTokens, without }: Ask): JsonObject {
  const renamed =
    (quirks.maxTokens === 'max_completion_tokens' || without.has('max_tokens')) &&
    !without.has('max_completion_tokens');
  return renamed ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
}

function effort({ quirks, effort }: Ask): JsonObject {
  if (effort === undefined) return {};
  const off = effort === 'off';
  if (quirks.effort === 'reasoning') return { reasoning: off ? { enabled: false } : { effort } };
  if (quirks.effort !== 'thinking') return { reasoning_effort: off ? 'none' : effort };
  if (off) return { thinking: { type: 'disabled' } };
  const level = effort === 'xhigh' ? 'max' : effort === 'medium' ? 'high' : effort === 'minimal' ? 'low' : effort;
  return { thinking: { type: 'enabled' }, reasoning_effort: level };
}

const declare = ({ name, description, input }: Ask['tools'][number]): JsonObject => ({
  type: 'function',
  function: { name, description, parameters: rootSchema(input) },
});

type UserTurn = Extract<Turn, { role: 'user' }>;
/** A `tool` message holds text only: images of a result are shown by the user who follows. */
function userMessages(turn: UserTurn, ask: Ask): JsonObject[] {
  const shown: Content[] = turn.answers.flatMap((answer) => {
    const images = answer.content.filter((part) => part.type === 'image');
    return images.length === 0 ? [] : [{ type: 'text', text: `[Shown by ${answer.name}:]` }, ...images];
  });
  const content = [...shown, ...turn.content];
  const answers = turn.answers.map(toolMessage);
  if (content.length === 0) return answers;
  const between = answers.length > 0 && ask.quirks.order === 'strict' ? [{ role: 'assistant', content: 'Noted.' }] : [];
  return [...answers, ...between, { role: 'user', content: userContent(content) }];
}

const toolMessage = (answer: Answer): JsonObject => ({
  role: 'tool',
  tool_call_id: answer.id,
  content: asOneText(answer.content) || '(see the image that follows)',
});

const userContent = (content: readonly Content[]): Json =>
  content.every((part) => part.type === 'text')
    ? asOneText(content)
    : content.map((part) =>
        part.type === 'text'
          ? { type: 'text', text: part.text }
          : { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } },
      );

function assistantMessage(turn: AssistantTurn, ask: Ask): JsonObject {
  const said = asOneText(turn.parts.filter((part) => part.type === 'text'));
  const sent = object(turn.native?.content);
  const calls = toolCalls(turn, list(sent['tool_calls']), ask);
  const came = text(sent['content']);
  const content = came.trim() === '' ? said : came;
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...reasoning(turn, sent, ask),
    ...(isObject(sent['extra_content']) ? { extra_content: sent['extra_content'] } : {}),
  };
}

function toolCalls(turn: AssistantTurn, sent: readonly Json[], ask: Ask): JsonObject[] {
  const calls = turn.parts.filter(isCall);
  const ours = sent.length === calls.length;
  const stand =
    !ours && ask.quirks.signature ? { extra_content: { google: { thought_signature: ask.quirks.signature } } } : {};
  return calls.map(({ id, name, input }, at) => {
    const from = ours ? object(sent[at]) : {};
    const source = text(get(from, 'function', 'arguments')) || JSON.stringify(input);
    const made: JsonObject = { ...from, id, type: 'function', function: { name, arguments: source } };
    // A signature stands on the first of parallel calls.
    return at === 0 ? { ...stand, ...made } : made;
  });
}

/** Only where a server wants it back; others refuse what they didn't expect. */
function reasoning(turn: AssistantTurn, sent: JsonObject, { quirks }: Ask): JsonObject {
  if (quirks.echo === 'reasoning_details') {
    const details = turn.native?.signed ? list(sent['reasoning_details']) : [];
    return details.length === 0 ? {} : { reasoning_details: details };
  }
  if (quirks.echo !== 'reasoning_content') return {};
  const thought = turn.parts.flatMap((part) => (part.type === 'thinking' ? [part.text] : [])).join('\n\n');
  const came = sent['reasoning_content'];
  if (typeof came === 'string') return { reasoning_content: came };
  return turn.parts.some(isCall) ? { reasoning_content: thought } : {};
}

// ── The reply ────────────────────────────────────────────────────────────────────────────────────────────────────────

function step(draft: Draft, event: JsonObject): void {
  if (event['type'] === '[DONE]') {
    draft.ended = draft.over = true;
    return;
  }
  if (event['error'] !== undefined && event['error'] !== null) draft.problem = readError(event['error']);
  if (isObject(event['usage'])) draft.usage = readUsage(event['usage']);
  const choice = list(event['choices'])[0];
  if (!isObject(choice)) return;
  const delta = object(choice['delta']);
  addContent(draft, delta);
  if (isObject(delta['extra_content'])) keepExtra(draft, { extra_content: delta['extra_content'] });
  for (const fragment of list(delta['tool_calls'])) addFragment(draft, fragment);
  const stop = text(choice['finish_reason']);
  if (stop === '') return;
  draft.stop = stop;
  draft.ended = true;
  if (isObject(choice['usage'])) draft.usage = readUsage(choice['usage']);
}

function addContent(draft: Draft, delta: JsonObject): void {
  if (typeof delta['reasoning_content'] === 'string')
    addReasoning(draft, delta['reasoning_content'], 'reasoning_content');
  else addReasoning(draft, text(delta['reasoning']), 'reasoning');
  for (const detail of list(delta['reasoning_details'])) addDetail(draft, object(detail));
  const content = delta['content'];
  addText(draft, text(content) || text(delta['refusal']));
  for (const chunk of list(content)) {
    if (get(chunk, 'type') === 'text') addText(draft, text(get(chunk, 'text')));
    for (const piece of list(get(chunk, 'thinking'))) addReasoning(draft, text(get(piece, 'text')), 'thinking');
  }
}

/** Running totals replace each other. Some count reasoning in `total_tokens` only. */
function readUsage(usage: JsonObject): Usage {
  const prompt = count(usage['prompt_tokens']);
  const details = usage['prompt_tokens_details'];
  const cacheRead = count(get(details, 'cached_tokens')) || count(usage['prompt_cache_hit_tokens']);
  const cacheWrite = count(get(details, 'cache_write_tokens'));
  const cost = usage['cost'];
  return {
    input: Math.max(0, prompt - cacheRead - cacheWrite),
    output: Math.max(count(usage['completion_tokens']), count(usage['total_tokens']) - prompt),
    cacheRead,
    cacheWrite,
    ...(typeof cost === 'number' ? { cost } : {}),
  };
}

/** The assistant message as the server would have sent it whole. */
function raw(parts: readonly Part[], sent: (part: Part) => string): Json {
  const said = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
  const calls = parts.flatMap((part): Json[] =>
    part.kind !== 'call'
      ? []
      : [{ ...part.wire, id: part.vendorId, type: 'function', function: { name: part.name, arguments: sent(part) } }],
  );
  const thought = parts.filter((part) => part.kind === 'thinking' && part.name === 'reasoning_content');
  return {
    role: 'assistant',
    content: said === '' ? null : said,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(thought.length === 0 ? {} : { reasoning_content: thought.map((part) => part.text).join('') }),
    ...Object.assign({}, ...parts.filter((part) => part.kind === 'other').map((part) => part.wire)),
  };
}

function events(whole: JsonObject): JsonObject[] {
  return list(whole['choices'])
    .slice(0, 1)
    .flatMap((choice): JsonObject[] => [
      { ...whole, choices: [{ ...object(choice), delta: get(choice, 'message') ?? null }] },
      { type: '[DONE]' },
    ]);
}
