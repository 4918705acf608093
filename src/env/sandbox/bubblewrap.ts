import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../inside.ts';
import { whenGroupEnds } from './group.ts';
import { createHolds } from './holds.ts';
import { type Mount, type Plan, planMounts } from './mounts.ts';
import { exists } from './places.ts';
import { findSockets } from './sockets.ts';
import type { Launch, Options, Sandbox, Walls } from './types.ts';
import { watchNames } from './watch.ts';

/** What covers the unreadable: empty and closed. The folder can be listed, or nobody could delete what it is in. */
type Blanks = { readonly file: string; readonly folder: string };

type Wall = {
  readonly bwrap: string;
  readonly blanks: Blanks;
  /** Who we are decides which capabilities can be kept, or must be asked for. */
  readonly user: 'ordinary' | 'root' | 'root without rights';
  /** An `env` that sets signals (coreutils 8.31): with it a command that gets TERM may end in its own time. */
  readonly env: string | undefined;
};

/** Bytes that a read-only command may hold in memory as `/tmp`. */
const SCRATCH = 256 * 1024 * 1024;

/** Root in a container works on other people's files; none of these reaches beyond the mounts. */
const ROOT_KEEPS = ['CAP_DAC_OVERRIDE', 'CAP_CHOWN', 'CAP_FOWNER'];

/** Folders that begin empty, and what of `/run` programs can't do without: name servers, and all of NixOS. */
const FRESH = ['/dev', '/proc', '/run', '/tmp'];
const RUN_KEEPS = ['/etc/resolv.conf', '/run/current-system', '/run/wrappers'];

/** They name sockets that are not there. */
const WAYS_OUT = [
  ...['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GPG_AGENT_INFO', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'DOCKER_HOST', 'CONTAINER_HOST', 'WSL_INTEROP', 'VSCODE_IPC_HOOK_CLI'],
];

/** `root` must not be `/`: nothing would be outside of it. */
export const createBubblewrap = (bwrap: string, walls: Walls): Sandbox => {
  const wall: Wall = { bwrap, blanks: makeBlanks(walls.holds), user: findUser(), env: findEnv() };
  const holds = createHolds(walls.holds, walls.root);
  const temp = realpathSync(walls.temp);

  /** A name may come up between the look and the making; then look again. */
  const takeNames = (options: Options, tries = 3): Plan => {
    const plan = planMounts(walls, options);
    try {
      const refused = holds.take(plan.absent);
      return { ...plan, mounts: plan.mounts.filter(({ path }) => !refused.includes(path)) };
    } catch (error) {
      if (tries > 1) return takeNames(options, tries - 1);
      throw error;
    }
  };

  return {
    kind: 'bubblewrap',
    program: bwrap,
    wrap: (launch, options) => {
      const check = watchNames(walls, options);
      const { mounts, absent } = takeNames(options);
      const argv = bubblewrapArgv({ wall, mounts, sockets: findSockets(), keeps: runKeeps(), temp, launch, options });
      const ended = async (pid?: number): Promise<readonly string[]> => {
        if (pid !== undefined && !(await whenGroupEnds(pid))) return [];
        holds.free(absent);
        return check();
      };
      const env = Object.fromEntries(Object.entries(launch.env).filter(([name]) => !WAYS_OUT.includes(name)));
      return { argv, cwd: '/', env: { ...env, TMPDIR: options.readonly ? '/tmp' : temp }, ended };
    },
    hostPath: (path) => {
      const shown = [walls.root, ...(walls.writable ?? [])].some((folder) => isInside(folder, path));
      return isInside('/tmp', path) && !shown && !isOwnTmp(walls) ? join(temp, path.slice('/tmp'.length)) : path;
    },
    release: holds.release,
    close: holds.close,
  };
};

type Parts = {
  readonly wall: Wall;
  readonly mounts: readonly Mount[];
  readonly sockets: readonly string[];
  /** What is shown of `/run`. */
  readonly keeps: readonly string[];
  /** The session's folder that stands at `/tmp`. */
  readonly temp: string;
  readonly launch: Launch;
  readonly options: Options;
};

/** The command line; pure. Later mounts stand on earlier ones. */
const bubblewrapArgv = ({ wall, mounts, sockets, keeps, temp, launch, options }: Parts): readonly string[] => {
  const over = (path: string): Mount | undefined => mounts.findLast((mount) => isInside(mount.path, path));
  const scratch = ['--size', String(SCRATCH), '--tmpfs', '/tmp'];
  const visible = sockets.filter((path) => !over(path) && !FRESH.some((folder) => isInside(folder, path)));
  // Bubblewrap itself would die of a TERM to the group, and all inside with it, at once.
  const grace = (option: 'ignore' | 'default') => (wall.env === undefined ? [] : [wall.env, `--${option}-signal=TERM`]);
  return [
    ...grace('ignore'),
    ...[wall.bwrap, '--die-with-parent', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(options.network ? [] : ['--unshare-net']),
    ...(wall.user === 'root without rights' ? ['--unshare-user'] : []),
    ...['--cap-drop', 'ALL'],
    ...(wall.user === 'root' ? ROOT_KEEPS.flatMap((name) => ['--cap-add', name]) : []),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/run'],
    ...keeps.flatMap((path) => ['--ro-bind', path, path]),
    ...(options.readonly ? scratch : ['--bind', temp, '/tmp']),
    ...mounts.filter((mount) => !isGone(mount, over)).flatMap((mount) => mountOptions(mount, mounts, wall.blanks)),
    ...visible.flatMap((path) => ['--ro-bind', wall.blanks.file, path]),
    // Root could set what the kernel runs outside of every wall (`core_pattern`).
    ...(wall.user === 'ordinary' ? [] : ['--remount-ro', '/proc']),
    ...['--remount-ro', '/run', '--chdir', launch.cwd, '--'],
    ...grace('default'),
    ...launch.argv,
  ];
};

/** What would be hidden in a folder that begins empty isn't there. */
const isGone = ({ path, how }: Mount, over: (path: string) => Mount | undefined): boolean =>
  how === 'hide' && FRESH.some((folder) => isInside(folder, path)) && !over(join(path, '..'));

const mountOptions = ({ path, how, folder }: Mount, all: readonly Mount[], blanks: Blanks): readonly string[] => {
  if (how === 'write' || how === 'pin') return ['--bind', path, path];
  if (how !== 'hide') return ['--ro-bind', path, path];
  // Where something stands inside, its place must be made: that takes a folder of its own.
  const holdsMore = folder && all.some((other) => other.path !== path && isInside(path, other.path));
  if (holdsMore) return ['--perms', '0555', '--size', '65536', '--tmpfs', path];
  return ['--ro-bind', folder ? blanks.folder : blanks.file, path];
};

const isOwnTmp = ({ root, writable = [] }: Walls): boolean => [root, ...writable].includes('/tmp');

const runKeeps = (): readonly string[] => {
  const real = RUN_KEEPS.filter(exists).map((path) => {
    try {
      return realpathSync(path);
    } catch {
      return '';
    }
  });
  return real.filter((path) => isInside('/run', path));
};

const makeBlanks = (holds: string): Blanks => {
  const blanks = { file: join(holds, 'blank-file'), folder: join(holds, 'blank-folder') };
  mkdirSync(blanks.folder, { recursive: true });
  chmodSync(blanks.folder, 0o444);
  if (!exists(blanks.file)) writeFileSync(blanks.file, '', { mode: 0o000 });
  return blanks;
};

/** CAP_SYS_ADMIN, which root has not in every container. */
const SYS_ADMIN = 1n << 21n;

const findUser = (): Wall['user'] => {
  if (process.geteuid?.() !== 0) return 'ordinary';
  const rights = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return BigInt(`0x${rights}`) & SYS_ADMIN ? 'root' : 'root without rights';
};

/** By its full name: what a workspace puts on PATH must not run on this side of the wall. */
const ENV = '/usr/bin/env';
const findEnv = (): string | undefined =>
  spawnSync(ENV, ['--default-signal=TERM', '/bin/true'], { stdio: 'ignore' }).status === 0 ? ENV : undefined;
