import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unattendedEnvironment } from './environment.ts';
import { closePipe, createPipes } from './pipe.ts';
import { type Run, startRun } from './run.ts';
import { findShell, type Limits, shellArgv } from './shell.ts';
import { endTree, findTree, groupLives, MARK, signalTree, type Tree } from './tree.ts';

export type Order = {
  readonly command: string;
  /** Must exist. */
  readonly cwd: string;
  /** Milliseconds; absent for no deadline. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** It may reach the network, where a sandbox would keep it from that. */
  readonly network?: boolean | undefined;
  /** What this command sees beside the environment of all. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
};

/** The commands of one session. */
export type Processes = {
  /** What every process of the session carries in `REIN_MARK`. */
  readonly mark: string;
  /** Rejects where the system can't start it. */
  readonly start: (order: Order) => Promise<Run>;
  /** Ends all that lives, whatever group it is in. Nothing can be started any more. */
  readonly close: () => Promise<void>;
  /** The same at once and without grace, for a process that must leave now. */
  readonly kill: () => void;
};

export type Launch = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Called once when the process has exited, or without its id where it could not start; what a person should know. */
  readonly ended?: ((pid?: number) => Promise<readonly string[]>) | undefined;
};

export type ProcessSettings = {
  /** A private folder of the session: pipes, and outputs that are too much for memory. Outputs stay there. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Names of variables that commands must not see. */
  readonly secret?: readonly string[];
  readonly limits?: Limits;
  /** Puts a command into a sandbox. What it throws keeps the command from running. */
  readonly wrap?: (launch: Launch, order: Pick<Order, 'network'>) => Launch;
};

/** Milliseconds that the session's end gives to what still runs. */
const GRACE = 1000;

export const createProcesses = (settings: ProcessSettings): Processes => {
  const session = randomBytes(6).toString('hex');
  const { folder, limits = {}, wrap = (launch: Launch) => launch } = settings;
  const inherited = settings.env[MARK];
  const base = unattendedEnvironment(settings.env, settings.secret ?? []);
  const nextPipe = createPipes(join(folder, 'pipes'), base);
  const runs = new Set<Run>();
  let shell: string | undefined;
  let started = 0;
  let closed = false;

  const tree = (): Tree => ({ groups: [...runs].map(({ pid }) => pid).filter(groupLives), mark: session });

  const launchOf = ({ command, cwd, variables, network }: Order, mark: string, file: string): Launch => {
    shell ??= findShell(base['PATH'] ?? '');
    const env = { ...base, ...variables, [MARK]: inherited ? `${inherited}:${mark}` : mark };
    return wrap({ argv: shellArgv(shell, command, limits, file), cwd, env }, { network });
  };

  const start = async (order: Order): Promise<Run> => {
    mkdirSync(join(folder, 'pipes'), { recursive: true, mode: 0o700 });
    const number = ++started;
    const mark = `${session}.${number}`;
    const path = (kind: string) => join(folder, `${session}-${number}.${kind}`);
    const launch = launchOf(order, mark, path('sh'));
    const pipe = await nextPipe();
    if (closed || order.signal?.aborted) {
      closePipe(pipe);
      throw new Error(closed ? 'the session is closed' : 'stopped before it began');
    }
    const paths = { notePath: path('cwd'), outputPath: path('txt') };
    const run = await startRun({ ...order, ...launch, ...paths, mark, pipe });
    // A number is free for others once its group is gone, so groups are forgotten as soon as that is known.
    for (const old of runs) if (old.end() && !groupLives(old.pid)) runs.delete(old);
    runs.add(run);
    run.ended.then(() => rmSync(path('sh'), { force: true }));
    if (closed) await run.stop();
    return run;
  };

  return {
    mark: session,
    start,
    close: async () => {
      closed = true;
      if (started > 0 && findTree(tree()).length > 0) await endTree(tree(), GRACE);
      await Promise.all([...runs].map((run) => run.ended));
      rmSync(join(folder, 'pipes'), { recursive: true, force: true });
    },
    kill: () => {
      closed = true;
      if (started > 0) signalTree(tree(), 'SIGKILL');
    },
  };
};
