/** The tools of a session: those that settings name, in the words that it began with. */
import type { Tool, ToolSchema } from '../core/types.ts';
import { createAnswerTool } from './answer.ts';
import { NO_TASK } from './companions.ts';
import { readRules } from './gates.ts';
import type { HarnessOptions } from './harness.ts';
import { TOOLS } from './knowledge.ts';

/** The tools asked for; on resume with the words they had, so that the prefix stays what it was. */
export async function chooseTools(
  { settings, answerSchema, leash, tools: own = [] }: HarnessOptions,
  standard: readonly Tool[],
  before: readonly ToolSchema[] | undefined,
): Promise<readonly Tool[] | string> {
  const unknown = settings.tools?.find(
    // What a sub-agent's parent has, the sub-agent itself may lack.
    (name) => !standard.some((tool) => tool.name === name) && !(leash && TOOLS.includes(name)),
  );
  if (unknown === 'task') return NO_TASK;
  if (unknown !== undefined) {
    return `there is no tool "${unknown}". The tools are: ${standard.map(({ name }) => name).join(', ')}.`;
  }
  const wanted = standard
    .filter(({ name }) => settings.tools?.includes(name) ?? true)
    .map((tool) => ({ ...tool, description: settings.prompts?.[tool.name] ?? tool.description }));
  const given = [...wanted, ...own];
  const tools = answerSchema === undefined ? given : [...given, await createAnswerTool(answerSchema)];
  return before
    ? before.map((schema) => ({ ...(tools.find(({ name }) => name === schema.name) ?? gone(schema)), ...schema }))
    : tools;
}

const gone = (schema: ToolSchema): Tool => ({
  ...schema,
  prepare: async () => `${schema.name} is not available any more in this session.`,
});

/** A deny rule that no tool answers to holds nothing: a slip of the pen must not pass for a lock. */
export function warnOfIdleRules({ settings, leash, warn }: HarnessOptions, tools: readonly ToolSchema[]): void {
  if (leash) return;
  const known = (tool: string) => tool === '*' || TOOLS.includes(tool) || tools.some(({ name }) => name === tool);
  for (const { effect, tool, text } of readRules(settings)) {
    if (effect === 'deny' && !known(tool))
      warn(`the deny rule ${JSON.stringify(text)} holds nothing: no tool has that name.`);
  }
}
