import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { RECORDED, read, sse } from './support.ts';

/** The official SDKs are the oracle: fed the same recorded stream, they must see the same message. */
const answering = (body: string, name: 'event' | 'data') => async () => {
  const named = body.replace(/data: (\{"type":"([^"]+)")/g, 'event: $2\ndata: $1');
  const headers = { 'content-type': 'text/event-stream' };
  return new Response(name === 'event' ? named : body, { headers });
};

test('anthropic: the same stream gives the SDK the same content, stop and usage', async () => {
  const body = sse(...RECORDED.anthropic);
  const client = new Anthropic({ apiKey: 'x', fetch: answering(body, 'event'), maxRetries: 0 });
  const theirs = await client.messages
    .stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] })
    .finalMessage();
  const ours = await read('anthropic', body);
  expect(ours.raw?.content).toEqual(JSON.parse(JSON.stringify(theirs.content)));
  expect(ours.usage).toMatchObject({ output: theirs.usage.output_tokens, input: theirs.usage.input_tokens });
});

test('openai-chat: the same stream gives the SDK the same message', async () => {
  const body = sse(...RECORDED['openai-chat']);
  const client = new OpenAI({ apiKey: 'x', fetch: answering(body, 'data'), maxRetries: 0 });
  const theirs = await client.chat.completions
    .stream({ model: 'm', messages: [{ role: 'user', content: 'hi' }], stream_options: { include_usage: true } })
    .finalChatCompletion();
  const ours = await read('openai-chat', body);
  const message = theirs.choices[0]?.message;
  const calls = message?.tool_calls?.map((call) =>
    call.type === 'function'
      ? { id: call.id, type: call.type, function: { name: call.function.name, arguments: call.function.arguments } }
      : call,
  );
  expect(ours.raw?.content).toMatchObject({ role: 'assistant', content: message?.content, tool_calls: calls });
  expect(ours.usage?.output).toBe(theirs.usage?.completion_tokens);
});

test('openai-responses: the same stream gives the SDK the same items', async () => {
  const body = sse(...RECORDED['openai-responses']);
  const client = new OpenAI({ apiKey: 'x', fetch: answering(body, 'event'), maxRetries: 0 });
  const theirs = await client.responses.stream({ model: 'm', input: 'hi' }).finalResponse();
  const ours = await read('openai-responses', body);
  const plain = theirs.output.map((item) => {
    const { parsed_arguments, ...rest } = Object.assign({ parsed_arguments: null }, item);
    return rest;
  });
  expect(JSON.stringify(ours.raw?.content)).toBe(JSON.stringify(plain).replaceAll(',"parsed":null', ''));
});
