/** How behaviour is added to tools: a function around their runs. */
import type { Context, Event, Output, Prepared, Tool } from './types.ts';

type Around = (prepared: Prepared, context: Context) => AsyncGenerator<Event, Output>;

/** A tool whose calls run inside `around`; what it says before it runs stays. */
export const aroundRun = (tool: Tool, around: Around): Tool => ({
  ...tool,
  prepare: async (input) => {
    const prepared = await tool.prepare(input);
    return typeof prepared === 'string' ? prepared : { ...prepared, run: (context) => around(prepared, context) };
  },
});
