import { field, isObject, list, text } from '../../core/json.ts';
import type { Json } from '../../core/types.ts';
import { dig, sameJson } from '../json.ts';
import type { Served } from '../turn.ts';
import { checkImage } from './image.ts';
import { originsByCall } from './served.ts';
import { checkName, checkText, repeated } from './text.ts';

const typeOf = (block: Json): string => text(field(block, 'type'));
const ofType = (blocks: readonly Json[], type: string): readonly Json[] => blocks.filter((b) => typeOf(b) === type);
const isThought = (block: Json): boolean => ['thinking', 'redacted_thinking'].includes(typeOf(block));
const idsOf = (blocks: readonly Json[], type: string, key: string): readonly string[] =>
  ofType(blocks, type).map((block) => text(field(block, key)));
const roleOf = (message: Json | undefined): string => text(field(message, 'role'));
const blocksOf = (message: Json | undefined): readonly Json[] => {
  const content = field(message, 'content');
  return typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);
};

/** STRICT-A: what Anthropic's Messages API refuses. `served`: what the server sent before. An empty list is a pass. */
export const strictAnthropic = (body: Json, served: readonly Served[] = []): readonly string[] => {
  const messages = list(field(body, 'messages'));
  const ids = messages.flatMap((message) => idsOf(blocksOf(message), 'tool_use', 'id'));
  const own = served.filter((reply) => reply.dialect === 'anthropic');
  const known = { blocks: own.flatMap((reply) => reply.thoughts), origins: originsByCall(own) };
  return [
    ...checkText(body),
    ...checkHead(body),
    ...messages.flatMap((message, i) => checkMessage(message, `messages.${i}`)),
    ...messages.flatMap((_, i) => checkPairs(messages, i)),
    ...repeated(ids).map((id) => `tool_use id "${id}" is not unique`),
    ...messages.flatMap((message, i) => checkThoughts(message, known, thinks(body), `messages.${i}`)),
    ...checkThinking(body, messages),
    ...checkPictures(messages),
  ];
};

const checkHead = (body: Json): readonly string[] => {
  const messages = list(field(body, 'messages'));
  const limit = field(body, 'max_tokens');
  const budget = dig(body, 'thinking', 'budget_tokens');
  const marked = [field(body, 'system'), field(body, 'tools')].flatMap(list).concat(messages.flatMap(blocksOf));
  const marks = marked.filter((block) => isObject(field(block, 'cache_control'))).length;
  return [
    ...(text(field(body, 'model')) === '' ? ['model: missing'] : []),
    ...(typeof limit === 'number' && limit > 0 ? [] : ['max_tokens: missing']),
    ...(messages.length === 0 ? ['messages: at least one is needed'] : []),
    ...(messages.length > 0 && roleOf(messages[0]) !== 'user' ? ['messages.0: the first role must be user'] : []),
    ...(roleOf(messages.at(-1)) === 'assistant' ? ['the last role must not be assistant (no prefill)'] : []),
    ...(typeof budget === 'number' && typeof limit === 'number' && (budget < 1024 || budget >= limit)
      ? ['thinking.budget_tokens: at least 1024 and below max_tokens']
      : []),
    ...(marks > 4 ? [`cache_control: ${marks} marks, at most 4`] : []),
    ...checkBlank(list(field(body, 'system')), 'system'),
    ...checkTools(list(field(body, 'tools'))),
  ];
};

const checkTools = (tools: readonly Json[]): readonly string[] => [
  ...repeated(tools.map((tool) => text(field(tool, 'name')))).map((name) => `tools: "${name}" is not unique`),
  ...tools.flatMap((tool, i) => {
    // A tool of the provider's own has a type and no schema.
    if (!['', 'custom'].includes(typeOf(tool))) return [];
    const schema = field(tool, 'input_schema');
    return [
      ...checkName(text(field(tool, 'name')), `tools.${i}.name`),
      ...(field(schema, 'type') === 'object' ? [] : [`tools.${i}.input_schema: the root must have type "object"`]),
      ...['anyOf', 'oneOf', 'allOf']
        .filter((key) => field(schema, key) !== undefined)
        .map((key) => `tools.${i}.input_schema: no ${key} at the root`),
    ];
  }),
];

const checkBlank = (blocks: readonly Json[], path: string): readonly string[] =>
  ofType(blocks, 'text')
    .filter((block) => text(field(block, 'text')).trim() === '')
    .map(() => `${path}: text blocks must not be blank`);

const checkMessage = (message: Json, path: string): readonly string[] => {
  const blocks = blocksOf(message);
  const role = roleOf(message);
  const results = ofType(blocks, 'tool_result');
  const leading = blocks.findIndex((block) => typeOf(block) !== 'tool_result');
  const firstOther = blocks.findIndex((block) => !isThought(block));
  return [
    ...(['user', 'assistant'].includes(role) ? [] : [`${path}: role "${role}" is unknown`]),
    ...(blocks.length === 0 ? [`${path}: content must not be empty`] : []),
    ...checkBlank(blocks, path),
    ...results.flatMap((result) => checkBlank(list(field(result, 'content')), `${path}.tool_result`)),
    ...(leading >= 0 && blocks.slice(leading).some((block) => typeOf(block) === 'tool_result')
      ? [`${path}: nothing may stand ahead of a tool_result`]
      : []),
    ...(role === 'assistant' && blocks.length > 0 && firstOther < 0 ? [`${path}: thinking must not stand alone`] : []),
    ...(firstOther >= 0 && blocks.slice(firstOther).some(isThought) ? [`${path}: thinking must come first`] : []),
    ...ofType(blocks, 'tool_use').flatMap((call) => checkCall(call, role, path)),
  ];
};

const checkCall = (call: Json, role: string, path: string): readonly string[] => {
  const input = field(call, 'input');
  return [
    ...(role === 'assistant' ? [] : [`${path}: tool_use in a message of role ${role}`]),
    ...checkName(text(field(call, 'name')), `${path}.tool_use.name`),
    ...(/^[A-Za-z0-9_-]+$/.test(text(field(call, 'id'))) ? [] : [`${path}.tool_use.id: must match [A-Za-z0-9_-]+`]),
    ...(typeof input === 'object' && input !== null && !Array.isArray(input)
      ? []
      : [`${path}.tool_use.input: must be an object`]),
  ];
};

/** Each call is answered once, in the very next message, and each result has its call in the one before. */
const checkPairs = (messages: readonly Json[], i: number): readonly string[] => {
  const calls = idsOf(blocksOf(messages[i]), 'tool_use', 'id');
  const answers = idsOf(blocksOf(messages[i + 1]), 'tool_result', 'tool_use_id');
  const before = idsOf(blocksOf(messages[i - 1]), 'tool_use', 'id');
  const results = idsOf(blocksOf(messages[i]), 'tool_result', 'tool_use_id');
  return [
    ...calls
      .filter((id) => !answers.includes(id))
      .map((id) => `messages.${i}: tool_use "${id}" has no tool_result in the next message`),
    ...results
      .filter((id) => !before.includes(id))
      .map((id) => `messages.${i}: tool_result "${id}" has no tool_use in the message before`),
    ...repeated(results).map((id) => `messages.${i}: two results for "${id}"`),
  ];
};

type Known = { readonly blocks: readonly Json[]; readonly origins: ReturnType<typeof originsByCall> };

/** Signed thinking comes back byte for byte and in order, or (thinking being off) not at all. */
const checkThoughts = (message: Json, known: Known, on: boolean, path: string): readonly string[] => {
  const blocks = blocksOf(message);
  const thoughts = blocks.filter(isThought);
  const origins = idsOf(blocks, 'tool_use', 'id').flatMap((id) => known.origins.get(id) ?? []);
  if (origins.length > 0) {
    const same = origins.some((reply) => sameJson([...reply.thoughts], [...thoughts]));
    return same || (thoughts.length === 0 && !on)
      ? []
      : [`${path}: thinking blocks were changed, left out or reordered`];
  }
  if (known.blocks.length === 0) return [];
  return thoughts
    .filter((thought) => !known.blocks.some((block) => sameJson(block, thought)))
    .map(() => `${path}: a signed thinking block is not as it was sent`);
};

const thinks = (body: Json): boolean => ['enabled', 'adaptive'].includes(text(dig(body, 'thinking', 'type')));

/** With thinking enabled, a reply whose results are being sent must begin with its thinking. */
const checkThinking = (body: Json, messages: readonly Json[]): readonly string[] => {
  if (text(dig(body, 'thinking', 'type')) !== 'enabled') return [];
  const last = blocksOf(messages.findLast((message) => roleOf(message) === 'assistant'));
  const pending = ofType(blocksOf(messages.at(-1)), 'tool_result').length > 0 && ofType(last, 'tool_use').length > 0;
  return pending && !last.slice(0, 1).some(isThought)
    ? ['thinking is enabled, so the last assistant message must start with a thinking block']
    : [];
};

const checkPictures = (messages: readonly Json[]): readonly string[] => {
  const pictures = messages
    .flatMap(blocksOf)
    .flatMap((block) => [block, ...list(field(block, 'content'))])
    .filter((block) => typeOf(block) === 'image' && dig(block, 'source', 'type') === 'base64');
  return pictures.flatMap((picture) =>
    checkImage(text(dig(picture, 'source', 'data')), text(dig(picture, 'source', 'media_type')), pictures.length),
  );
};
