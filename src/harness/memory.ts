/** What the model sees: the record's messages, kept within its window, with a word where it goes in circles. */
import {
  type ContextFill,
  createCompaction,
  createMeter,
  instructionPart,
  measureContext,
  type Prompts,
  promptProblem,
  resultLimit,
  withCacheNotice,
  withRepeatLimit,
  withRepeatNudge,
  withResultLimit,
} from '../context/index.ts';
import type { Content, Event, Model, Request, Tool, View } from '../core/types.ts';
import type { CapsOptions } from './caps.ts';
import type { Choice } from './choice.ts';
import type { Record } from './record.ts';

export type Memory = {
  readonly view: View;
  /** Ends a turn that repeats itself, and says where the provider's cache failed. */
  readonly guard: (model: Model) => Model;
  /** Keeps one result from being larger than the window. */
  readonly limit: (tool: Tool) => Tool;
  /** Why a prompt can't be sent: it alone is larger than the window. */
  readonly problem: (content: readonly Content[]) => string | undefined;
  /** `/compact`: returns one line on what came of it. */
  readonly compact: (signal: AbortSignal, hint?: string) => AsyncGenerator<Event, string>;
  /** What fills the window, by part. */
  readonly fill: () => ContextFill;
};

export type MemoryOptions = {
  readonly record: Record;
  readonly choice: Choice;
  /** What stands in front of the messages of each request. */
  readonly request: Pick<Request, 'system' | 'tools'>;
  /** With which the system text was built. */
  readonly prompts: Prompts;
  /** Who writes summaries; the caps count them too. */
  readonly model: Model;
  /** Absent where nobody is there; then nobody is told of a cache either. */
  readonly goOn: CapsOptions['goOn'];
};

export function createMemory({ record, choice, request, prompts, model, goOn }: MemoryOptions): Memory {
  const meter = createMeter();
  const spec = () => choice.current().spec;
  const window = () => spec().window;
  const output = () => spec().output;
  const asked = (): Request => ({ ...request, messages: record.messages() });
  const messages: View = async function* () {
    return record.messages();
  };
  const compaction = createCompaction({
    window,
    output,
    model,
    request,
    entries: record.path,
    items: record.items,
    meter,
  });
  return {
    view: withRepeatNudge(compaction.decorate(messages), { entries: record.path }),
    guard: (inner) => {
      const watched = goOn ? withCacheNotice(inner, record.path) : inner;
      return withRepeatLimit(watched, { entries: record.path, ...(goOn ? { goOn } : {}) });
    },
    limit: (tool) => withResultLimit(tool, () => resultLimit(window(), meter.perToken())),
    problem: (content) => {
      const fixed = meter.read({ ...request, messages: [] }, []).fixed;
      return promptProblem(content, { window: window(), output: output(), fixed, meter });
    },
    compact: (signal, hint) => compaction.now(messages, signal, hint),
    fill: () => {
      const request = asked();
      const instructions = instructionPart(request.system, prompts);
      return measureContext({ request, instructions, path: record.path(), meter, window: window(), output: output() });
    },
  };
}
