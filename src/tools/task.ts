import * as z from 'zod/mini';
import type { Context, Output, Tool } from '../core/types.ts';
import { defineTool, failure, text } from './define.ts';
import description from './task.md';

/** What a sub-agent is asked, as a call of the tool says it. */
export type AgentTask = {
  readonly prompt: string;
  /** The name of an agent type. */
  readonly agent?: string | undefined;
  /** The session of an earlier sub-agent, to go on with. */
  readonly id?: string | undefined;
};

export type AgentReport = {
  /** Its last message. */
  readonly text: string;
  readonly session: string;
  /** Why it did not end well; absent where it did. */
  readonly problem?: string;
  readonly turns: number;
  /** The kind that it is of; '' for none. */
  readonly kind?: string;
  /** What else the one who asked has to know: where its changes lie, for one. */
  readonly note?: string;
};

/** A kind of sub-agent, for the description. */
export type AgentChoice = { readonly name: string; readonly description: string };

/** Runs a sub-agent to its end; a string says why it could not start. */
export type SpawnAgent = (task: AgentTask, context: Context) => Promise<AgentReport | string>;

/** Characters of a report; the rest is in the sub-agent's own session. */
const MAX_REPORT = 16_000;

const input = () => z.strictObject({ prompt: z.string(), agent: z.optional(z.string()), id: z.optional(z.string()) });

/** Characters of what one kind is for. */
const MAX_ABOUT = 200;

export const createTask = (spawn: SpawnAgent, choices: readonly AgentChoice[]): Tool => {
  const names = choices.map(({ name }) => name);
  const abouts = choices.map(({ name, description: about }) => `${name} (${oneLine(about)})`);
  return defineTool({
    name: 'task',
    description: description.replace('{agents}', () => abouts.join(', ')),
    input: input(),
    access: ({ prompt, agent, id }) => {
      if (prompt.trim() === '') return 'task needs a prompt that says what to do';
      if (agent !== undefined && !names.includes(agent)) return `there is no agent "${agent}": ${names.join(', ')}`;
      return {
        // What it does to files is asked call by call; for the order of calls and for undo it may be anything.
        anything: true,
        show: `${agent ?? (id ? `go on with ${id}` : 'agent')}: ${oneLine(prompt.trim().split('\n')[0] ?? '')}`,
      };
    },
    run: async (task, context) => {
      const report = await spawn(task, context);
      return typeof report === 'string' ? failure(report) : describe(report, context.signal.aborted);
    },
  });
};

const oneLine = (said: string): string => said.replace(/\s+/g, ' ').slice(0, MAX_ABOUT).toWellFormed();

function describe({ text: said, session, problem, turns, note, kind = '' }: AgentReport, stopped: boolean): Output {
  const cut =
    said.length > MAX_REPORT ? `${said.slice(0, MAX_REPORT).toWellFormed()}\n[cut: ${said.length} characters]` : said;
  const lines = [
    ...(problem === undefined ? [] : [`ERROR: ${problem}`]),
    cut === '' ? '(it said nothing)' : cut,
    ...(note === undefined ? [] : [note]),
    `[sub-agent ${session}, ${turns} turns; ask again with this id]`,
  ];
  return {
    ...text(lines.join('\n'), { session, turns, kind }),
    ...(problem === undefined ? {} : { failed: true }),
    ...(stopped ? { stopped: true } : {}),
  };
}
