import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { renderReply, type Scenario, type ServerOptions, startServer } from '../../src/testing/index.ts';

const serve = async (scenario: Scenario, options?: ServerOptions) => {
  const server = await startServer(scenario, options);
  onTestFinished(() => server.close());
  return server;
};

const anthropicAt = (baseURL: string) => new Anthropic({ baseURL, apiKey: 'k', maxRetries: 0 });
const openaiAt = (baseURL: string) => new OpenAI({ baseURL, apiKey: 'k', maxRetries: 0 });

const ask = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] };
const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };
const reply = { thinking: ' hm\n', text: 'Grüße 日本😀', calls: [{ name: 'bash', input: { command: 'echo "ü"' } }] };

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

test.each([undefined, { every: 1 }, { at: [3, 7] }])(
  'Anthropic’s SDK reads a streamed reply, chunking %o',
  async (chunking) => {
    const server = await serve([reply], chunking ? { chunking } : {});
    const message = await anthropicAt(server.url).messages.stream(ask).finalMessage();
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: ' hm\n', signature: expect.stringMatching(/.{20}/) },
      { type: 'text', text: 'Grüße 日本😀' },
      { type: 'tool_use', id: expect.stringMatching(/^toolu_[A-Za-z0-9]{24}$/), input: { command: 'echo "ü"' } },
    ]);
    expect(message.stop_reason).toBe('tool_use');
    expect(message.usage.output_tokens).toBeGreaterThan(0);
    expect(server.violations).toEqual([]);
  },
);

test('Anthropic’s SDK carries a whole tool round, and the scenario sees prompt and rounds', async () => {
  const server = await serve((asked) =>
    asked.rounds.length === 0 ? reply : { text: `${asked.prompt}:${asked.rounds[0]?.[0]?.text}`, stop: 'length' },
  );
  const client = anthropicAt(server.url);
  const first = await client.messages.stream(ask).finalMessage();
  const call = first.content.find((block) => block.type === 'tool_use');
  const result = { type: 'tool_result' as const, tool_use_id: call?.id ?? '', content: 'out' };
  const messages = [
    ...ask.messages,
    { role: 'assistant' as const, content: first.content },
    { role: 'user' as const, content: [result] },
  ];
  const second = await client.messages.stream({ ...ask, messages }).finalMessage();
  expect(second).toMatchObject({ content: [{ type: 'text', text: 'hi:out' }], stop_reason: 'max_tokens' });
  expect(server.violations).toEqual([]);
});

test('OpenAI’s SDK reads a streamed chat reply with reasoning, calls and usage', async () => {
  const server = await serve([reply]);
  const stream = openaiAt(`${server.url}/v1`).chat.completions.stream({
    ...chat,
    stream_options: { include_usage: true },
  });
  const message = await stream.finalMessage();
  expect(message.content).toBe('Grüße 日本😀');
  expect(message.tool_calls).toMatchObject([
    { id: expect.stringMatching(/^call_.{24}$/), function: { name: 'bash', arguments: '{"command":"echo \\"ü\\""}' } },
  ]);
  expect((await stream.totalUsage()).completion_tokens).toBeGreaterThan(0);
});

test('OpenAI’s SDK reads a streamed Responses reply', async () => {
  const server = await serve([reply]);
  const stream = openaiAt(`${server.url}/v1`).responses.stream({ model: 'm', input: 'hi', store: false });
  const response = await stream.finalResponse();
  expect(response.status).toBe('completed');
  expect(response.output).toMatchObject([
    { type: 'reasoning', summary: [{ text: ' hm\n' }], encrypted_content: expect.any(String) },
    { type: 'message', content: [{ type: 'output_text', text: 'Grüße 日本😀' }] },
    { type: 'function_call', name: 'bash', arguments: '{"command":"echo \\"ü\\""}' },
  ]);
  expect(response.output_text).toBe('Grüße 日本😀');
});

test('all three dialects answer whole where the request does not stream', async () => {
  const server = await serve(() => reply);
  const openai = openaiAt(`${server.url}/v1`);
  expect((await anthropicAt(server.url).messages.create(ask)).content).toHaveLength(3);
  expect((await openai.chat.completions.create(chat)).choices[0]?.finish_reason).toBe('tool_calls');
  expect((await openai.responses.create({ model: 'm', input: 'hi' })).output_text).toBe('Grüße 日本😀');
});

test('models are listed for both SDKs', async () => {
  const server = await serve([], { models: ['a', 'b'] });
  expect((await anthropicAt(server.url).models.list()).data.map((model) => model.id)).toEqual(['a', 'b']);
  expect((await openaiAt(`${server.url}/v1`).models.list()).data.map((model) => model.id)).toEqual(['a', 'b']);
});

test('a vendor’s prefix chooses its ids, its validator and its error shape', async () => {
  const server = await serve(() => ({ calls: [{ name: 'bash', signature: 'S1' }] }));
  const url = `${server.url}/mistral/v1/chat/completions`;
  const body: { choices: [{ message: { tool_calls: [{ id: string }] } }] } = JSON.parse(
    await (await post(url, chat)).text(),
  );
  expect(body.choices[0].message.tool_calls[0].id).toMatch(/^[A-Za-z0-9]{9}$/);
  const bad = { model: 'm', messages: [] };
  expect(await (await post(url, bad)).json()).toMatchObject({ object: 'error', type: 'invalid_request_error' });
  const gemini = await post(`${server.url}/v1beta/openai/chat/completions`, bad);
  expect(await gemini.json()).toMatchObject([{ error: { code: 400, status: 'INVALID_ARGUMENT' } }]);
  const signed = await (await post(`${server.url}/gemini/chat/completions`, chat)).text();
  expect(signed).toContain('"extra_content":{"google":{"thought_signature":"S1"}}');
  expect(server.requests.map((request) => request.asked?.vendor)).toEqual(['mistral', 'mistral', 'gemini', 'gemini']);
});

test('an invalid request is answered as the provider would, recorded, and costs no turn', async () => {
  const server = await serve([{ text: 'one' }]);
  const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
  const url = `${server.url}/v1/messages`;
  const bad = await post(url, { ...ask, messages: [...ask.messages, { role: 'assistant', content: 'x' }] }, headers);
  expect(bad.status).toBe(400);
  expect(await bad.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  expect(server.violations).toEqual([expect.stringMatching(/^request 1: .*must not be assistant/)]);
  expect((await post(url, ask, { 'anthropic-version': '2023-06-01' })).status).toBe(401);
  expect((await post(url, ask, headers)).status).toBe(200);
  expect(await (await post(url, ask, headers)).text()).toContain('the scenario has only 1 turns');
  expect((await fetch(url, { method: 'POST', headers, body: '{' })).status).toBe(400);
  expect((await post(`${server.url}/v1/other`, {})).status).toBe(404);
});

test('requests are recorded with path, headers and the exact bytes of their body', async () => {
  const server = await serve([{ text: 'one' }]);
  const body = '{ "model":"m", "messages":[{"role":"user","content":"ü"}] }';
  await (await fetch(`${server.url}/chat/completions`, { method: 'POST', headers: { 'x-mark': '1' }, body })).text();
  const [request] = server.requests;
  expect(request).toMatchObject({ path: '/chat/completions', headers: { 'x-mark': '1' } });
  expect(new TextDecoder().decode(request?.raw)).toBe(body);
  await expect.poll(() => request?.outcome()).toBe('sent');
});

test('status turns carry their headers and body, raw turns their bytes', async () => {
  const bytes = renderReply('openai-chat', { text: 'raw' }).replaceAll('\n', '\r\n');
  const server = await serve([
    { status: 429, headers: { 'retry-after': '2' } },
    { status: 413, body: '<html>' },
    { raw: [bytes.slice(0, 50), 20, new TextEncoder().encode(bytes.slice(50))] },
  ]);
  const url = `${server.url}/v1/chat/completions`;
  const limited = await post(url, chat);
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2']);
  expect(await limited.json()).toMatchObject({ error: { type: 'rate_limit_exceeded' } });
  expect(await (await post(url, chat)).text()).toBe('<html>');
  expect(await (await post(url, chat)).text()).toBe(bytes);
});

test('a response may hang, be reset, or be closed, before or in the middle of it', async () => {
  const cut = (how: 'hang' | 'reset' | 'close' | 'error') => ({
    text: 'one two three four five',
    cut: { after: 3, how },
  });
  const server = await serve([
    { fail: 'reset' },
    { fail: 'close' },
    { fail: 'hang' },
    cut('reset'),
    cut('close'),
    cut('hang'),
    cut('error'),
  ]);
  const url = `${server.url}/v1/chat/completions`;
  const body = { ...chat, stream: true };
  await expect(post(url, body)).rejects.toThrow();
  await expect(post(url, body)).rejects.toThrow();
  const controller = new AbortController();
  const silent = fetch(url, { method: 'POST', body: JSON.stringify(body), signal: controller.signal });
  silent.catch(() => {});
  await expect.poll(() => server.requests.length).toBe(3);
  controller.abort();
  await expect(silent).rejects.toThrow();
  await expect.poll(() => server.requests[2]?.outcome()).toBe('left');
  await expect(post(url, body).then((response) => response.text())).rejects.toThrow();
  const closed = await (await post(url, body)).text();
  expect(closed.split('\n\n').filter(Boolean)).toHaveLength(3);
  const stalled = (await post(url, body)).body?.getReader();
  expect(new TextDecoder().decode((await stalled?.read())?.value)).toContain('data: ');
  await stalled?.cancel();
  await expect.poll(() => server.requests[5]?.outcome()).toBe('left');
  expect(await (await post(url, body)).text()).toContain('scripted overload');
});

test('signed thinking, call signatures and reasoning are remembered, and other bytes are refused', async () => {
  const server = await serve(() => reply);
  const client = anthropicAt(server.url);
  const first = await client.messages.stream(ask).finalMessage();
  const call = first.content.find((block) => block.type === 'tool_use');
  const result = { type: 'tool_result' as const, tool_use_id: call?.id ?? '', content: 'out' };
  const trimmed = first.content.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'hm' } : block));
  const history = (content: Anthropic.ContentBlockParam[]) => [
    ...ask.messages,
    { role: 'assistant' as const, content },
    { role: 'user' as const, content: [result] },
  ];
  await expect(client.messages.create({ ...ask, messages: history(trimmed) })).rejects.toThrow(/thinking blocks/);
  // A second server knows what the first one sent: the resumed session.
  const resumed = await serve(() => reply, { served: server.served });
  const again = anthropicAt(resumed.url);
  await again.messages.create({ ...ask, messages: history(first.content) });
  await expect(again.messages.create({ ...ask, messages: history(trimmed) })).rejects.toThrow(/thinking blocks/);
});

test('a scenario that throws is a violation, not a hang', async () => {
  const server = await serve(() => {
    throw new Error('mistake');
  });
  expect(await (await post(`${server.url}/v1/chat/completions`, chat)).text()).toContain('mistake');
  expect(server.violations).toHaveLength(1);
});

test('property: however the bytes are cut, the text arrives whole', async () => {
  const texts: string[] = [];
  const cuts = fc.array(fc.nat(400), { maxLength: 8 }).map((at) => [...new Set(at)].sort((a, b) => a - b));
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 40 }), cuts, async (text, at) => {
      const server = await startServer([{ text }], { chunking: { at } });
      const body = await (await post(`${server.url}/v1/chat/completions`, { ...chat, stream: true })).text();
      await server.close();
      expect(body.isWellFormed()).toBe(true);
      const data = body.split('\n\n').flatMap((event) => (event.startsWith('data: {') ? [event.slice(6)] : []));
      texts.push(text);
      const deltas = data.map((line): { choices: { delta: { content?: string | null } }[] } => JSON.parse(line));
      expect(deltas.map((delta) => delta.choices[0]?.delta.content ?? '').join('')).toBe(text);
    }),
    { numRuns: 30 },
  );
  expect(texts.length).toBeGreaterThan(0);
});
