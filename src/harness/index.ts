/** The composition root: the one place that chooses concrete parts. */

export { foldTodo, type TodoItem } from '../context/index.ts';
export type { Json } from '../core/types.ts';
export { keysOf } from '../providers/index.ts';
export type { AgentReport, AgentTask, SpawnAgent } from '../tools/task.ts';
export { saveKey } from './credentials.ts';
export type { Above, Leash, Parent } from './crew/leash.ts';
export { joinParent } from './crew/parent.ts';
export { openWorktree } from './crew/trees.ts';
export { type AgentOptions, createAgent } from './embed.ts';
export { createEvidence } from './evidence.ts';
export { createHarness, type Harness, type HarnessOptions, type Opening } from './harness.ts';
export type { Conflicts, History, Rewound } from './history.ts';
export { expandCommand, findOwnCommands, type OwnCommand } from './knowledge.ts';
export { tighten } from './project-settings.ts';
export { approvedPlan, initPrompt, listPrompts, type PromptInfo } from './prompts.ts';
export {
  MODES,
  type Mode,
  mergeSettings,
  parseAssignment,
  parseSettings,
  type Settings,
  SettingsError,
  type Source,
} from './settings.ts';
export type { Store, Summary } from './store.ts';
export {
  describeProject,
  findProject,
  isDeclined,
  isTrusted,
  keepAnswer,
  PROJECT_SETTINGS,
  type Project,
} from './trust.ts';
export type { Answer, Ask, Ending, Question, Seen, Session, Signal, Totals } from './types.ts';
export { PromptError } from './types.ts';
export { listRules, listSettings, saveSetting } from './user-settings.ts';
