/** The library: what the program itself is made of. */
export { loop } from './core/loop.ts';
export type * from './core/types.ts';
export type { Answer, Ask, Ending, Question, Seen, Session, Totals } from './harness/index.ts';
export {
  type AgentOptions,
  createAgent,
  createHarness,
  type Harness,
  type HarnessOptions,
  mergeSettings,
  type Opening,
  PromptError,
  parseSettings,
  type Settings,
  SettingsError,
} from './harness/index.ts';
export { createCatalog, createModel, resolveModel, withFallback, withRetry } from './providers/index.ts';
export { defineTool, failure, text } from './tools/define.ts';
