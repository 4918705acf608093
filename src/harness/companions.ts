/** The tools beside the hands: a list of steps, sub-agents, skills. */
import { join } from 'node:path';
import type { Result, Tool } from '../core/types.ts';
import { listSessionFiles } from '../env/session-files.ts';
import { createSkill } from '../tools/skill.ts';
import { createTask } from '../tools/task.ts';
import { createTodo } from '../tools/todo.ts';
import type { Crew } from './crew/crew.ts';
import { BOUNDS } from './crew/leash.ts';
import { recoverResults } from './crew/recovery.ts';
import { createSpawnAgent } from './crew/task.ts';
import { createTrees } from './crew/trees.ts';
import type { Discretion } from './discretion.ts';
import type { HarnessOptions } from './harness.ts';
import type { Knowledge } from './knowledge.ts';
import type { Record } from './record.ts';
import { withRedaction } from './redaction.ts';
import { readBegin, readSession } from './shelf.ts';

export type CompanionOptions = {
  readonly session: string;
  readonly knowledge: Knowledge;
  readonly crew: Crew;
  readonly record: Pick<Record, 'path'>;
  readonly discretion: Discretion;
};

/** `task` is there only where a sub-agent can work: a program that starts again knows no functions of this one. */
export function createCompanions(
  options: HarnessOptions,
  { session, knowledge, crew, record, discretion }: CompanionOptions,
): readonly Tool[] {
  const { cwd, settings, leash, program, fetch, model, tools: own } = options;
  const again = program.length > 0 && !fetch && !model && !own;
  const started = () =>
    createSpawnAgent({
      crew,
      types: knowledge.agents,
      models: settings.agentModels ?? {},
      cwd,
      path: record.path,
      trees: createTrees(treesOf(options, session)),
    });
  const spawn = options.spawnAgent ?? (again ? started() : undefined);
  const nests = (leash?.depth ?? 0) < BOUNDS.depth;
  const tools = [
    createTodo(),
    ...(spawn && nests ? [createTask(spawn, knowledge.agents)] : []),
    ...(knowledge.skills.length > 0 ? [createSkill(knowledge.skills)] : []),
  ];
  return tools.map(withRedaction({ ...discretion, hid: () => {} }));
}

export const NO_TASK =
  'the tool "task" is not available here: sub-agents are this program started again, which can’t take over functions (fetch). Pass spawnAgent.';

/** Where a session and its descendants have working trees of their own. */
export const treesOf = (
  { stateFolder, leash }: Pick<HarnessOptions, 'stateFolder' | 'leash'>,
  session: string,
): string => leash?.trees ?? join(stateFolder, 'worktrees', session);

/** What sub-agents said whose results were lost with this session's program. */
export const recovered = ({ stateFolder }: HarnessOptions, session: string, record: Pick<Record, 'path'>) =>
  recoverResults(record.path(), {
    children: () =>
      listSessionFiles(join(stateFolder, 'sessions')).flatMap(({ path }) => {
        const { header } = readBegin(path, 'header');
        return header?.startedBy?.session === session ? [{ path, header }] : [];
      }),
    read: readSession,
  }) satisfies readonly Result[];
