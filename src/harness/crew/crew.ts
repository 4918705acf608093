/**
 * Sub-agents: the same program, called again. Each gets a leash: a depth, a part of what is left of the caps, and the
 * parent's policy as the judge of every call. What it costs is on the parent's bill.
 */
import type { Usage } from '../../core/types.ts';
import { MARK, signalTree } from '../../env/processes/tree.ts';
import { startProgram } from '../../env/program.ts';
import { addUsage } from '../../session/index.ts';
import type { Caps } from '../caps.ts';
import type { Record as SessionRecord } from '../record.ts';
import type { Settings } from '../settings.ts';
import type { Seen } from '../types.ts';
import type { Wall } from '../wall.ts';
import { type Child, tieChild } from './child.ts';
import { BOUNDS, type Leash, type Parent, trustedSettings } from './leash.ts';
import { createRoutes } from './routes.ts';

export type CrewOptions = {
  readonly session: string;
  readonly cwd: string;
  readonly wall: Pick<Wall, 'ready' | 'holds'>;
  /** Depth of this session: 0 for the one that a person started. */
  readonly depth: number;
  readonly from: readonly string[];
  readonly caps: Caps;
  readonly model: () => string;
  readonly ephemeral: boolean;
  readonly settings: Settings;
  readonly trusted?: string | undefined;
  readonly bare?: boolean;
  /** The folder of the family's working trees. */
  readonly trees: string;
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
  /** What a person is told who asks; the call where it has no name. */
  readonly name?: string;
  /** It works in a tree of its own and may write nowhere else. */
  readonly isolated?: boolean;
  /** Its session, once it has one. */
  readonly met?: (session: string) => void;
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
  /** Sends a message to a descendant that works; false where there is none of that session. */
  readonly steer: (session: string, text: string) => boolean;
  /** Stops every sub-agent and waits for its end: what it spent is on the bill before the log is closed. */
  readonly close: () => Promise<void>;
};

/** The exit code of an agent that could not start because of a bound, as of any cap. */
const CAPPED = 3;

const TOO_MANY = `${BOUNDS.descendants} sub-agents were started for this prompt and no more are allowed. Do the rest yourself.`;
const TOO_DEEP = `sub-agents may not nest deeper than ${BOUNDS.depth}. Do this part yourself.`;

export function createCrew(options: CrewOptions): Crew {
  const running = new Set<Promise<number>>();
  const routes = createRoutes();
  const closing = new AbortController();
  let descendants = 0;

  const enter = async () => {
    if (options.enter) return options.enter();
    if (descendants >= BOUNDS.descendants) return TOO_MANY;
    descendants++;
    return undefined;
  };
  const run = async (agent: AgentCall, signal: AbortSignal) => {
    const refuse = (why: string) => {
      agent.err(`rein: ${why}\n`);
      return CAPPED;
    };
    if (options.depth >= BOUNDS.depth) return refuse(TOO_DEEP);
    const reservation = options.caps.reserve({});
    if (typeof reservation === 'string') return refuse(reservation);
    const bill = createBill();
    try {
      const full = await enter();
      if (full !== undefined) return refuse(full);
      // The program loads meanwhile.
      const leash = options.wall.ready().then(() => createLeash(options, agent, reservation.limits));
      const show = (session: string, event: Seen) => {
        agent.met?.(session);
        bill.add(session, event);
        routes.learn(session, event, child);
        options.record.show({ live: 'child', call: agent.call, session, event });
      };
      const mark = crypto.randomUUID();
      const child: Child = tieChild(start(options, agent, mark), leash, { judge: options.judge, enter, show }, signal);
      const code = await child.ended.finally(() => routes.forget(child));
      // One that was killed could not end its own commands.
      if (code !== 0) signalTree({ groups: [], mark }, 'SIGKILL');
      return code;
    } finally {
      reservation.release({ turns: bill.turns() });
      for (const [model, usage] of bill.usage()) {
        await options.record.commit({ type: 'usage', model, usage, why: `sub-agent ${bill.session()}` });
      }
    }
  };
  const spawn = async (agent: AgentCall, signal: AbortSignal) => {
    const child = run(agent, AbortSignal.any([signal, closing.signal]));
    running.add(child);
    return child.finally(() => running.delete(child));
  };
  const begin = () => {
    descendants = 0;
  };
  const close = async () => {
    closing.abort();
    await Promise.allSettled(running);
  };
  return { begin, enter, spawn, steer: routes.steer, close };
}

const start = ({ program, variables }: CrewOptions, agent: AgentCall, mark: string) =>
  startProgram({
    ...agent,
    argv: [...program, ...agent.argv],
    // It says that a leash will come, and gives nothing.
    environment: { ...variables, REIN_CHILD: '1', [MARK]: [variables[MARK] ?? [], mark].flat().join(':') },
  });

const createLeash = (
  options: CrewOptions,
  { call, name, isolated = false }: AgentCall,
  limits: Leash['limits'],
): Leash => ({
  depth: options.depth + 1,
  startedBy: { session: options.session, call },
  from: [...options.from, name ?? call],
  model: options.model(),
  limits,
  ephemeral: options.ephemeral,
  trusted: options.trusted,
  deny: options.settings.permissions?.deny ?? [],
  tools: options.settings.tools,
  bare: options.bare === true,
  walled: options.wall.holds(),
  roots: [options.cwd, ...(options.settings.addDirs ?? []), options.trees],
  trees: options.trees,
  isolated,
  settings: trustedSettings(options.settings),
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
