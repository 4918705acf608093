/** What a session knows beside its history: instructions, skills, kinds of agents, and the sentences around them. */
import {
  type AgentType,
  buildSystem,
  findAgents,
  findCommands,
  findInstructions,
  findSkills,
  instructionsIn,
  isPromptName,
  type OwnCommand,
  type Prompts,
  promptsWith,
  type Skill,
  type Sources,
  shelvesOf,
  withModeNote,
  withNested,
} from '../context/index.ts';
import type { Message, Tool, View } from '../core/types.ts';
import { findRoot, foldersBetween } from '../env/config-files.ts';
import { createFiles } from '../env/files/index.ts';
import { BOUNDS } from './crew/leash.ts';
import type { HarnessOptions } from './harness.ts';
import { MODES } from './settings.ts';

export type Knowledge = {
  readonly prompts: Prompts;
  readonly skills: readonly Skill[];
  readonly agents: readonly AgentType[];
  /** The text that a new session begins with. */
  readonly system: (tools: readonly Tool[]) => Promise<string>;
  /** Says when plan mode begins and ends. A sub-agent's kind has said so, and its plan is not for a person. */
  readonly view: (view: View, mode: () => string) => View;
  /** Brings in the instructions of folders below, when something there is touched. */
  readonly withNested: (
    tools: readonly Tool[],
    told: { readonly system: string; readonly shown: () => readonly Message[] },
  ) => readonly Tool[];
};

export type KnowledgeOptions = Pick<
  HarnessOptions,
  'cwd' | 'home' | 'configFolder' | 'settings' | 'trusted' | 'bare' | 'warn' | 'answerSchema' | 'leash'
>;

/** Tools that an agent's file may name. */
export const TOOLS: readonly string[] = [
  'bash',
  'read_file',
  'write_file',
  'edit_file',
  'list_files',
  'search_files',
  'web_fetch',
  'todo',
  'task',
  'skill',
];

export async function gatherKnowledge(options: KnowledgeOptions): Promise<Knowledge> {
  const { cwd, settings, configFolder } = options;
  const sources = sourcesOf(options);
  const prompts = promptsWith(settings.prompts);
  for (const name of Object.keys(settings.prompts ?? {})) {
    if (!isPromptName(name) && !TOOLS.includes(name)) options.warn(`settings: prompts.${name}: see rein prompts.`);
  }
  const shelves = openShelves(options);
  const skills = await findSkills(sources, shelves('skills'));
  const agents = await findAgents(sources, shelves('agents'), { tools: TOOLS, modes: MODES });
  const has = (tools: readonly Tool[], wanted: string) => tools.some(({ name }) => name === wanted);
  const system: Knowledge['system'] = async (tools) =>
    buildSystem({
      prompts,
      folder: cwd,
      system: process.platform === 'darwin' ? 'macOS' : 'Linux',
      ...(settings.systemPrompt === undefined ? {} : { replace: settings.systemPrompt }),
      ...(settings.appendSystemPrompt === undefined ? {} : { append: settings.appendSystemPrompt }),
      agents: has(tools, 'bash') && !has(tools, 'task') && (options.leash?.depth ?? 0) < BOUNDS.depth,
      structured: options.answerSchema !== undefined,
      skills: has(tools, 'skill') ? skills : [],
      instructions: options.bare ? [] : await findInstructions(sources, { cwd, userFolder: configFolder }),
    });
  return {
    prompts,
    skills,
    agents,
    system,
    view: (view, mode) => (options.leash ? view : withModeNote(view, mode, prompts)),
    withNested: (tools, told) =>
      options.bare
        ? tools
        : withNested(tools, {
            root: cwd,
            intro: prompts.nested,
            find: (folder) => instructionsIn(sources, folder, cwd),
            ...told,
          }),
  };
}

export type { AgentType, OwnCommand, Skill } from '../context/index.ts';
export { expandCommand } from '../context/index.ts';

/** The user's own slash commands, those of a project that is trusted, and each skill by its name. */
export async function findOwnCommands(options: KnowledgeOptions): Promise<readonly OwnCommand[]> {
  const sources = sourcesOf(options);
  const shelves = openShelves(options);
  const commands = await findCommands(sources, shelves('commands'));
  // A session names what is wrong with them.
  const skills = await findSkills({ ...sources, warn: () => {} }, shelves('skills'));
  const text = promptsWith(options.settings.prompts)['use-skill'].trim();
  const bySkill = skills.map(({ name, description, path }) => ({
    name: name.toLowerCase(),
    description,
    text: text.replace('{name}', () => name),
    path,
  }));
  return [...commands, ...bySkill.filter(({ name }) => !commands.some((one) => one.name === name))];
}

const sourcesOf = ({ home, warn }: KnowledgeOptions): Sources => ({ files: createFiles({ home }), warn });

/** A project's are looked at only when the person trusts the folder. */
function openShelves({ cwd, configFolder, trusted, bare }: KnowledgeOptions) {
  const project = trusted === undefined || bare ? [] : foldersBetween(findRoot(cwd), cwd);
  return (kind: Parameters<typeof shelvesOf>[0]) => shelvesOf(kind, project, bare ? undefined : configFolder);
}
