/** A log in memory, a compaction over it, and what a provider would be sent. */
import { type CompactionOptions, createCompaction, createMeter } from '../../src/context/index.ts';
import { isLive } from '../../src/core/channel.ts';
import type {
  Assistant,
  Entry,
  Event,
  Json,
  Logged,
  Message,
  Model,
  Request,
  Result,
  View,
} from '../../src/core/types.ts';
import { createLog, createProjection, project } from '../../src/session/index.ts';
import {
  type ModelScript,
  scriptedModel,
  strictAnthropic,
  strictOpenai,
  strictResponses,
} from '../../src/testing/index.ts';
import { canned, RECORDED, run, sse, VENDOR, modelOf as wired } from '../providers/support.ts';
import { call, calls, says, user } from '../support/agent.ts';

const TOOLS = [{ name: 'read_file', description: 'Reads.', input: { type: 'object', properties: {} } }];

export function sessionOf(
  options: Partial<CompactionOptions> & { script?: ModelScript; tools?: Request['tools'] } = {},
) {
  let ids = 0;
  let time = 0;
  const log = createLog({
    header: { rein: 1, session: 's', time: 0, cwd: '/w' },
    time: () => time,
    newId: () => `e${++ids}`,
    warn: () => {},
  });
  const summaries = scriptedModel(options.script ?? (() => ({ text: 'Notes of the work.' })), { name: 'test/sums' });
  const fixed = { system: 'Be brief.', tools: options.tools ?? TOOLS };
  const meter = createMeter();
  const compaction = createCompaction({
    window: () => 4_000,
    output: () => undefined,
    model: summaries,
    request: fixed,
    entries: () => log.path(),
    items: () => projected(log.path()).items(),
    meter,
    ...options,
  });
  const inner: View = async function* () {
    yield* [];
    return project(log.path());
  };
  const add = async (...facts: readonly (Message | Entry)[]) => {
    for (const fact of facts) await log.append('role' in fact ? { type: 'message', message: fact } : fact);
  };
  const signal = new AbortController().signal;
  return {
    log,
    add,
    meter,
    summaries,
    inner,
    request: (): Request => ({ ...fixed, messages: project(log.path()) }),
    pass: (ms: number) => {
      time += ms;
    },
    view: () => drive(compaction.decorate(inner)(signal), log),
    now: (hint?: string) => drive(compaction.now(inner, signal, hint), log),
    decorate: compaction.decorate,
    of: (type: Entry['type']) => log.path().filter((entry) => entry.type === type),
  };
}

function projected(entries: readonly Logged[]) {
  const projection = createProjection();
  for (const entry of entries) projection.push(entry);
  return projection;
}

/** Commits facts as the harness does, and gathers what was shown. */
async function drive<T>(events: AsyncGenerator<Event, T>, log: ReturnType<typeof createLog>) {
  const notices: string[] = [];
  for (;;) {
    const step = await events.next();
    if (step.done) return { value: step.value, notices };
    if (!isLive(step.value)) await log.append(step.value);
    else if (step.value.live === 'notice') notices.push(step.value.text);
  }
}

export const result = (id: string, text: string, name = 'read_file'): Result => ({
  role: 'result',
  call: id,
  name,
  content: [{ type: 'text', text }],
  failed: false,
  how: 'ran',
});

export const reads = (...ids: readonly string[]): Assistant =>
  calls(...ids.map((id) => call(id, 'read_file', { path: `${id}.txt` })));

export const overflow = (status = 400): Assistant => ({
  ...says('', 'overflow'),
  failure: { kind: 'overflow', message: 'prompt is too long', status },
});

/** What strict servers of three dialects say to this request. */
export async function violations(request: Request): Promise<readonly string[]> {
  const strict = { anthropic: strictAnthropic, 'openai-chat': strictOpenai, 'openai-responses': strictResponses };
  const found: string[] = [];
  for (const dialect of ['anthropic', 'openai-chat', 'openai-responses'] as const) {
    const fetch = canned({ body: sse(...RECORDED[dialect]) });
    await run(wired(VENDOR[dialect], fetch), request);
    const body: Json = JSON.parse(fetch.sent[0]?.body ?? 'null');
    found.push(...strict[dialect](body).map((line) => `${dialect}: ${line}`));
  }
  return found;
}

export const textOf = (message: Message | undefined): string =>
  (message?.content ?? []).map((part) => ('text' in part ? part.text : '')).join('\n');

export const textsOf = (messages: readonly Message[]): string => messages.map(textOf).join('\n');

export const modelThat = (reply: (index: number) => Assistant): Model & { readonly asked: Request[] } => {
  const asked: Request[] = [];
  const model: Model = async function* (request) {
    yield* [];
    return reply(asked.push(request) - 1);
  };
  return Object.assign(model, { asked });
};

export const messageOf = (entry: Logged | undefined): Message | undefined =>
  entry?.type === 'message' ? entry.message : undefined;

export { call, says, user };
