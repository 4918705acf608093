import type { Json, Output, Tool } from '../../src/core/types.ts';

/** Runs a call to its end; a string is the complaint that it got instead. */
export async function run(tool: Tool, input: Json, signal = new AbortController().signal): Promise<Output | string> {
  const prepared = await tool.prepare(input);
  if (typeof prepared === 'string') return prepared;
  const events = prepared.run({ call: 'c1', signal });
  for (;;) {
    const step = await events.next();
    if (step.done) return step.value;
  }
}
