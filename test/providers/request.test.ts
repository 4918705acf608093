import { expect, test } from 'vitest';
import type { Json, Request } from '../../src/core/types.ts';
import { createCatalog, createModel, findKey, firstVendor, resolveModel } from '../../src/providers/index.ts';
import { endpoint } from '../../src/providers/model.ts';
import {
  ask,
  type Canned,
  callsOf,
  canned,
  DIALECTS,
  fakeClock,
  modelOf,
  RECORDED,
  run,
  sse,
  user,
  VENDOR,
} from './support.ts';

const ok = (dialect: 'anthropic' | 'openai-chat' | 'openai-responses'): Canned => ({ body: sse(...RECORDED[dialect]) });
const refuse = (message: string): Canned => ({ status: 400, body: JSON.stringify({ error: { message } }) });
const parse = (body = '{}'): { [key: string]: Json } => JSON.parse(body);

test('B31 an optional field that a server refuses is dropped, and stays dropped', async () => {
  const cases: readonly (readonly [string, 'openai-chat' | 'openai-responses' | 'anthropic', string])[] = [
    ['stream_options', 'openai-chat', "Unrecognized request argument supplied: 'stream_options'"],
    ['reasoning_effort', 'openai-chat', '`reasoning_effort` is not supported with this model'],
    ['max_completion_tokens', 'openai-chat', 'Unknown field max_completion_tokens'],
    ['store', 'openai-responses', 'Unsupported parameter: store'],
    ['include', 'openai-responses', 'include: extra fields not permitted'],
    ['thinking', 'anthropic', 'thinking: adaptive thinking is not supported on this model'],
    ['cache_control', 'anthropic', 'tools.3.cache_control: Extra inputs are not permitted'],
  ];
  for (const [field, dialect, message] of cases) {
    const fetch = canned(refuse(message), ok(dialect));
    const model = modelOf(VENDOR[dialect], fetch, { effort: 'high' });
    expect((await run(model)).reply.stop).toBe('calls');
    await run(model);
    const held = fetch.sent.map(({ body }) => body.includes(`"${field}":`));
    expect([field, held]).toEqual([field, [true, false, false]]);
  }
});

test('B31 the limit has two names: the other one is tried', async () => {
  const message = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.";
  const fetch = canned(refuse(message), ok('openai-chat'));
  await run(modelOf('deepseek/deepseek-v4-pro', fetch));
  expect(fetch.sent.map(({ body }) => /"(max_\w+)":/.exec(body)?.[1])).toEqual(['max_tokens', 'max_completion_tokens']);
});

test('B31 a refusal that names no optional field is final', async () => {
  const fetch = canned(refuse('messages.1.content: invalid'), ok('anthropic'));
  expect((await run(modelOf(VENDOR.anthropic, fetch))).reply.failure?.kind).toBe('request');
  expect(fetch.sent.length).toBe(1);
});

test('A27 a server that refuses an image is asked without images', async () => {
  const fetch = canned(refuse('Could not process image: unsupported format'), ok('anthropic'));
  const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
  const { reply } = await run(modelOf(VENDOR.anthropic, fetch), ask({ role: 'user', content: [image] }));
  expect([reply.stop, fetch.sent.length]).toEqual(['calls', 2]);
  expect(fetch.sent[1]?.body).toContain('[Image left out');
});

test('B31 a tool without properties gets them, and a root that providers refuse is put right', async () => {
  const tools = [
    { name: 'a', description: 'a', input: { type: 'object' } },
    { name: 'b', description: 'b', input: { $schema: 'x', anyOf: [{}], properties: { p: { anyOf: [] } } } },
  ];
  for (const dialect of DIALECTS) {
    const fetch = canned(ok(dialect));
    await run(modelOf(VENDOR[dialect], fetch), { ...ask(), tools });
    expect(fetch.sent[0]?.body).toContain('{"type":"object","properties":{}}');
    expect(fetch.sent[0]?.body).toContain('{"type":"object","properties":{"p":{"anyOf":[]}}}');
  }
});

async function budgetOf(name: string, request: Request, more: Parameters<typeof createCatalog>[0] = {}) {
  const spec = resolveModel(name, createCatalog(more));
  if (typeof spec === 'string') throw new Error(spec);
  const fetch = canned({ body: '' });
  await run(createModel({ spec, fetch, clock: fakeClock(), key: 'key-key-key' }), request);
  return parse(fetch.sent[0]?.body)['max_tokens'];
}

test('B26 the output budget is what the window leaves, above a floor, and never small by default', async () => {
  const models = { 'ollama/tiny': { window: 10_000, output: 10_000 } };
  const long = ask(user('word '.repeat(3200)));
  const budget = Number(await budgetOf('ollama/tiny', long, { models }));
  expect(budget).toBeGreaterThan(2000);
  expect(budget + 4000).toBeLessThanOrEqual(10_000);
  expect(await budgetOf('ollama/tiny', ask(user('word '.repeat(20_000))), { models })).toBe(2500);
  expect(await budgetOf('ollama/unknown', ask())).toBe(8192);
  expect(await budgetOf('anthropic/claude-sonnet-5-5', ask())).toBe(32_000);
});

test('cache marks: tools, system and the last two user turns, at most four', async () => {
  const reply = (await run(modelOf(VENDOR.anthropic, canned(ok('anthropic'))))).reply;
  const fetch = canned(ok('anthropic'));
  const result = { role: 'result', call: 'own1', name: 'write', content: [], failed: true, how: 'ran' } as const;
  await run(modelOf(VENDOR.anthropic, fetch), ask(user('a'), reply, result));
  const body = parse(fetch.sent[0]?.body);
  expect(JSON.stringify(body).split('cache_control').length - 1).toBe(4);
  for (const key of ['tools', 'system', 'messages']) expect(JSON.stringify(body[key])).toMatch(/ephemeral"\}\}\]/);
});

test('effort is asked for as each dialect and vendor wants it', async () => {
  const cases: readonly (readonly [string, string, Json])[] = [
    ['anthropic/claude-opus-5-5', 'high', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    ['anthropic/claude-opus-5-5', 'off', { output_config: { effort: 'low' } }],
    ['anthropic/claude-haiku-4-5', 'low', { thinking: { type: 'enabled', budget_tokens: 4096 } }],
    ['openai/gpt-5.6-sol', 'medium', { reasoning: { effort: 'medium', summary: 'auto' } }],
    ['openai/gpt-5.6-sol', 'off', { reasoning: { effort: 'none' } }],
    ['groq/openai/gpt-oss-120b', 'low', { reasoning_effort: 'low' }],
    ['openrouter/x/y', 'high', { reasoning: { effort: 'high' } }],
    ['openrouter/x/y', 'off', { reasoning: { enabled: false } }],
    ['deepseek/deepseek-v4-pro', 'xhigh', { thinking: { type: 'enabled' }, reasoning_effort: 'max' }],
    ['deepseek/deepseek-v4-pro', 'off', { thinking: { type: 'disabled' } }],
  ];
  for (const [name, effort, expected] of cases) {
    const fetch = canned({ body: '' });
    await run(modelOf(name, fetch, { effort }));
    const body = parse(fetch.sent[0]?.body);
    const keys = ['thinking', 'output_config', 'reasoning', 'reasoning_effort'].filter((key) => key in body);
    expect([name, Object.fromEntries(keys.map((key) => [key, body[key]]))]).toEqual([name, expected]);
  }
});

test('names: vendor, model, effort, colons and slashes; what is unknown is said', () => {
  const catalog = createCatalog();
  const named = (asked: string) => {
    const spec = resolveModel(asked, catalog);
    return typeof spec === 'string' ? spec : [spec.vendor, spec.model, spec.effort ?? ''];
  };
  expect(named('anthropic/claude-opus-5-5:high')).toEqual(['anthropic', 'claude-opus-5-5', 'high']);
  expect(named('anthropic')).toEqual(['anthropic', 'claude-sonnet-5-5', '']);
  expect(named('claude-opus-5-5')).toEqual(['anthropic', 'claude-opus-5-5', '']);
  expect(named('ollama/qwen3:8b')).toEqual(['ollama', 'qwen3:8b', '']);
  expect(named('openrouter/deepseek/r1:free')).toEqual(['openrouter', 'deepseek/r1:free', '']);
  expect(named('ollama')).toMatch(/Which model of ollama/);
  expect(named('nobody/x')).toMatch(/Unknown vendor.*anthropic/);
  expect(named('mystery')).toMatch(/Which vendor/);
  expect(named('')).toMatch(/vendor\/model/);
  expect(resolveModel('anthropic/claude-haiku-4-5-20251001', catalog)).toMatchObject({ window: 200_000 });
});

test('a user’s own endpoint and prices lie over the catalog', async () => {
  const catalog = createCatalog({
    vendors: { mine: { baseUrl: 'http://127.0.0.1:9/x/', dialect: 'anthropic', keys: [] } },
    models: { 'mine/m': { price: { input: 1, output: 2, cacheRead: 0.5 } } },
  });
  const spec = resolveModel('mine/m', catalog);
  if (typeof spec === 'string') throw new Error(spec);
  const fetch = canned(ok('anthropic'));
  const { reply } = await run(createModel({ spec, fetch, clock: fakeClock() }));
  expect(fetch.sent[0]?.url).toBe('http://127.0.0.1:9/x/v1/messages');
  expect(reply.usage?.cost).toBeCloseTo((100 + 42 * 2 + 900 * 0.5) / 1e6, 12);
  const { reply: unpriced } = await run(modelOf('anthropic/claude-haiku-5-5', canned(ok('anthropic'))));
  expect(unpriced.usage).toBeDefined();
  expect(unpriced.usage).not.toHaveProperty('cost');
});

test('keys: the best variable that is set, tokens as bearer, none where none is needed', async () => {
  const catalog = createCatalog();
  const spec = resolveModel('anthropic', catalog);
  if (typeof spec === 'string') throw new Error(spec);
  const token = findKey(spec, { ANTHROPIC_API_KEY: ' ', ANTHROPIC_AUTH_TOKEN: 'tok' });
  expect(token).toEqual({ variable: 'ANTHROPIC_AUTH_TOKEN', key: 'tok', bearer: true });
  expect(firstVendor(catalog, { GEMINI_API_KEY: 'x', OPENAI_API_KEY: 'y' })).toBe('openai');
  expect(firstVendor(catalog, {})).toBeUndefined();
  const fetch = canned(ok('anthropic'));
  await run(createModel({ spec, fetch, clock: fakeClock(), ...(token ? { key: token } : {}) }));
  expect(fetch.sent[0]?.headers['authorization']).toBe('Bearer tok');
  const none = await run(createModel({ spec, fetch, clock: fakeClock() }));
  expect(none.reply.failure).toMatchObject({ kind: 'auth', message: expect.stringContaining('ANTHROPIC_API_KEY') });
  const odd = await run(createModel({ spec, fetch, clock: fakeClock(), key: 'a\nb' }));
  expect(odd.reply.failure?.kind).toBe('auth');
  expect(fetch.sent.length).toBe(1);
});

test('base URLs with a slash, with and without the version', () => {
  expect(endpoint('http://h/v1/', '/v1/messages')).toBe('http://h/v1/messages');
  expect(endpoint('http://h', '/v1/messages')).toBe('http://h/v1/messages');
  expect(endpoint('http://h/v1', '/chat/completions')).toBe('http://h/v1/chat/completions');
});

test('the first request asks for tools by their names, and a reply calls them', async () => {
  for (const dialect of DIALECTS) {
    const fetch = canned(ok(dialect));
    const { reply } = await run(modelOf(VENDOR[dialect], fetch));
    expect(callsOf(reply)).toHaveLength(1);
    expect(parse(fetch.sent[0]?.body)).toMatchObject({ stream: true });
  }
});
