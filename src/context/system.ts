/** The text that the model reads before anything else. */
import agents from './prompts/agents.md';
import instructions from './prompts/instructions.md';
import structured from './prompts/structured.md';
import system from './prompts/system.md';

export type SystemOptions = {
  readonly folder: string;
  /** The operating system, in a word or two. */
  readonly system: string;
  /** Replaces the text, or comes after it. */
  readonly replace?: string;
  readonly append?: string;
  /** The shell can start sub-agents. */
  readonly agents: boolean;
  /** The final answer has to fit a schema. */
  readonly structured: boolean;
  readonly instructions: readonly Instructions[];
};

export type Instructions = { readonly path: string; readonly text: string };

export function buildSystem(options: SystemOptions): string {
  const base = system.replace('{folder}', () => options.folder).replace('{system}', () => options.system);
  const parts = [
    options.replace ?? base,
    options.agents && options.replace === undefined ? agents : '',
    options.structured ? structured : '',
    options.append ?? '',
    ...(options.instructions.length > 0 ? [instructions, ...options.instructions.map(render)] : []),
  ];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

const render = ({ path, text }: Instructions): string => `# ${path}\n\n${text.trim()}`;
