import { join } from 'node:path';
import type { Fetch, Json, Model, Tool } from '../core/types.ts';
import { createClock } from '../env/clock.ts';
import { createDisk } from '../env/disk.ts';
import { createFetch } from '../env/http.ts';
import { createCatalog } from '../providers/index.ts';
import { createLog } from '../session/index.ts';
import type { SpawnAgent } from '../tools/task.ts';
import { compose, newEntryId } from './compose.ts';
import { withKeys } from './credentials.ts';
import { type Above, type Leash, leashSettings } from './crew/leash.ts';
import { createHistory, type History } from './history.ts';
import { createModels, type Models, ownModels } from './models.ts';
import { createRecord } from './record.ts';
import { extraCatalog, type Settings } from './settings.ts';
import { readBegin } from './shelf.ts';
import { createStore, type Store, type Stored } from './store.ts';
import { trustedIn } from './trust.ts';
import type { Ask, Session } from './types.ts';

export type HarnessOptions = {
  /** Absolute and real. */
  readonly cwd: string;
  readonly settings: Settings;
  readonly home: string;
  readonly configFolder: string;
  readonly stateFolder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly offline: boolean;
  /** The hash of the folder's own configuration where the person trusts it: only then it may be read into effect. */
  readonly trusted?: string | undefined;
  /** The session's log lies elsewhere than rein keeps them: whoever wrote it, what it grants does not count. */
  readonly foreign?: boolean;
  /** Safe mode: no instructions, skills, commands or agents from files. */
  readonly bare?: boolean;
  /** Runs a sub-agent; this package's own program unless given. */
  readonly spawnAgent?: SpawnAgent;
  /** How models are reached; rein's own unless given. */
  readonly fetch?: Fetch;
  /** A model of the program's own, instead of all others. */
  readonly model?: Model;
  /** Tools of the program's own, beside the standard ones. */
  readonly tools?: readonly Tool[];
  /** Absent where nobody can be asked: what would be asked is refused. */
  readonly ask?: Ask;
  /** Something a person should know; it is no part of any session. */
  readonly warn: (text: string) => void;
  /** The command lines of this program and of its thin client. */
  readonly program: readonly string[];
  readonly client: readonly string[];
  /** Where this is a sub-agent. */
  readonly leash?: Leash;
  readonly parent?: Above;
  /** The final answer has to fit this JSON schema. */
  readonly answerSchema?: Json;
};

export type Opening = {
  /** A path, from `store.find`; absent for a new session. */
  readonly resume?: string;
  readonly fork?: boolean;
  /** With `fork`: the entry up to which the copy goes; absent for all that led to where the session stands. */
  readonly at?: string;
  /** No record on disk. */
  readonly ephemeral?: boolean;
};

export type Harness = {
  /** A sentence where it can't be opened. */
  readonly open: (opening?: Opening) => Promise<Session | string>;
  /** A session's history alone, which needs no model. A sentence where it can't be opened. */
  readonly revisit: (
    path: string,
  ) => Promise<{ readonly history: History; readonly close: () => Promise<void> } | string>;
  readonly store: Store;
  readonly models: Models;
};

/** Milliseconds that a server may make us wait: a person can see it and stop it, a program can't. */
const MAX_WAIT = { attended: 600_000, headless: 60_000 };

export function createHarness(given: HarnessOptions): Harness {
  const { leash } = given;
  const settings = leash ? leashSettings(given.settings, leash) : given.settings;
  const options = { ...given, settings, bare: leash?.bare ?? given.bare ?? false };
  const clock = createClock();
  const sessions = join(options.stateFolder, 'sessions');
  const store = createStore(sessions, clock.time);
  const { real } = createDisk();
  const isKept = (path: string): boolean => real(path).startsWith(`${real(sessions)}/`);
  const catalog = createCatalog(extraCatalog(settings));
  const models = options.model
    ? ownModels(options.model, catalog)
    : createModels({
        catalog,
        variables: withKeys(options.configFolder, options.variables),
        fetch: options.fetch ?? createFetch({ proxy: options.variables }),
        clock,
        fallback: settings.fallbackModel,
        baseUrl: settings.baseUrl,
        maxWait: options.ask ? MAX_WAIT.attended : MAX_WAIT.headless,
        offline: options.offline,
        capped: settings.maxCost !== undefined || leash?.limits.cost !== undefined,
      });

  const open = async ({ resume, fork, at, ephemeral }: Opening = {}): Promise<Session | string> => {
    if (leash && resume !== undefined && !isKin(resume, leash)) return NOT_KIN;
    const stored = await store.take({
      cwd: options.cwd,
      resume,
      fork,
      at,
      ephemeral: ephemeral === true || leash?.ephemeral === true,
      startedBy: leash?.startedBy,
    });
    if (typeof stored === 'string') return stored;
    for (const complaint of stored.records?.complaints ?? []) options.warn(`${stored.path}: ${complaint}.`);
    const { cwd } = stored;
    const foreign = resume !== undefined && !isKept(resume);
    const complaint = foreign ? complaintAbout(resume, stored, options.cwd, fork === true) : undefined;
    if (complaint !== undefined) {
      await stored.release();
      return complaint;
    }
    if (cwd !== options.cwd)
      options.warn(`this session works in its own folder, ${cwd}, and its rights count from there.`);
    const trusted = trustedIn(cwd, leash ? leash.trusted : options.trusted);
    const session = await compose({ ...options, cwd, trusted, foreign }, stored, models, clock);
    if (typeof session === 'string') await stored.release();
    return session;
  };
  const revisit: Harness['revisit'] = async (path) => {
    const stored = await store.take({ cwd: options.cwd, resume: path });
    if (typeof stored === 'string') return stored;
    const log = createLog({ ...stored, time: clock.time, newId: newEntryId, warn: options.warn });
    const record = createRecord(log, () => ({ type: 'label', label: 'revisited' }));
    const { history, close } = createHistory({ ...options, cwd: stored.cwd }, { record, clock });
    return { history, close: () => close().then(stored.release) };
  };
  return { open, revisit, store, models };
}

/** A log that somebody else may have written: it must not choose the workspace, and its grants must not become ours. */
function complaintAbout(path: string, { cwd, records }: Stored, here: string, fork: boolean): string | undefined {
  const what = `${path} is none of the sessions that rein keeps`;
  if (cwd !== here) return `${what}, and it works in ${cwd}. Start rein there to go on with it.`;
  const grants = records?.entries.some(({ type }) => type === 'grant');
  return fork && grants ? `${what}, and a copy would take its grants along. Go on with it in its place.` : undefined;
}

/** A child may go on with what its own parent started, and with nothing else that the user has. */
const isKin = (path: string, leash: Leash): boolean =>
  readBegin(path, 'header').header?.startedBy?.session === leash.startedBy.session;

const NOT_KIN = 'a sub-agent can go on only with a sub-agent of the same session.';
