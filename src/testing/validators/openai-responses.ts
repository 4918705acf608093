import { field, list, text, tryJson } from '../../core/json.ts';
import type { Json } from '../../core/types.ts';
import type { Served } from '../turn.ts';
import { originsByCall } from './served.ts';
import { checkName, checkText, repeated } from './text.ts';

const typeOf = (item: Json | undefined): string => text(field(item, 'type')) || (field(item, 'role') ? 'message' : '');
const callId = (item: Json): string => text(field(item, 'call_id'));
const isOwn = (item: Json | undefined): boolean =>
  field(item, 'role') === 'assistant' || typeOf(item) === 'function_call';

/** STRICT-R: what OpenAI's Responses API refuses. `served` is what the server sent before. An empty list is a pass. */
export const strictResponses = (body: Json, served: readonly Served[] = []): readonly string[] => {
  const input = field(body, 'input');
  const items = list(input);
  const kept = field(body, 'store') !== false;
  const chained = kept && field(body, 'previous_response_id') !== undefined;
  return [
    ...checkText(body),
    ...(text(field(body, 'model')) === '' ? ['model: missing'] : []),
    ...(items.length === 0 && text(input) === '' ? ['input: missing'] : []),
    ...(isOwn(items.at(-1)) || typeOf(items.at(-1)) === 'reasoning'
      ? ['input must not end with the model’s own item']
      : []),
    ...(!kept && field(body, 'previous_response_id') ? ['previous_response_id: nothing is kept with store:false'] : []),
    ...items.flatMap((item, i) => checkItem(item, `input.${i}`)),
    ...checkPairs(items, chained),
    ...items.flatMap((item, i) => checkReasoning(item, items[i + 1], kept, `input.${i}`)),
    ...checkOrigin(items, served),
    ...list(field(body, 'tools')).flatMap((tool, i) => checkTool(tool, `tools.${i}`)),
  ];
};

const checkTool = (tool: Json, path: string): readonly string[] => {
  if (typeOf(tool) !== 'function') return typeOf(tool) === '' ? [`${path}.type: missing`] : [];
  return [
    ...checkName(text(field(tool, 'name')), `${path}.name`),
    ...(field(field(tool, 'parameters'), 'type') === 'object'
      ? []
      : [`${path}.parameters: the root must have type "object"`]),
  ];
};

const checkItem = (item: Json, path: string): readonly string[] => {
  const type = typeOf(item);
  if (type === 'function_call') {
    const sent = field(item, 'arguments');
    return [
      ...checkName(text(field(item, 'name')), `${path}.name`),
      ...(callId(item).length >= 1 && callId(item).length <= 64 ? [] : [`${path}.call_id: 1 to 64 characters`]),
      ...(typeof sent === 'string' && tryJson(sent) !== undefined
        ? []
        : [`${path}.arguments: must be a string that holds JSON`]),
    ];
  }
  if (type === 'function_call_output') {
    const output = field(item, 'output');
    return typeof output === 'string' || Array.isArray(output) ? [] : [`${path}.output: missing`];
  }
  if (type !== 'message') return [];
  const assistant = field(item, 'role') === 'assistant';
  return [
    ...(field(item, 'content') === undefined ? [`${path}.content: missing`] : []),
    ...list(field(item, 'content'))
      .map(typeOf)
      .filter((part) => (assistant ? !['output_text', 'refusal'].includes(part) : !part.startsWith('input_')))
      .map((part) => `${path}.content: type "${part}" in a message of role ${text(field(item, 'role'))}`),
  ];
};

const checkPairs = (items: readonly Json[], chained: boolean): readonly string[] => {
  const calls = items.filter((item) => typeOf(item) === 'function_call').map(callId);
  const outputs = items.filter((item) => typeOf(item) === 'function_call_output').map(callId);
  const early = items.filter(
    (item, i) =>
      typeOf(item) === 'function_call_output' &&
      !items.slice(0, i).some((other) => typeOf(other) === 'function_call' && callId(other) === callId(item)),
  );
  return [
    ...calls.filter((id) => !outputs.includes(id)).map((id) => `no output for function call "${id}"`),
    ...(chained ? [] : early.map((item) => `no function_call ahead of the output for "${callId(item)}"`)),
    ...repeated(calls).map((id) => `call_id "${id}" is not unique`),
    ...repeated(outputs).map((id) => `two outputs for "${id}"`),
  ];
};

const checkReasoning = (item: Json, next: Json | undefined, kept: boolean, path: string): readonly string[] => {
  if (typeOf(item) === 'item_reference' && !kept)
    return [`${path}: reference to an item that store:false did not keep`];
  if (typeOf(item) !== 'reasoning') return [];
  return [
    ...(isOwn(next) || typeOf(next) === 'reasoning' ? [] : [`${path}: reasoning without the item that it produced`]),
    ...(kept || text(field(item, 'encrypted_content')) !== ''
      ? []
      : [`${path}: reasoning without encrypted_content, and store:false kept nothing`]),
  ];
};

/** Reasoning is as it was sent, and a call does not come back without the reasoning it came with. */
const checkOrigin = (items: readonly Json[], served: readonly Served[]): readonly string[] => {
  const own = served.filter((reply) => reply.dialect === 'openai-responses' && reply.thoughts.length > 0);
  const known = own.flatMap((reply) => reply.thoughts);
  const sent = items.filter((item) => typeOf(item) === 'reasoning');
  const sealed = (item: Json) => text(field(item, 'encrypted_content'));
  const foreign = sent.filter((item) => !known.some((thought) => sealed(thought) === sealed(item)));
  const origins = originsByCall(own);
  const bare = items.filter(
    (item) =>
      typeOf(item) === 'function_call' &&
      origins.has(callId(item)) &&
      !origins
        .get(callId(item))
        ?.some(({ thoughts }) => thoughts.every((thought) => sent.some((other) => sealed(thought) === sealed(other)))),
  );
  return [
    ...(known.length === 0 ? [] : foreign.map(() => 'a reasoning item is not as it was sent')),
    ...bare.map((item) => `function_call "${callId(item)}" came back without its reasoning`),
  ];
};
