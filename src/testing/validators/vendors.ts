import { field, isObject, list, text } from '../../core/json.ts';
import type { Json } from '../../core/types.ts';
import { dig } from '../json.ts';
import type { Served } from '../turn.ts';
import { callsOf, idOf, roleOf, strictChat } from './openai-chat.ts';
import { originsByCall } from './served.ts';

const messagesOf = (body: Json): readonly Json[] => list(field(body, 'messages'));

/** Two neighbours of the same role, which servers with a strict template refuse. */
const checkNeighbours = (messages: readonly Json[]): readonly string[] =>
  messages.flatMap((message, i) => {
    const role = roleOf(message);
    return i > 0 && role !== 'tool' && role === roleOf(messages[i - 1])
      ? [`messages.${i}: two of role ${role} in a row`]
      : [];
  });

/**
 * STRICT-G, restated for Gemini's OpenAI-compatible endpoint: the signature is on the call that carried it
 * (`extra_content.google.thought_signature`) and on no other, `required` is a subset of `properties`, roles alternate
 * (results and the user text after them are one turn there), each call has its response.
 */
export const strictGemini = (body: Json, served: readonly Served[] = []): readonly string[] => {
  const sent = originsByCall(served.filter((reply) => reply.vendor === 'gemini'));
  return [
    ...strictChat(body),
    ...checkNeighbours(messagesOf(body)),
    ...messagesOf(body)
      .flatMap(callsOf)
      .flatMap((call) => {
        const signature = dig(call, 'extra_content', 'google', 'thought_signature');
        const origins = (sent.get(idOf(call)) ?? []).flatMap((reply) =>
          reply.calls.filter((other) => other.id === idOf(call)),
        );
        if (origins.length === 0) return [];
        return origins.some((origin) => origin.signature === signature)
          ? []
          : [`tool call "${idOf(call)}": thought_signature is not the one that it carried`];
      }),
    ...list(field(body, 'tools')).flatMap((tool) => checkRequired(dig(tool, 'function', 'parameters'), toolName(tool))),
  ];
};

const toolName = (tool: Json): string => text(dig(tool, 'function', 'name'));

const checkRequired = (schema: Json | undefined, path: string): readonly string[] => {
  if (Array.isArray(schema)) return schema.flatMap((item: Json, i) => checkRequired(item, `${path}.${i}`));
  if (!isObject(schema)) return [];
  // Where `properties` is itself a property's name, its value has no list under `required`.
  const names = Object.keys(isObject(schema['properties']) ? schema['properties'] : {});
  return [
    ...list(schema['required'])
      .filter((name) => !names.includes(text(name)))
      .map((name) => `${path}: required "${text(name)}" is not among the properties`),
    ...Object.entries(schema).flatMap(([key, member]) => checkRequired(member, `${path}.${key}`)),
  ];
};

/** STRICT-M: Mistral's ids are exactly 9 letters and digits; after `tool` comes `assistant`; system text is first. */
export const strictMistral = (body: Json): readonly string[] => {
  const messages = messagesOf(body);
  const ids = messages.flatMap((message) => [
    ...callsOf(message).map(idOf),
    ...(roleOf(message) === 'tool' ? [text(field(message, 'tool_call_id'))] : []),
  ]);
  return [
    ...strictChat(body),
    ...checkNeighbours(messages),
    ...[...new Set(ids)]
      .filter((id) => !/^[A-Za-z0-9]{9}$/.test(id))
      .map((id) => `tool call id "${id}" must be exactly 9 of [A-Za-z0-9]`),
    ...messages.flatMap((message, i) => {
      const before = roleOf(messages[i - 1]);
      if (before === 'tool' && !['tool', 'assistant'].includes(roleOf(message)))
        return [`messages.${i}: unexpected role ${roleOf(message)} after tool`];
      return i > 0 && roleOf(message) === 'system' ? [`messages.${i}: system text after the start`] : [];
    }),
  ];
};

/** STRICT-DS: in DeepSeek's thinking mode a message with calls comes back with the `reasoning_content` it came with. */
export const strictDeepseek = (body: Json, served: readonly Served[] = []): readonly string[] => {
  const sent = originsByCall(served.filter((reply) => reply.reasoning !== ''));
  const complaints = messagesOf(body).flatMap((message, i) => {
    const origins = callsOf(message).flatMap((call) => sent.get(idOf(call)) ?? []);
    const reasoning = text(field(message, 'reasoning_content'));
    return origins.length === 0 || origins.some((origin) => origin.reasoning === reasoning)
      ? []
      : [`messages.${i}: reasoning_content is not the one that came with its tool calls`];
  });
  return [...strictChat(body), ...complaints];
};
