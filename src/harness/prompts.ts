/** Every sentence that a model reads of rein's own, with its cost. */
import { builtInAgents, FIXED_PROMPTS, promptsWith } from '../context/index.ts';
import type { ToolSchema } from '../core/types.ts';
import { estimateTokens, textCallsPrompt } from '../providers/index.ts';
import { createHarness, type HarnessOptions } from './harness.ts';

export type PromptInfo = {
  readonly name: string;
  /** When the model is sent it. */
  readonly when: string;
  readonly text: string;
  /** An estimate, on the high side; a tool's holds its schema. */
  readonly tokens: number;
  /** What may stand in settings under `prompts`, and whether it does. */
  readonly kind: 'own' | 'replaceable' | 'fixed';
};

const WHEN: Readonly<Record<string, string>> = {
  system: 'each request',
  agents: 'each request, where there is no task tool',
  structured: 'each request, with --json-schema',
  instructions: 'each request, where instruction files are',
  skills: 'each request, where skills are',
  nested: 'once for a folder with instructions of its own',
  plan: 'when plan mode begins',
  'plan-over': 'when plan mode ends',
  approved: 'when a plan is approved',
  init: 'for /init',
  'shell-line': 'for a line with ! of the user',
  'use-skill': 'for /NAME of a skill',
};

export async function listPrompts(options: HarnessOptions): Promise<readonly PromptInfo[]> {
  const own = options.settings.prompts ?? {};
  const kind = (name: string): PromptInfo['kind'] => (Object.hasOwn(own, name) ? 'own' : 'replaceable');
  const sentences = Object.entries(promptsWith(own)).map(
    ([name, text]): PromptInfo => ({
      name,
      when: WHEN[name] ?? 'unused',
      text: text.trim(),
      tokens: weigh(text),
      kind: kind(name),
    }),
  );
  const tools = (await toolsOf(options)).map(({ name, description, input }): PromptInfo => {
    const text = own[name] ?? description;
    return { name, when: 'each request, as a tool', text, tokens: weigh(text, input), kind: kind(name) };
  });
  const fixed = [
    ...Object.entries(FIXED_PROMPTS).map(([name, text]) => [
      name,
      'when a history is too long or goes in circles',
      text,
    ]),
    ...builtInAgents.map(({ name, prompt = '' }) => [`agent ${name}`, 'each request of such a sub-agent', prompt]),
    ['text-calls', 'each request, with textCalls', textCallsPrompt],
  ].flatMap(([name = '', when = '', text = '']): PromptInfo[] =>
    text === '' ? [] : [{ name, when, text: text.trim(), tokens: weigh(text), kind: 'fixed' }],
  );
  return [...sentences.filter(({ when }) => when !== 'unused'), ...tools, ...fixed];
}

const weigh = (text: string, input?: ToolSchema['input']): number =>
  estimateTokens({
    system: text.trim(),
    tools: input === undefined ? [] : [{ name: '', description: '', input }],
    messages: [],
  });

/** Those of a session that nobody speaks to. */
async function toolsOf(options: HarnessOptions): Promise<readonly ToolSchema[]> {
  const { maxCost: _, ...settings } = options.settings;
  const session = await createHarness({ ...options, settings: { ...settings, model: ANY_MODEL } }).open({
    ephemeral: true,
  });
  if (typeof session === 'string') return [];
  await session.close();
  return session.schemas;
}

/** It needs no key, and is not asked. */
const ANY_MODEL = 'ollama/any';

/** What `/init` sends. */
export const initPrompt = ({ settings }: Pick<HarnessOptions, 'settings'>): string =>
  promptsWith(settings.prompts).init.trim();

/** What goes to the model when a person approves a plan, changed or not. Set the mode first. */
export const approvedPlan = ({ settings }: Pick<HarnessOptions, 'settings'>, plan: string): string =>
  `${promptsWith(settings.prompts).approved.trim()}\n\n${plan.trim()}`;
