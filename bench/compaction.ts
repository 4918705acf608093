/**
 * `node bench/compaction.ts`: rein's own time for the window, on a history of some 150,000 tokens: one look at it, the
 * trim of its old outputs, and a whole compaction with a model that answers at once. Prints Markdown.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Entry, Message, View } from '../src/core/types.ts';
import { createLog, createProjection } from '../src/session/index.ts';
import { median } from './measure.ts';

const RUNS = 15;
const TOKENS = 150_000;

/** The bundler loads texts for the model as strings; here a hook does. */
registerHooks({
  load: (url, context, next) =>
    url.endsWith('.md')
      ? {
          format: 'module',
          source: `export default ${JSON.stringify(readFileSync(fileURLToPath(url), 'utf8'))};`,
          shortCircuit: true,
        }
      : next(url, context),
});
const { createCompaction, createMeter } = await import('../src/context/index.ts');

const text = (said: string) => [{ type: 'text' as const, text: said }];

/** Prompts, replies, calls and outputs in the proportions of a long session. */
const say = (n: number): readonly Message[] => [
  ...(n % 20 === 0
    ? [{ role: 'user' as const, origin: 'person' as const, content: text(`Now step ${n}: make it so.`) }]
    : []),
  {
    role: 'assistant',
    content: [
      ...text(`I look at part ${n}. `.repeat(12)),
      { type: 'call', id: `t${n}`, vendorId: `t${n}`, name: 'read_file', input: { path: `src/part-${n}.ts` } },
    ],
    stop: 'calls',
    model: 'bench/model',
  },
  {
    role: 'result',
    call: `t${n}`,
    name: 'read_file',
    content: text(`const value${n} = compute(${n});\n`.repeat(n % 7 === 0 ? 120 : 12)),
    failed: false,
    how: 'ran',
  },
];

const open = async () => {
  let ids = 0;
  const header = { rein: 1, session: 's', time: 0, cwd: '/w' } as const;
  const log = createLog({ header, time: () => 0, newId: () => `e${++ids}`, warn: () => {} });
  const projection = createProjection();
  const append = async (entry: Entry) => projection.push(await log.append(entry));
  const meter = createMeter();
  const request = { system: 'Be brief.', tools: [] };
  const read = () => meter.read({ ...request, messages: projection.messages() }, log.path()).tokens;
  for (let n = 0; read() < TOKENS; n++) for (const message of say(n)) await append({ type: 'message', message });
  return { log, append, projection, request, read };
};

/** A new meter each time: nothing is known of any message. */
const once = async (window: number, asked: boolean) => {
  const { log, append, projection, request } = await open();
  const compaction = createCompaction({
    window: () => window,
    output: () => undefined,
    model: async function* () {
      yield* [];
      return { role: 'assistant', content: text('Notes.'), stop: 'done', model: 'bench/model' };
    },
    request,
    entries: () => log.path(),
    items: projection.items,
    meter: createMeter(),
  });
  const view: View = async function* () {
    yield* [];
    return projection.messages();
  };
  const { signal } = new AbortController();
  const start = performance.now();
  const events = asked ? compaction.now(view, signal) : compaction.decorate(view)(signal);
  let facts = '';
  for (let step = await events.next(); !step.done; step = await events.next()) {
    if (!('type' in step.value)) continue;
    facts += `${step.value.type} `;
    await append(step.value);
  }
  return { time: performance.now() - start, facts: facts.trim() || 'nothing' };
};

const row = async (what: string, window: number, asked: boolean) => {
  const runs = [];
  for (let i = 0; i < RUNS; i++) runs.push(await once(window, asked));
  const times = runs.map(({ time }) => time);
  console.log(`| ${what} | ${runs[0]?.facts} | ${median(times).toFixed(1)} | ${Math.max(...times).toFixed(1)} |`);
};

console.log(`${TOKENS} tokens, ${RUNS} runs\n\n| | facts | ms, median | ms, most |\n|---|---|---|---|`);
await row('a look: it fits', 1_000_000, false);
await row('old outputs left out', 160_000, false);
await row('summed up', 160_000, true);
