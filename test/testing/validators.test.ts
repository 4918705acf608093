import { expect, test } from 'vitest';
import type { Json } from '../../src/core/types.ts';
import {
  type Served,
  strictAnthropic,
  strictDeepseek,
  strictGemini,
  strictMistral,
  strictOpenai,
  strictResponses,
  type Validator,
} from '../../src/testing/index.ts';

type Row = readonly [name: string, body: Json, complaint: RegExp | null, served?: readonly Served[]];

const table = (validator: Validator, rows: readonly Row[]) => {
  for (const [name, body, complaint, served] of rows) {
    test(`${validator.name} ${complaint ? 'refuses' : 'takes'} ${name}`, () => {
      const found = validator(body, served);
      if (complaint) expect(found.join('\n')).toMatch(complaint);
      else expect(found).toEqual([]);
    });
  }
};

// ── STRICT-A ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const user = (...content: Json[]): Json => ({ role: 'user', content });
const model = (...content: Json[]): Json => ({ role: 'assistant', content });
const text = (words: string): Json => ({ type: 'text', text: words });
const use = (id: string, name = 'bash', input: Json = {}): Json => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: Json = 'out'): Json => ({ type: 'tool_result', tool_use_id: id, content });
const thought = (words: string, signature = 'c2ln'): Json => ({ type: 'thinking', thinking: words, signature });
const redacted: Json = { type: 'redacted_thinking', data: 'AAA=' };
const head = { model: 'm', max_tokens: 9000 };
const A = (messages: Json[], more: { readonly [key: string]: Json } = {}): Json => ({ ...head, ...more, messages });
const hi = user(text('hi'));
const tool = (name: string, input_schema: Json): Json => ({ name, description: 'x', input_schema });
const png = (width: number, height: number, bytes = 24): string => {
  const data = Buffer.alloc(bytes);
  data.writeUInt32BE(0x89504e47, 0);
  data.writeUInt32BE(width, 16);
  data.writeUInt32BE(height, 20);
  return data.toString('base64');
};
const image = (data: string, media_type = 'image/png'): Json => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
});
const servedA: Served[] = [
  {
    dialect: 'anthropic',
    vendor: 'anthropic',
    thoughts: [thought('  step\n'), redacted],
    reasoning: '',
    calls: [{ id: 't1' }],
  },
];
const on = { thinking: { type: 'enabled', budget_tokens: 2000 } };

table(strictAnthropic, [
  [
    'a good history',
    A([hi, model(text('ok'), use('t1'), use('t2')), user(result('t1'), result('t2'), text('go on'))]),
    null,
  ],
  ['plain strings as content', A([{ role: 'user', content: 'hi' }]), null],
  ['a call without a result (A01)', A([hi, model(use('t1')), user(text('go on'))]), /"t1" has no tool_result/],
  [
    'a result one message late',
    A([hi, model(use('t1')), user(text('a')), user(result('t1'))]),
    /"t1" has no tool_result/,
  ],
  ['a result without a call (A07)', A([user(result('t1'))]), /"t1" has no tool_use/],
  ['two results for one call', A([hi, model(use('t1')), user(result('t1'), result('t1'))]), /two results/],
  ['repeated ids (A16)', A([hi, model(use('a')), user(result('a')), model(use('a')), user(result('a'))]), /not unique/],
  ['an id with a colon (A18)', A([hi, model(use('bash:0')), user(result('bash:0'))]), /must match/],
  ['blank text (A11)', A([hi, model(text('\n\n'), use('t1')), user(result('t1'))]), /blank/],
  ['a blank string as content', A([{ role: 'user', content: ' ' }]), /blank/],
  ['blank text in a result (A12)', A([hi, model(use('t1')), user(result('t1', [text('')]))]), /blank/],
  ['an empty message (A10)', A([hi, model(), hi]), /must not be empty/],
  ['thinking alone (A10)', A([hi, model(thought('a')), hi]), /alone/],
  ['thinking that is not first', A([hi, model(text('a'), thought('b')), hi]), /must come first/],
  [
    'text ahead of results (A06)',
    A([hi, model(use('t1')), user(text('also'), result('t1'))]),
    /ahead of a tool_result/,
  ],
  ['a tool name with a dot (A29)', A([hi, model(use('t1', 'functions.bash')), user(result('t1'))]), /must match/],
  ['an empty tool name (A29)', A([hi, model(use('t1', '')), user(result('t1'))]), /must match/],
  ['input that is a string (A22)', A([hi, model(use('t1', 'bash', '{')), user(result('t1'))]), /must be an object/],
  ['a good tool list', A([hi], { tools: [tool('bash', { type: 'object', properties: {} })] }), null],
  ['a bad name in the tool list', A([hi], { tools: [tool('a b', { type: 'object' })] }), /must match/],
  ['a schema whose root is no object', A([hi], { tools: [tool('a', { type: 'string' })] }), /type "object"/],
  ['anyOf at a schema’s root', A([hi], { tools: [tool('a', { type: 'object', anyOf: [] })] }), /no anyOf/],
  [
    'two tools of one name',
    A([hi], { tools: [tool('a', { type: 'object' }), tool('a', { type: 'object' })] }),
    /not unique/,
  ],
  ['a picture', A([user(image(png(8000, 10)))]), null],
  ['a picture of 6 MB (A27)', A([user(image(png(1, 1, 6 * 1024 * 1024)))]), /5 MB/],
  ['a picture of 8001 px', A([user(image(png(8001, 10)))]), /8000 px/],
  ['2001 px among 21 pictures', A([user(...Array.from({ length: 21 }, () => image(png(2001, 9))))]), /2000 px/],
  ['a JPEG called PNG (A27)', A([user(image(Buffer.from('ffd8ffe0', 'hex').toString('base64')))]), /image\/jpeg/],
  ['a BMP (A27)', A([user(image(Buffer.from('BM123').toString('base64'), 'image/bmp'))]), /no PNG/],
  ['an empty picture in a result', A([hi, model(use('t1')), user(result('t1', [image('')]))]), /no PNG/],
  ['a lone surrogate (A20)', A([user(text('\ud83d'))]), /lone surrogate/],
  ['NUL (A21)', A([user(text('a\0b'))]), /NUL/],
  ['a trailing assistant message (A31)', A([hi, model(text('partial'))]), /must not be assistant/],
  ['a first message of the assistant', A([model(text('a')), hi]), /first role/],
  ['no max_tokens', { model: 'm', messages: [hi] }, /max_tokens/],
  [
    'five cache marks',
    A([user(...Array.from({ length: 5 }, () => ({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } })))]),
    /5 marks/,
  ],
  [
    'signed thinking as it came (A14)',
    A([hi, model(thought('  step\n'), redacted, use('t1')), user(result('t1'))]),
    null,
    servedA,
  ],
  [
    'trimmed thinking (A14)',
    A([hi, model(thought('step'), redacted, use('t1')), user(result('t1'))]),
    /changed/,
    servedA,
  ],
  [
    'reordered thinking',
    A([hi, model(redacted, thought('  step\n'), use('t1')), user(result('t1'))]),
    /changed/,
    servedA,
  ],
  ['thinking left out while it is on', A([hi, model(use('t1')), user(result('t1'))], on), /changed/, servedA],
  [
    'a changed block of a reply without calls',
    A([hi, model(thought('x'), text('a')), hi]),
    /not as it was sent/,
    servedA,
  ],
  [
    'thinking switched on in a tool loop (A15)',
    A([hi, model(use('t9')), user(result('t9'))], on),
    /must start with a thinking/,
  ],
  ['thinking on after the loop (A15)', A([hi, model(use('t9')), user(result('t9')), model(text('ok')), hi], on), null],
  ['a budget above max_tokens', A([hi], { thinking: { type: 'enabled', budget_tokens: 9000 } }), /budget_tokens/],
]);

// ── STRICT-O and the vendors of its dialect ──────────────────────────────────────────────────────────────────────────

const ask: Json = { role: 'user', content: 'hi' };
const call = (id: string, more: { readonly [key: string]: Json } = {}, args: Json = '{}', name = 'bash'): Json => ({
  id,
  type: 'function',
  function: { name, arguments: args },
  ...more,
});
const calls = (list: Json[], more: { readonly [key: string]: Json } = {}): Json => ({
  role: 'assistant',
  content: null,
  tool_calls: list,
  ...more,
});
const out = (tool_call_id: string): Json => ({ role: 'tool', tool_call_id, content: 'out' });
const O = (messages: Json[], tools: Json[] = []): Json => ({ model: 'm', messages, tools });
const done: Json = { role: 'assistant', content: 'ok' };
const fn = (parameters: Json): Json => ({ type: 'function', function: { name: 'a', parameters } });

table(strictOpenai, [
  [
    'a good history',
    O([{ role: 'system', content: 's' }, ask, calls([call('a'), call('b')]), out('b'), out('a'), ask]),
    null,
  ],
  ['an unanswered call (A01)', O([ask, calls([call('a'), call('b')]), out('a'), ask]), /"b" is not answered/],
  ['text between call and result (A06)', O([ask, calls([call('a')]), ask, out('a')]), /"a" is not answered/],
  ['an orphan result (A07)', O([ask, out('a')]), /follows no such/],
  ['two results for one call', O([ask, calls([call('a')]), out('a'), out('a')]), /two results/],
  ['empty and repeated ids (A17)', O([ask, calls([call(''), call('')]), out(''), out('')]), /0 characters/],
  ['an id of 41 characters (A18)', O([ask, calls([call('x'.repeat(41))]), out('x'.repeat(41))]), /41 characters/],
  ['broken arguments (A22)', O([ask, calls([call('a', {}, '{"a"')]), out('a')]), /holds JSON/],
  ['arguments that are no string', O([ask, calls([call('a', {}, {})]), out('a')]), /holds JSON/],
  ['missing content (A11)', O([ask, { role: 'assistant', tool_calls: [call('a')] }, out('a')]), /content: missing/],
  ['null content without calls', O([ask, { role: 'assistant', content: null }, ask]), /null only/],
  ['a trailing assistant message (A31)', O([ask, done]), /must not be assistant/],
  ['a lone surrogate (A20)', O([{ role: 'user', content: '\udc00' }]), /lone surrogate/],
  [
    'another vendor’s reasoning (A24)',
    O([ask, { role: 'assistant', content: 'a', reasoning_content: 'x' }, ask]),
    /unknown field/,
  ],
  ['another vendor’s signature (A25)', O([ask, calls([call('a', { extra_content: {} })]), out('a')]), /unknown field/],
  ['a bad tool name', O([ask, calls([call('a', {}, '{}', 'a.b')]), out('a')]), /must match/],
  ['a schema whose root is no object', O([ask], [fn({ type: 'array' })]), /type "object"/],
]);

const signed = { extra_content: { google: { thought_signature: 'S1' } } };
const servedG: Served[] = [
  {
    dialect: 'openai-chat',
    vendor: 'gemini',
    thoughts: [],
    reasoning: '',
    calls: [{ id: 'a', signature: 'S1' }, { id: 'b' }],
  },
];

table(strictGemini, [
  [
    'the signature where it was (A25)',
    O([ask, calls([call('a', signed), call('b')]), out('a'), out('b')]),
    null,
    servedG,
  ],
  ['a lost signature', O([ask, calls([call('a'), call('b')]), out('a'), out('b')]), /"a": thought_signature/, servedG],
  [
    'a copied signature',
    O([ask, calls([call('a', signed), call('b', signed)]), out('a'), out('b')]),
    /"b": thought_sig/,
    servedG,
  ],
  ['required beyond properties', O([ask], [fn({ type: 'object', properties: {}, required: ['x'] })]), /required "x"/],
  [
    'a property called required',
    O([ask], [fn({ type: 'object', properties: { required: { type: 'string' } } })]),
    null,
  ],
  ['two users in a row', O([ask, ask]), /two of role user/],
  ['fewer results than calls', O([ask, calls([call('c'), call('d')]), out('c')]), /"d" is not answered/],
]);

table(strictMistral, [
  ['a good history', O([ask, calls([call('abcDEF123')]), out('abcDEF123')]), null],
  ['a long id (A18)', O([ask, calls([call('call_12345')]), out('call_12345')]), /exactly 9/],
  ['user after tool (A26)', O([ask, calls([call('abcDEF123')]), out('abcDEF123'), ask]), /role user after tool/],
  ['a bridge after tool (A26)', O([ask, calls([call('abcDEF123')]), out('abcDEF123'), done, ask]), null],
  ['system text in the middle', O([ask, done, { role: 'system', content: 's' }, ask]), /after the start/],
  ['two users in a row', O([ask, ask]), /two of role user/],
]);

const servedDS: Served[] = [
  { dialect: 'openai-chat', vendor: 'deepseek', thoughts: [], reasoning: 'think', calls: [{ id: 'a' }] },
];

table(strictDeepseek, [
  [
    'the reasoning as it came (A24)',
    O([ask, calls([call('a')], { reasoning_content: 'think' }), out('a')]),
    null,
    servedDS,
  ],
  ['missing reasoning (A24)', O([ask, calls([call('a')]), out('a')]), /reasoning_content/, servedDS],
  ['calls of other models', O([ask, calls([call('z')]), out('z')]), null, servedDS],
]);

// ── STRICT-R ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const R = (input: Json, more: { readonly [key: string]: Json } = {}): Json => ({
  model: 'm',
  store: false,
  ...more,
  input,
});
const fc = (call_id: string, args: Json = '{}'): Json => ({
  type: 'function_call',
  call_id,
  name: 'bash',
  arguments: args,
});
const fo = (call_id: string): Json => ({ type: 'function_call_output', call_id, output: 'out' });
const rs = (encrypted_content = 'E1'): Json => ({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content });
const say: Json = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] };
const servedR: Served[] = [
  { dialect: 'openai-responses', vendor: 'openai', thoughts: [rs()], reasoning: '', calls: [{ id: 'a' }] },
];

table(strictResponses, [
  ['a string', R('hi'), null],
  ['a good history', R([ask, rs(), fc('a'), fc('b'), fo('a'), fo('b'), say, ask]), null, servedR],
  ['an output without its call', R([ask, fo('a')]), /no function_call/],
  ['a call without its output (A01)', R([ask, fc('a'), ask]), /no output/],
  ['two outputs for a call', R([ask, fc('a'), fo('a'), fo('a')]), /two outputs/],
  ['reasoning alone (A23)', R([ask, rs(), ask]), /without the item/],
  ['reasoning without its encrypted content (A23)', R([ask, rs(''), fc('a'), fo('a')]), /encrypted_content/],
  ['a bare reference', R([ask, { type: 'item_reference', id: 'rs_1' }, fc('a'), fo('a')]), /did not keep/],
  ['previous_response_id with store:false', R([ask], { previous_response_id: 'r' }), /nothing is kept/],
  ['a call without its reasoning (A23)', R([ask, fc('a'), fo('a')]), /without its reasoning/, servedR],
  ['changed reasoning', R([ask, rs('E2'), fc('b'), fo('b')]), /not as it was sent/, servedR],
  ['broken arguments (A22)', R([ask, fc('a', '{'), fo('a')]), /holds JSON/],
  ['a trailing item of the model (A31)', R([ask, say]), /must not end/],
  [
    'input_text in an assistant message',
    R([{ role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }, ask]),
    /type "input_text"/,
  ],
  ['NUL (A21)', R('a\0'), /NUL/],
  [
    'a bad tool name',
    R('hi', { tools: [{ type: 'function', name: 'a b', parameters: { type: 'object' } }] }),
    /must match/,
  ],
]);
