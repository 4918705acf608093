import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import type { Access, Context, Event, Tool } from '../core/types.ts';
import type { Processes } from '../env/processes/processes.ts';
import type { Run } from '../env/processes/run.ts';
import description from './bash.md';
import { describeEnd } from './bash-result.ts';
import { defineTool, failure } from './define.ts';
import { follow } from './follow.ts';
import { createJobs, isJobAction, type Job } from './jobs.ts';

/** Seconds. */
const DEFAULT = 120;
const MAX = 1800;

export type BashSettings = {
  readonly processes: Pick<Processes, 'start'>;
  /** The session's folder: absolute and real. */
  readonly cwd: string;
  /** A POSIX shell on disks of Windows (WSL): a file named nul could not be deleted there. */
  readonly windows?: boolean;
  /** Where a folder that a command ended in stands for everybody else: a sandbox may show it elsewhere. */
  readonly hostPath?: (path: string) => string;
};

export type Bash = {
  readonly tool: Tool;
  /** Background jobs, oldest first, for people. */
  readonly jobs: () => readonly Job[];
  /** Commands that are waited for go on as jobs. False where there is none. */
  readonly background: () => boolean;
};

const input = () =>
  z.strictObject({
    command: z.string(),
    timeout_seconds: z.optional(z.number().check(z.describe(`default ${DEFAULT}, max ${MAX}`))),
    network: z.optional(z.boolean().check(z.describe('off by default'))),
    background: z.optional(z.boolean().check(z.describe('as a job'))),
    job: z.optional(z.string().check(z.describe('id; command: read, wait or kill'))),
  });

/** The access of a call that starts something knows where: all calls of a reply ask before the first of them runs. */
type Place = Access & { readonly cwd: string; readonly order: number; readonly notes: readonly string[] };

export const createBash = ({ processes, cwd: root, windows = false, hostPath = same }: BashSettings): Bash => {
  const jobs = createJobs();
  const place = createPlace(root);
  const attention = createAttention();
  const start = (command: string, at: Place, context: Context, timeout: number | undefined, signal: boolean) =>
    processes
      .start({
        command,
        cwd: at.cwd,
        timeout: timeout && timeout * 1000,
        signal: signal ? context.signal : undefined,
        variables: { REIN_CALL: context.call },
        network: at.network,
      })
      .catch((error: unknown) => `could not start: ${error instanceof Error ? error.message : String(error)}`);

  const tool = defineTool({
    name: 'bash',
    description,
    input: input(),
    access: ({ command, job, network, timeout_seconds: seconds }): Place | string => {
      if (seconds !== undefined && !(seconds > 0)) return `bash needs "timeout_seconds" above 0, at most ${MAX}`;
      if (command.includes('\0')) return 'bash can take no NUL character in "command"; use printf or a file';
      if (windows && writesToNul(command)) return 'bash would make a file named nul: send it to /dev/null instead';
      const base = { show: firstLine(command), command, anything: true, ...(network ? { network } : {}) } as const;
      if (job === undefined) return { ...place.next(), ...base };
      const complaint = jobs.check(job, command);
      return complaint ?? { show: `${command} job ${job}`, cwd: root, order: 0, notes: [] };
    },
    run: async function* ({ command, timeout_seconds: seconds, background, job }, context, at) {
      if (job !== undefined && isJobAction(command)) {
        return jobs.act(job, command, Math.min(seconds ?? DEFAULT, MAX), context);
      }
      const notes = [...at.notes];
      if (seconds !== undefined && seconds > MAX) notes.push(`timeout_seconds lowered from ${seconds} to ${MAX}`);
      const limit = Math.min(seconds ?? DEFAULT, MAX);
      const run = await start(command, at, context, background ? seconds && limit : limit, !background);
      if (typeof run === 'string') return failure(run);
      if (background) return jobs.add(run, notes);
      if (!(yield* attention.attend(run, context))) {
        run.release();
        return jobs.add(run, [...notes, 'the user moved this to the background']);
      }
      const ended = await run.ended;
      if (ended.cwd !== undefined) place.move(hostPath(ended.cwd), at.order);
      notes.push(...jobs.news());
      return describeEnd(run, ended, { root, cwd: ended.cwd ?? at.cwd, limit, notes });
    },
  });
  return { tool, jobs: jobs.list, background: attention.background };
};

/** The commands that are waited for. */
const createAttention = () => {
  const waiting = new Set<AbortController>();
  return {
    /** False where the person sent it to the background. */
    attend: async function* (run: Run, context: Context): AsyncGenerator<Event, boolean> {
      const behind = new AbortController();
      waiting.add(behind);
      try {
        return yield* follow(run, context, behind.signal);
      } finally {
        waiting.delete(behind);
      }
    },
    background: (): boolean => {
      for (const behind of waiting) behind.abort();
      return waiting.size > 0;
    },
  };
};

const same = (path: string): string => path;

const firstLine = (command: string): string => command.trim().replace(/\n.*$/s, ' …');

/** The directory that is carried from call to call, in the order of calls, whatever order they end in. */
const createPlace = (root: string) => {
  let cwd = root;
  let calls = 0;
  let movedBy = 0;
  return {
    next: () => {
      const exists = nearestFolder(cwd);
      const notes = exists === cwd ? [] : [`${cwd} is gone; this ran in ${exists}`];
      cwd = exists;
      return { cwd, order: ++calls, notes };
    },
    move: (to: string, order: number): void => {
      if (order < movedBy || to === cwd) return;
      [cwd, movedBy] = [to, order];
    },
  };
};

const nearestFolder = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() || dirname(path) === path
    ? path
    : nearestFolder(dirname(path));

const writesToNul = (command: string): boolean => /(?:^|[^\w'"])(?:\d|&)?>{1,2}&?\s*nul(?=$|[\s;&|)])/i.test(command);
