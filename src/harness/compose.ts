/** One session out of its parts. Every choice of a concrete part is made here. */
import { dirname, join } from 'node:path';
import { toldByRein } from '../core/messages.ts';
import type { Clock, Entry, Event, Model, Tool, ToolSchema } from '../core/types.ts';
import { keysOf } from '../providers/index.ts';
import { createLog, createTally, foldModel } from '../session/index.ts';
import type { Caps } from './caps.ts';
import { type Choice, createChoice } from './choice.ts';
import { chooseTools, warnOfIdleRules } from './choose-tools.ts';
import { createCompanions, recovered, treesOf } from './companions.ts';
import { type Crew, type CrewOptions, createCrew } from './crew/crew.ts';
import { createShellDoor, type ShellDoor } from './crew/shell.ts';
import { createDiscretion, type Discretion } from './discretion.ts';
import { createGates } from './gates.ts';
import { createHands, type Hands } from './hands.ts';
import type { HarnessOptions } from './harness.ts';
import { createHistory } from './history.ts';
import { gatherKnowledge, type Knowledge } from './knowledge.ts';
import { createMemory } from './memory.ts';
import type { Models } from './models.ts';
import { createRecord, type Record } from './record.ts';
import { createSession } from './session.ts';
import { createSessionCaps, goOnBy } from './session-caps.ts';
import type { Stored } from './store.ts';
import type { Session } from './types.ts';
import { createUserShell, type UserShell } from './user-shell.ts';
import { createWall, type Wall } from './wall.ts';

/** A sentence where the session can't be had: no model, no key, a tool that isn't there. */
export async function compose(
  options: HarnessOptions,
  stored: Stored,
  models: Models,
  clock: Clock,
): Promise<Session | string> {
  const { settings } = options;
  const id = stored.header.session;
  const log = createLog({ ...stored, time: clock.time, newId: newEntryId, warn: options.warn });
  const before = log.path().findLast((entry) => entry.type === 'opened');
  const choice = await createChoice(models, { model: settings.model, effort: settings.effort }, log.path());
  if (typeof choice === 'string') return choice;
  const tally = createTally(log.all);
  const caps = createSessionCaps(options, choice, () => tally().usage.cost ?? 0, clock);
  if (typeof caps === 'string') return caps;

  const record: Record = createRecord(log, () => opening);
  const body = createBody(options, { stored, models, choice, caps, record });
  const { hands } = body;
  const knowledge = await gatherKnowledge(options);
  const companions = createCompanions(options, { ...body, session: id, knowledge, record });
  const tools = await chooseTools(options, [...hands.tools, ...companions], before?.tools);
  if (typeof tools === 'string') return tools;
  warnOfIdleRules(options, tools);
  const system = before?.system ?? (await knowledge.system(tools));
  const opening: Entry = openingOf(options, system, tools, choice);
  const session = assemble(options, { stored, choice, caps, record, body, knowledge, tools, system, tally, clock });
  joinParent(session, options);
  if (before) await catchUp(options, id, record, choice);
  return session;
}

type Pieces = Omit<Core, 'models'> & {
  readonly body: ReturnType<typeof createBody>;
  readonly knowledge: Knowledge;
  readonly tools: readonly Tool[];
  readonly system: string;
  readonly tally: Session['totals'];
  readonly clock: Clock;
};

/** The agent of the session: each of its parts, decorated. The innermost is written first. */
function assemble(options: HarnessOptions, pieces: Pieces): Session {
  const { stored, choice, caps, record, knowledge, tools, system, tally, clock } = pieces;
  const { gates, crew, hands } = pieces.body;
  const going = createHistory(options, {
    ...gates,
    record,
    clock,
    moved: () => choice.follow(record.path()),
  });
  const { snapshotting } = going;
  const model: Model = (request, signal) => choice.current().run(request, signal);
  const goOn = goOnBy(options.ask);
  const memory = createMemory({
    record,
    choice,
    request: { system, tools: tools.map(toSchema) },
    prompts: knowledge.prompts,
    model: caps.guard(model),
    goOn,
  });
  const bounded = knowledge.withNested(tools.map(memory.limit), { system, shown: record.messages });
  return createSession({
    ...crew,
    ...gates,
    ...memory,
    ...going,
    ...hands,
    id: stored.header.session,
    cwd: options.cwd,
    file: stored.path,
    record,
    agent: {
      system,
      tools: snapshotting ? bounded.map(snapshotting.tool) : bounded,
      gate: gates.gate,
      model: snapshotting?.model(model) ?? model,
      view: knowledge.view(memory.view, gates.mode),
    },
    settle: snapshotting?.settle ?? nothing,
    choice,
    caps,
    totals: tally,
    memory,
    attended: options.ask !== undefined,
    unanswered: options.answerSchema === undefined ? undefined : toldByRein(knowledge.prompts.unanswered.trim()),
    now: clock.now,
    skills: knowledge.skills,
    dispose: () => hands.close().then(going.close).then(stored.release),
    kill: hands.kill,
  });
}

async function* nothing(): AsyncGenerator<Event, void> {}

/** What a resumed session has to be told: results that were lost with its program, another model. */
async function catchUp(options: HarnessOptions, id: string, record: Record, choice: Choice): Promise<void> {
  for (const message of recovered(options, id, record)) await record.commit({ type: 'message', message });
  if (choice.current().spec.name !== foldModel(record.path())?.model) await record.commit(choice.entry());
}

type Core = {
  readonly stored: Stored;
  readonly models: Models;
  readonly choice: Choice;
  readonly caps: Caps;
  readonly record: Record;
};

/** What acts, and what holds it: tools, sub-agents, the wall, the policy. They know of each other only when they run. */
function createBody(options: HarnessOptions, { stored, models, choice, caps, record }: Core) {
  const trees = treesOf(options, stored.header.session);
  const folder = join(options.stateFolder, 'run', stored.header.session);
  const wall = createWall(options, {
    mode: () => gates.mode(),
    bounds: options.leash?.roots,
    folder,
    door: async () => (await hands.door()).home,
  });
  const gates = createGates({ ...options, trees, wall }, record);
  const crew = createSessionCrew(options, stored, { trees, wall, caps, choice, record, ...gates });
  const discretion = createDiscretion(options, hiddenVariables(options, models), record.path());
  const hands = createSessionHands(options, { stored, choice, models, crew, discretion, folder, wall, ...gates });
  return { gates, crew, discretion, hands };
}

type Household = Pick<CrewOptions, 'trees' | 'wall' | 'caps' | 'judge' | 'record'> & {
  readonly choice: Choice;
};

const createSessionCrew = (options: HarnessOptions, stored: Stored, { choice, ...more }: Household): Crew =>
  createCrew({
    ...options,
    ...more,
    session: stored.header.session,
    depth: options.leash?.depth ?? 0,
    from: options.leash?.from ?? [],
    model: () => choice.current().spec.name,
    ephemeral: stored.path === null,
    enter: options.parent?.enter,
  });

type Surroundings = {
  readonly stored: Stored;
  readonly choice: Choice;
  readonly models: Models;
  readonly crew: Crew;
  readonly discretion: Discretion;
  readonly folder: string;
  readonly wall: Wall;
  readonly isHidden: (path: string) => boolean;
};

type SessionHands = Hands & { readonly door: ShellDoor['open']; readonly shell: UserShell };

/** The tools, the door in their shell, and a shell for the person. */
function createSessionHands(options: HarnessOptions, surroundings: Surroundings): SessionHands {
  const { stored, choice, models, crew, folder, wall } = surroundings;
  const { variables, client, settings } = options;
  const door = createShellDoor({
    folder: dirname(folder),
    client,
    path: variables['PATH'] ?? '',
    crew,
    warn: options.warn,
  });
  const hands = createHands({
    root: options.cwd,
    home: options.home,
    variables: { ...variables, ...aboutSession(stored, choice, depthOf(options)) },
    hidden: hiddenVariables(options, models),
    limits: settings.limits ?? {},
    prepare: door.open,
    privateHosts: settings.privateHosts ?? [],
    ...surroundings,
  });
  const shell = createUserShell({ ...options, folder, redactor: surroundings.discretion.redactor });
  const close = async () => {
    await Promise.all([crew.close(), shell.close()]);
    door.close();
    await hands.close();
    wall.close();
  };
  const kill = () => {
    door.close();
    shell.kill();
    hands.kill();
    wall.close();
  };
  return { ...hands, close, kill, door: door.open, shell };
}

export const newEntryId = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 12);

const toSchema = ({ name, description, input }: Tool): ToolSchema => ({ name, description, input });

function openingOf({ cwd }: HarnessOptions, system: string, tools: readonly Tool[], choice: Choice): Entry {
  const effort = choice.effort();
  return {
    type: 'opened',
    version: 1,
    cwd,
    system,
    tools: tools.map(toSchema),
    model: choice.current().spec.name,
    ...(effort === undefined ? {} : { effort }),
  };
}

/** How many of these programs stand above this one: a courtesy, so that a start file which calls rein comes to an end. */
const depthOf = ({ leash, variables }: HarnessOptions): number =>
  leash?.depth ?? (Number.parseInt(variables['REIN_DEPTH'] ?? '', 10) + 1 || 0);

/** What every command may know of the session that runs it. */
const aboutSession = ({ header, path }: Stored, choice: Choice, depth: number) => ({
  REIN_SESSION_ID: header.session,
  REIN_SESSION_FILE: path ?? '',
  REIN_MODEL: choice.current().spec.name,
  REIN_DEPTH: String(depth),
});

/** The keys of all vendors, and what the user hides beside them. */
const hiddenVariables = ({ settings }: HarnessOptions, { catalog }: Models): readonly string[] => [
  ...Object.entries(catalog.vendors).flatMap(([name, vendor]) => keysOf(name, vendor)),
  ...(settings.hiddenVariables ?? []),
];

/** Everything a child sees, its parent sees too; what a person says to it comes the same way. */
function joinParent(session: Session, { parent }: HarnessOptions): void {
  if (!parent) return;
  void relay(session, parent.show);
  parent.onSteer((target, text) => session.steer(target, text));
}

async function relay(session: Session, show: NonNullable<HarnessOptions['parent']>['show']): Promise<void> {
  for await (const seen of session.events()) show(session.id, seen);
}
