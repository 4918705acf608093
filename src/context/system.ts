/** The text that the model reads before anything else. */
import type { Instructions } from './instructions.ts';
import type { Prompts } from './prompts.ts';
import { listSkills, type Skill } from './skills.ts';

export type SystemOptions = {
  readonly prompts: Prompts;
  readonly folder: string;
  /** The operating system, in a word or two. */
  readonly system: string;
  /** Replaces the text, or comes after it. */
  readonly replace?: string;
  readonly append?: string;
  /** The shell can start sub-agents, and no tool says so. */
  readonly agents: boolean;
  /** The final answer has to fit a schema. */
  readonly structured: boolean;
  readonly skills: readonly Skill[];
  readonly instructions: readonly Instructions[];
};

export function buildSystem(options: SystemOptions): string {
  const { prompts, skills } = options;
  const base = prompts.system.replace('{folder}', () => options.folder).replace('{system}', () => options.system);
  const parts = [
    options.replace ?? base,
    options.agents && options.replace === undefined ? prompts.agents : '',
    options.structured ? prompts.structured : '',
    options.append ?? '',
    ...(skills.length > 0 ? [`${prompts.skills.trim()}\n${listSkills(skills)}`] : []),
    ...(options.instructions.length > 0 ? [prompts.instructions, ...options.instructions.map(render)] : []),
  ];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The part of a system text that came from instruction files; '' where none did. */
export function instructionPart(system: string, { instructions }: Pick<Prompts, 'instructions'>): string {
  const at = system.indexOf(`${instructions.trim()}\n\n# `);
  return at < 0 ? '' : system.slice(at);
}

const render = ({ path, text }: Instructions): string => `# ${path}\n\n${text.trim()}`;
