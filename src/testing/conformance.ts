import { field, isObject, list, text } from '../core/json.ts';
import { textOf } from '../core/messages.ts';
import type { Assistant, Event, Json, Model, Output, Request, Tool } from '../core/types.ts';

export type ToolCase = {
  readonly input: Json;
  /** `ok`, `failed` (a result the model can act on), or `refused` (the schema's complaint; nothing was touched). */
  readonly expect: 'ok' | 'failed' | 'refused';
  /** What the text of the result or complaint must hold. */
  readonly says?: RegExp;
};

/** Checks what the loop relies on in a tool. Throws one `Error` that lists every broken promise. */
export const checkTool = async (tool: Tool, cases: readonly ToolCase[] = []): Promise<void> => {
  const broken = [...checkSchema(tool)];
  for (const [i, test] of cases.entries()) {
    const complaints = await within(10_000, checkCase(tool, test)).catch((error: unknown) => [
      `threw ${String(error)}`,
    ]);
    broken.push(...complaints.map((line) => `case ${i} ${JSON.stringify(test.input)}: ${line}`));
  }
  report(`tool ${tool.name}`, broken);
};

const checkSchema = (tool: Tool): readonly string[] => {
  const properties = field(tool.input, 'properties');
  const names = isObject(properties) ? Object.keys(properties) : [];
  return [
    ...(/^[A-Za-z0-9_-]{1,64}$/.test(tool.name) ? [] : ['name must match [A-Za-z0-9_-]{1,64}']),
    ...(tool.description.trim() === '' ? ['description is blank'] : []),
    ...(field(tool.input, 'type') === 'object' ? [] : ['the schema’s root must have type "object"']),
    ...['anyOf', 'oneOf', 'allOf']
      .filter((key) => field(tool.input, key))
      .map((key) => `no ${key} at the schema’s root`),
    ...list(field(tool.input, 'required'))
      .filter((name) => !names.includes(text(name)))
      .map((name) => `required "${text(name)}" is not among the properties`),
  ];
};

const checkCase = async (tool: Tool, test: ToolCase): Promise<readonly string[]> => {
  const prepared = await tool.prepare(test.input);
  if (typeof prepared === 'string') {
    if (test.expect !== 'refused') return [`refused: ${prepared}`];
    return says(test, prepared);
  }
  if (test.expect === 'refused') return ['the schema took it'];
  const { access } = prepared;
  const paths = [...(access.reads ?? []), ...(access.writes ?? [])];
  const output = await drain(prepared.run({ call: 'conformance', signal: new AbortController().signal }));
  return [
    ...(/^[^\n]+$/.test(access.show) ? [] : ['access.show must be one line']),
    ...paths.filter((path) => !path.startsWith('/')).map((path) => `access: "${path}" is not absolute`),
    ...((output.failed ?? false) === (test.expect === 'failed') ? [] : [`failed is ${output.failed ?? false}`]),
    ...(output.content.length > 0 && textIn(output).trim() !== '' ? [] : ['the result is blank']),
    ...says(test, textIn(output)),
    ...(await checkAborted(tool, test.input)),
  ];
};

/** An aborted run ends, with or without a failure; it neither hangs nor throws. */
const checkAborted = async (tool: Tool, input: Json): Promise<readonly string[]> => {
  const prepared = await tool.prepare(input);
  if (typeof prepared === 'string') return ['prepare gives another answer the second time'];
  const run = async () => drain(prepared.run({ call: 'conformance-aborted', signal: AbortSignal.abort() }));
  return within(5_000, run()).then(
    () => [],
    (error: unknown) => [`aborted before the start, it ${String(error)}`],
  );
};

const textIn = (output: Output): string =>
  output.content.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`)).join('\n');

const says = (test: ToolCase, text: string): readonly string[] =>
  test.says && !test.says.test(text) ? [`${JSON.stringify(text.slice(0, 200))} does not match ${test.says}`] : [];

const hello: Request = {
  system: 'You are under test. Answer with one word.',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }],
};

/** Checks what the loop relies on in a model: three requests, one of them aborted at its first event, one before it. */
export const checkModel = async (model: Model, request: Request = hello): Promise<void> => {
  const broken: string[] = [];
  const attempt = async (name: string, check: () => Promise<readonly string[]>) => {
    const lines = await within(60_000, check()).catch((error: unknown) => [
      `threw ${String(error)}; failures are stop reasons`,
    ]);
    broken.push(...lines.map((line) => `${name}: ${line}`));
  };
  await attempt('a plain request', async () => {
    const events: Event[] = [];
    return checkReply(await drain(model(request, new AbortController().signal), (event) => events.push(event)), events);
  });
  await attempt('aborted before', async () => {
    const reply = await drain(model(request, AbortSignal.abort()));
    return reply.stop === 'aborted' ? [] : [`stop is ${reply.stop}, not aborted`];
  });
  await attempt('aborted at the first event', async () => {
    const controller = new AbortController();
    let seen = 0;
    const reply = await drain(model(request, controller.signal), () => {
      seen += 1;
      controller.abort();
    });
    return seen === 0 || reply.stop === 'aborted' ? [] : [`stop is ${reply.stop}, not aborted`];
  });
  report('model', broken);
};

const checkReply = (reply: Assistant, events: readonly Event[]): readonly string[] => {
  const kept = events.slice(events.findLastIndex((event) => 'live' in event && event.live === 'retracted') + 1);
  const shown = kept.map((event) => ('live' in event && event.live === 'text' ? event.text : '')).join('');
  const text = textOf(reply.content);
  const calls = reply.content.filter((part) => part.type === 'call');
  const { usage } = reply;
  const counts = usage ? [usage.input, usage.output, usage.cacheRead, usage.cacheWrite] : [];
  return [
    ...(['done', 'calls'].includes(reply.stop) ? [] : [`stop is ${reply.stop}: ${reply.failure?.message ?? ''}`]),
    ...((reply.stop === 'calls') === calls.length > 0 ? [] : [`stop is ${reply.stop} with ${calls.length} calls`]),
    ...(reply.content.length > 0 ? [] : ['the reply is empty']),
    ...(shown === text ? [] : [`deltas ${JSON.stringify(shown)} are not the text ${JSON.stringify(text)}`]),
    ...(new Set(calls.map((call) => call.id)).size === calls.length ? [] : ['call ids repeat']),
    ...(/^[^/]+\/.+$/.test(reply.model) ? [] : [`model "${reply.model}" is not vendor/model`]),
    ...(counts.every((count) => Number.isSafeInteger(count) && count >= 0) ? [] : ['usage must be whole numbers']),
  ];
};

const drain = async <T>(events: AsyncGenerator<Event, T>, see: (event: Event) => void = () => {}): Promise<T> => {
  for (;;) {
    const step = await events.next();
    if (step.done) return step.value;
    see(step.value);
  }
};

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const timer = Promise.withResolvers<never>();
  const id = setTimeout(() => timer.reject(new Error(`did not end within ${ms} ms`)), ms);
  return Promise.race([work, timer.promise]).finally(() => clearTimeout(id));
};

const report = (what: string, broken: readonly string[]): void => {
  if (broken.length > 0)
    throw new Error(`${what} breaks ${broken.length} promises:\n${broken.map((l) => `- ${l}`).join('\n')}`);
};
