import type { Context, Output } from '../core/types.ts';
import type { Run } from '../env/processes/run.ts';
import { describeCode } from './bash-result.ts';
import { text } from './define.ts';
import { endsWithin } from './follow.ts';

/** A command in the background, as people see it. */
export type Job = {
  readonly id: string;
  readonly command: string;
  readonly pid: number;
  /** Milliseconds since the epoch, for people. */
  readonly since: number;
  /** Absent while it runs. */
  readonly code?: number;
  /** What it printed so far, bounded; the model's own reading goes on where it was. */
  readonly output: () => string;
  /** Ends it with all it started; the model is told with its next command. */
  readonly stop: () => Promise<void>;
};

type Kept = { readonly id: string; readonly run: Run; readonly since: number; read: number; told: boolean };

const ACTIONS = ['read', 'wait', 'kill'] as const;

export type JobAction = (typeof ACTIONS)[number];

export const isJobAction = (command: string): command is JobAction => ACTIONS.some((action) => action === command);

/** The background jobs of a session. They end with it. */
export const createJobs = () => {
  const kept: Kept[] = [];
  const find = (id: string): Kept | undefined => kept.find((job) => job.id === id);
  return {
    add: (run: Run, notes: readonly string[]): Output => {
      const id = String(kept.length + 1);
      kept.push({ id, run, since: Date.now(), read: 0, told: false });
      const started = `job ${id} started (pid ${run.pid}); job: "${id}" with command read, wait or kill follows it`;
      return text([...notes, started].map((line) => `[${line}]`).join('\n'), { job: id, pid: run.pid });
    },
    /** What is wrong with an action on a job, if anything. */
    check: (id: string, action: string): string | undefined => {
      if (!isJobAction(action)) {
        return 'bash with "job" takes "command" as read, wait or kill; to start a job, send background: true without "job"';
      }
      const ids = kept.map((job) => job.id).join(', ');
      return find(id)
        ? undefined
        : `bash has no job "${id.slice(0, 40)}"; ${ids ? `its jobs: ${ids}` : 'none was started'}`;
    },
    act: async (id: string, action: JobAction, seconds: number, { signal }: Context): Promise<Output> => {
      const job = find(id);
      if (!job) return text(`[no job ${id}]`);
      if (action === 'kill') await job.run.stop();
      if (action === 'wait') await endsWithin(job.run, seconds * 1000, signal);
      return report(job);
    },
    /** Jobs that ended and whose end nobody was told yet. */
    news: (): readonly string[] =>
      kept.flatMap((job) => {
        const end = job.run.end();
        if (!end || job.told) return [];
        job.told = true;
        return [...end.notes, `job ${job.id} ended (exit code ${end.code})`];
      }),
    list: (): readonly Job[] =>
      kept.map(({ id, run, since }) => {
        const code = run.end()?.code;
        const stop = async () => void (await run.stop());
        const ended = code === undefined ? {} : { code };
        return { id, command: run.command, pid: run.pid, since, output: () => run.output.text(), stop, ...ended };
      }),
  };
};

/** What it printed since the last report, and how it stands. */
const report = (job: Kept): Output => {
  const { run } = job;
  const end = run.end();
  const output = run.output.text(job.read).replace(/\n$/, '');
  job.read = run.output.total();
  if (end) job.told = true;
  const why = end?.cause === 'deadline' ? ' by its timeout' : '';
  const state = end
    ? [...end.notes.map((note) => `[${note}]`), `[job ${job.id} ended${why}]`, describeCode(end)].join('\n')
    : `[job ${job.id} still runs (pid ${run.pid})]`;
  return text(output === '' ? state : `${output}\n${state}`, { job: job.id, ...(end ? { exitCode: end.code } : {}) });
};
