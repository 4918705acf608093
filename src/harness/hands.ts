/** The standard tools, put together for one session. */
import { join } from 'node:path';
import type { Tool } from '../core/types.ts';
import { createFiles } from '../env/files/index.ts';
import { makePrivateFolder } from '../env/private-folder.ts';
import { createProcesses, type Processes } from '../env/processes/processes.ts';
import type { Limits } from '../env/processes/shell.ts';
import { createRipgrep } from '../env/ripgrep.ts';
import { type Bash, createBash } from '../tools/bash.ts';
import { editFile } from '../tools/edit_file.ts';
import { listFiles } from '../tools/list_files.ts';
import { readFile } from '../tools/read_file.ts';
import { searchFiles } from '../tools/search_files.ts';
import { createSeen } from '../tools/seen.ts';
import { createWebFetch } from '../tools/web_fetch.ts';
import { writeFile } from '../tools/write_file.ts';
import type { Discretion } from './discretion.ts';
import { withRedaction } from './redaction.ts';
import type { Wall } from './wall.ts';

export type HandsOptions = {
  /** Absolute and real. */
  readonly root: string;
  readonly home: string;
  /** A private folder of the session, for outputs that are too long. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Names of variables that commands must not see. */
  readonly hidden: readonly string[];
  /** Makes ready what commands find on their PATH, before the first of them runs. */
  readonly prepare: () => Promise<{ readonly variables: Readonly<Record<string, string>> }>;
  readonly limits: Limits;
  readonly privateHosts: readonly string[];
  readonly discretion: Discretion;
  readonly wall: Wall;
  /** A search through a folder leaves these files out. */
  readonly isHidden: (path: string) => boolean;
};

export type Hands = Pick<Bash, 'jobs' | 'background'> & {
  readonly tools: readonly Tool[];
  /** Ends every process that the tools started. */
  readonly close: () => Promise<void>;
  /** The same at once and without grace. */
  readonly kill: () => void;
};

export function createHands(options: HandsOptions): Hands {
  const { root, home, variables } = options;
  const processes = lazyProcesses(options);
  const seen = createSeen();
  const ports = { files: createFiles({ home }), root, seen, ripgrep: createRipgrep() };
  const hid = (paths: readonly string[]) => paths.forEach(seen.hid);
  const {
    tool: bash,
    jobs,
    background,
  } = createBash({
    processes,
    cwd: root,
    // The Windows subsystem for Linux: its disks are those of Windows.
    windows: variables['WSL_DISTRO_NAME'] !== undefined,
    hostPath: options.wall.hostPath,
  });
  const tools = [
    bash,
    readFile(ports),
    writeFile(ports),
    editFile(ports),
    listFiles(ports),
    searchFiles({ ...ports, isHidden: options.isHidden }),
    createWebFetch({ allowPrivate: options.privateHosts }),
  ];
  return {
    tools: tools.map(withRedaction({ ...options.discretion, hid })),
    jobs,
    background,
    close: processes.close,
    kill: processes.kill,
  };
}

/** A session that runs no command makes no folder, opens no socket and puts nothing on a PATH. */
function lazyProcesses({
  folder,
  variables,
  hidden,
  limits,
  prepare,
  wall,
}: HandsOptions): Pick<Processes, 'start' | 'close' | 'kill'> {
  let made: Promise<Processes> | undefined;
  let ready: Processes | undefined;
  const make = async () => {
    const shell = await prepare();
    await wall.ready();
    ready = createProcesses({
      folder: makePrivateFolder(join(folder, 'output')),
      env: { ...variables, ...shell.variables },
      secret: hidden,
      limits,
      wrap: wall.wrap,
    });
    return ready;
  };
  return {
    start: async (order) => {
      made ??= make();
      return (await made).start(order);
    },
    // What could not be made has nothing to close.
    close: () =>
      made?.then(
        (processes) => processes.close(),
        () => {},
      ) ?? Promise.resolve(),
    kill: () => ready?.kill(),
  };
}
