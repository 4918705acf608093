/** The sentences of this folder by name, so that they can be listed, weighed and replaced. */
import agents from './prompts/agents.md';
import approved from './prompts/approved.md';
import init from './prompts/init.md';
import instructions from './prompts/instructions.md';
import nested from './prompts/nested.md';
import plan from './prompts/plan.md';
import planOver from './prompts/plan-over.md';
import repeated from './prompts/repeated.md';
import resumed from './prompts/resumed.md';
import shellLine from './prompts/shell-line.md';
import skills from './prompts/skills.md';
import structured from './prompts/structured.md';
import summary from './prompts/summary.md';
import system from './prompts/system.md';
import unanswered from './prompts/unanswered.md';
import useSkill from './prompts/use-skill.md';

const PROMPTS = {
  system,
  agents,
  structured,
  unanswered,
  instructions,
  skills,
  nested,
  plan,
  'plan-over': planOver,
  approved,
  init,
  'shell-line': shellLine,
  'use-skill': useSkill,
};

/** Those of compaction, which its own code relies on. */
export const FIXED_PROMPTS: Readonly<Record<string, string>> = { summary, resumed, repeated };

type PromptName = keyof typeof PROMPTS;
export type Prompts = Readonly<Record<PromptName, string>>;

export const isPromptName = (name: string): boolean => Object.hasOwn(PROMPTS, name);

/** Ours, with a user's own in their place. */
export const promptsWith = (own: Readonly<Record<string, string>> = {}): Prompts => ({ ...PROMPTS, ...own });
