/**
 * Sub-agents: the same program, called again. Each gets a leash: a depth, a part of what is left of the caps, and the
 * parent's policy as the judge of every call. What it costs is on the parent's bill.
 */
import type { Usage } from '../../core/types.ts';
import { startProgram } from '../../env/program.ts';
import { addUsage } from '../../session/index.ts';
import type { Caps } from '../caps.ts';
import type { Record as SessionRecord } from '../record.ts';
import type { Seen } from '../types.ts';
import { runChild } from './child.ts';
import type { Leash, Parent } from './leash.ts';

/** Agents of one prompt: how deep they may nest, and how many there may be in all. */
const BOUNDS = { depth: 3, descendants: 16 };

export type CrewOptions = {
  readonly session: string;
  /** Depth of this session: 0 for the one that a person started. */
  readonly depth: number;
  readonly from: readonly string[];
  readonly caps: Caps;
  readonly model: () => string;
  readonly mode: () => string;
  readonly ephemeral: boolean;
  /** The command line of this program. */
  readonly program: readonly string[];
  /** The whole environment of this program, keys included: a child of ours is trusted, its shell is not. */
  readonly variables: Readonly<Record<string, string>>;
  readonly judge: Parent['judge'];
  /** Asks further up; absent at the root, which counts. */
  readonly enter: Parent['enter'] | undefined;
  readonly record: Pick<SessionRecord, 'show' | 'commit'>;
};

export type AgentCall = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly stdin: string;
  readonly call: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
};

export type Crew = {
  /** A new prompt of the person: descendants count from here. */
  readonly begin: () => void;
  /** A place for one more descendant, here or further up. */
  readonly enter: Parent['enter'];
  /** Runs a sub-agent to its end; resolves with its exit code. */
  readonly spawn: (agent: AgentCall, signal: AbortSignal) => Promise<number>;
};

/** The exit code of an agent that could not start because of a bound, as of any cap. */
const CAPPED = 3;

export function createCrew(options: CrewOptions): Crew {
  let descendants = 0;

  const enter = async () => {
    if (options.enter) return options.enter();
    if (descendants >= BOUNDS.descendants) {
      return `${descendants} sub-agents were started for this prompt and no more are allowed. Do the rest yourself.`;
    }
    descendants++;
    return undefined;
  };
  const spawn = async (agent: AgentCall, signal: AbortSignal) => {
    const refuse = (why: string) => {
      agent.err(`rein: ${why}\n`);
      return CAPPED;
    };
    if (options.depth >= BOUNDS.depth) {
      return refuse(`sub-agents may not nest deeper than ${BOUNDS.depth}. Do this part yourself.`);
    }
    const reservation = options.caps.reserve({});
    if (typeof reservation === 'string') return refuse(reservation);
    const bill = createBill();
    try {
      const full = await enter();
      if (full !== undefined) return refuse(full);
      const leash = createLeash(options, agent.call, reservation.limits);
      const program = startProgram({
        ...agent,
        argv: [...options.program, ...agent.argv],
        // It says that a leash will come, and gives nothing.
        environment: { ...options.variables, REIN_CHILD: '1' },
      });
      const show = (session: string, event: Seen) => {
        bill.add(session, event);
        options.record.show({ live: 'child', call: agent.call, session, event });
      };
      return await runChild(program, leash, { judge: options.judge, enter, show }, signal);
    } finally {
      reservation.release({ turns: bill.turns() });
      for (const [model, usage] of bill.usage()) {
        await options.record.commit({ type: 'usage', model, usage, why: `sub-agent ${bill.session()}` });
      }
    }
  };
  return { begin: () => (descendants = 0), enter, spawn };
}

const createLeash = (options: CrewOptions, call: string, limits: Leash['limits']): Leash => ({
  depth: options.depth + 1,
  startedBy: { session: options.session, call },
  from: [...options.from, call],
  model: options.model(),
  mode: options.mode(),
  limits,
  ephemeral: options.ephemeral,
});

/** Adds up what a child's facts say it spent; its own children's bills are among them. */
function createBill() {
  const models = new Map<string, Usage>();
  let turns = 0;
  let session = '';
  const charge = (model: string, usage: Usage | undefined) => {
    const before = models.get(model);
    if (usage) models.set(model, before ? addUsage(before, usage) : usage);
  };
  const add = (from: string, event: Seen) => {
    session = from;
    if ('live' in event) return;
    if (event.type === 'usage') charge(event.model, event.usage);
    if (event.type !== 'message' || event.message.role !== 'assistant') return;
    turns++;
    charge(event.message.model, event.message.usage);
  };
  return { add, turns: () => turns, session: () => session, usage: () => models.entries() };
}
