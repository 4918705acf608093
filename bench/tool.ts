/** Calls tools as the loop does, and takes the time. Import this first: modules that read Markdown need its hook. */
import { registerHooks } from 'node:module';
import type { Json, Tool } from '../src/core/types.ts';
import { quantile } from './measure.ts';

// Markdown files are strings, as in the bundle.
registerHooks({
  load: (url, context, next) =>
    url.endsWith('.md') ? { format: 'module', source: 'export default "";', shortCircuit: true } : next(url, context),
});

/** The text of the result. Throws what the tool complains of. */
export const call = async (tool: Tool, input: Json): Promise<string> => {
  const prepared = await tool.prepare(input);
  if (typeof prepared === 'string') throw new Error(prepared);
  const run = prepared.run({ call: 'bench', signal: new AbortController().signal });
  for (;;) {
    const step = await run.next();
    if (!step.done) continue;
    const [first] = step.value.content;
    if (step.value.failed || first?.type !== 'text') throw new Error(JSON.stringify(step.value.content));
    return first.text;
  }
};

type Spread = { readonly median: number; readonly quick: number };

/** Milliseconds of each work, in turns: its median, and the value below which a tenth of them lie. `after` takes no part. */
export const inTurns = async <K extends string>(
  rounds: number,
  works: Readonly<Record<K, () => unknown>>,
  after: () => unknown = () => {},
): Promise<Readonly<Record<K, Spread>>> => {
  const names = Object.keys(works) as K[];
  const times = new Map<K, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const begin = performance.now();
      await works[name]();
      times.get(name)?.push(performance.now() - begin);
      await after();
    }
  }
  const spread = (name: K): Spread => {
    const values = times.get(name) ?? [];
    return { median: quantile(values, 0.5), quick: quantile(values, 0.1) };
  };
  return Object.fromEntries(names.map((name) => [name, spread(name)])) as Record<K, Spread>;
};
