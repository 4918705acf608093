/** The `task` tool's way in: the same door as `rein -p` in the shell, without the shell. */
import { field, text } from '../../core/json.ts';
import type { Context, Logged } from '../../core/types.ts';
import { isSessionId } from '../../env/session-files.ts';
import type { AgentReport, AgentTask, SpawnAgent } from '../../tools/task.ts';
import type { AgentType } from '../knowledge.ts';
import type { Crew } from './crew.ts';
import type { Trees } from './trees.ts';

export type TaskOptions = {
  readonly crew: Crew;
  readonly types: readonly AgentType[];
  /** Models of kinds, as the user set them. */
  readonly models: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly path: () => readonly Logged[];
  /** Makes working trees of their own. */
  readonly trees: Trees;
};

export const createSpawnAgent =
  ({ crew, types, models, cwd, path, trees }: TaskOptions): SpawnAgent =>
  async (task: AgentTask, { call, signal }: Context) => {
    if (task.id !== undefined && !isSessionId(task.id))
      return `${task.id} is no id of a sub-agent. It stands at the end of its result.`;
    const before = task.id === undefined ? undefined : kindOf(task.id, path());
    if (before !== undefined && task.agent !== undefined && task.agent !== before)
      return `sub-agent ${task.id} is of the kind ${before} and stays so. Leave out agent.`;
    const type = types.find(({ name }) => name === (before ?? task.agent));
    const tree = type?.isolation && task.id === undefined ? await trees.add(cwd) : undefined;
    if (typeof tree === 'string') return tree;
    const said = { out: '', err: '', session: '' };
    const resume = task.id === undefined ? [] : ['-r', task.id];
    await crew.spawn(
      {
        argv: [...(type ? flagsOf(type, models[type.name]) : []), ...resume, '-o', 'json', '-p'],
        name: type?.name ?? 'agent',
        cwd: tree?.folder ?? cwd,
        isolated: type?.isolation !== undefined,
        stdin: task.prompt,
        call,
        met: (session) => {
          said.session = session;
        },
        out: (text) => {
          said.out += text;
        },
        err: (text) => {
          said.err += text;
        },
      },
      signal,
    );
    const note = await tree?.handBack();
    const report = readReport(said.out);
    if (report) return { ...report, kind: type?.name ?? '', ...(note === undefined ? {} : { note }) };
    const why = said.err.trim().replace(/^rein: /, '') || 'the sub-agent was killed';
    return said.session === '' ? why : `${why}. What it did is kept: ask again with the id ${said.session}.`;
  };

/** As flags they can only narrow what the parent has. */
const flagsOf = ({ tools, model, mode, prompt }: AgentType, chosen: string | undefined): readonly string[] => [
  ...(tools ? ['--tools', tools.join(',')] : []),
  ...((chosen ?? model) ? ['--model', chosen ?? model ?? ''] : []),
  ...(mode ? ['--permission-mode', mode] : []),
  // A leading @ would name a file.
  ...(prompt ? ['--append-system-prompt', `\n${prompt.trim()}`] : []),
];

/** The kind that an earlier sub-agent was of, so that it can't come back with more rights than it began with. */
function kindOf(id: string, path: readonly Logged[]): string | undefined {
  for (const entry of path) {
    if (entry.type !== 'message' || entry.message.role !== 'result' || entry.message.name !== 'task') continue;
    const { details } = entry.message;
    if (field(details, 'session') !== id) continue;
    return text(field(details, 'kind')) || undefined;
  }
  return undefined;
}

/** The result line of the child. */
function readReport(out: string): AgentReport | undefined {
  const line = out.trim().split('\n').at(-1) ?? '';
  if (line === '') return undefined;
  const { result = '', session_id: session = '', num_turns: turns = 0, errors } = parse(line);
  return { text: result, session, turns, ...(errors?.[0] === undefined ? {} : { problem: errors[0] }) };
}

type ResultLine = { result?: string; session_id?: string; num_turns?: number; errors?: readonly string[] };

function parse(line: string): ResultLine {
  try {
    return JSON.parse(line);
  } catch {
    return { errors: [line.slice(0, 500)] };
  }
}
