/** The sandbox around commands, as one session has it: found, tested once, and never quietly missing. */
import { existsSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isInside } from '../env/inside.ts';
import type { ProcessSettings } from '../env/processes/processes.ts';
import { findGitFolders, findSandbox, type Sandbox, type Walls } from '../env/sandbox/index.ts';
import { readRules } from './gates.ts';
import type { HarnessOptions } from './harness.ts';
import type { Mode, Settings } from './settings.ts';

export type Wall = {
  /** Resolves when it is known whether commands are walled. Called before the first of them is judged. */
  readonly ready: () => Promise<void>;
  /** Whether the next command runs inside. Only after `ready`. */
  readonly holds: () => boolean;
  readonly wrap: NonNullable<ProcessSettings['wrap']>;
  /** Where a path that a command named stands for everybody else. */
  readonly hostPath: (path: string) => string;
  /** Before somebody else writes a protected path that was allowed. */
  readonly release: (path: string) => void;
  readonly close: () => void;
};

export type WallOptions = {
  readonly mode: () => Mode;
  /** Folders that a sub-agent may write at most; its own folder counts only inside of them. */
  readonly bounds: readonly string[] | undefined;
  /** The session's private folder. */
  readonly folder: string;
  /** Opens the door to sub-agents; resolves with its folder. */
  readonly door: () => Promise<string | undefined>;
};

/** Below the home: what opens other doors. */
const CREDENTIALS = [
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.docker',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '.password-store',
  '.config/gh',
  '.config/gcloud',
  '.local/share/keyrings',
];

/** In the workspace: what other programs read and obey later. */
const OBEYED = [
  '.rein',
  '.claude',
  '.agents',
  '.mcp.json',
  '.envrc',
  '.vscode',
  '.idea',
  '.husky',
  '.devcontainer',
  '.pre-commit-config.yaml',
];

/** In the home, where that is the workspace. */
const START_FILES = ['.bashrc', '.bash_profile', '.profile', '.zshrc', '.zshenv', '.zprofile', '.config/autostart'];

export function createWall(options: HarnessOptions, more: WallOptions): Wall {
  const { settings, cwd, warn } = options;
  const { mode } = more;
  let sandbox: Sandbox | undefined;
  let obeyed: readonly string[] = [];
  let doorFolder: string | undefined;
  let denied: readonly string[] = [];
  let finding: Promise<void> | undefined;
  const bound = options.leash?.walled === true;
  const wanted = () => bound || wantsWall(settings, mode());
  const bounded = more.bounds && !more.bounds.some((root) => isInside(root, cwd));

  const build = () => {
    obeyed = obeyedIn(cwd);
    const walls = describeWalls(options, more.folder, { obeyed, door: doorFolder, denied });
    return findSandbox(walls, { platform: process.platform, env: options.variables });
  };
  const find = async () => {
    doorFolder = await more.door();
    denied = deniedPaths(options);
    const found = build();
    if ('missing' in found) return tell(found.missing);
    const report = await found.selfTest();
    if (report.ok) sandbox = found.sandbox;
    else tell(report.fix ?? report.checks.find(({ ok }) => !ok)?.detail ?? 'its self-test failed');
  };
  const tell = (why: string) =>
    warn(`commands have no sandbox here, so what it would have walled is asked. ${why} (rein doctor tells more)`);

  return {
    ready: async () => {
      if (!wanted()) return;
      finding ??= find().catch((error: unknown) => tell(error instanceof Error ? `${error.message}.` : String(error)));
      await finding;
    },
    holds: () => sandbox !== undefined && wanted(),
    wrap: (launch, { network = false }) => {
      if (!wanted()) return launch;
      if (!sandbox && bound) throw new Error('the sandbox of the agent above does not work here, so nothing was run');
      if (!sandbox) return launch;
      // What came up since then, by a person's leave, is walled like the rest.
      const anew = obeyedIn(cwd).join() === obeyed.join() ? undefined : build();
      if (anew && 'sandbox' in anew) sandbox = anew.sandbox;
      return sandbox.wrap(launch, { network, readonly: mode() === 'plan' || bounded === true });
    },
    hostPath: (path) => sandbox?.hostPath(path) ?? path,
    release: (path) => sandbox?.release(path),
    close: () => {
      sandbox?.close();
      rmSync(join(more.folder, 'tmp'), { recursive: true, force: true });
    },
  };
}

/** Bypass means no questions and no wall, unless the wall is asked for by name. */
export const wantsWall = ({ sandbox }: Settings, mode: Mode): boolean =>
  sandbox !== 'off' && (mode !== 'bypass' || sandbox === 'on');

const within = (base: string, names: readonly string[]) => names.map((name) => join(base, name));

/** The names in the workspace that are there and must stay as they are. */
const obeyedIn = (cwd: string): readonly string[] => within(cwd, OBEYED).filter((path) => existsSync(path));

function describeWalls(
  { cwd, home, settings, configFolder, stateFolder, client }: HarnessOptions,
  folder: string,
  { obeyed, door, denied }: { obeyed: readonly string[]; door: string | undefined; denied: readonly string[] },
): Walls {
  const temp = join(folder, 'tmp');
  const holds = join(stateFolder, 'run', 'holds');
  for (const path of [temp, holds]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const git = findGitFolders(cwd);
  return {
    root: cwd,
    temp,
    holds,
    home,
    writable: [...(settings.addDirs ?? []), ...git.writable],
    hidden: [...within(home, CREDENTIALS), configFolder, stateFolder, ...denied],
    protect: [...obeyed, ...git.protect, ...(cwd === home ? within(home, START_FILES) : [])],
    // What is not there is not held by an empty folder, which everybody would see: what comes up is moved aside.
    watched: [...within(cwd, OBEYED), ...git.watched],
    readable: [join(folder, 'output'), ...client.filter((word) => word.startsWith('/')), ...(door ? [door] : [])],
    doors: door ? [door] : [],
  };
}

/** Deny rules that a wall can hold: paths as they are, and what stands there now for those with wildcards. */
const MAX_DENIED = 200;

function deniedPaths({ settings, cwd, home }: HarnessOptions): readonly string[] {
  const patterns = readRules(settings).flatMap(({ effect, tool, match }) =>
    effect === 'deny' && tool === 'read_file' && match.kind === 'path' ? [match.pattern] : [],
  );
  const found = patterns.map((pattern) => {
    if (!/[*?[\]{}]/.test(pattern)) return [resolve(cwd, pattern.replace(/^~(?=\/)/, home))];
    return globSync(pattern.replace(/^~(?=\/)/, home), { cwd, exclude: isGenerated })
      .slice(0, MAX_DENIED)
      .map((path) => resolve(cwd, path));
  });
  return found.flat();
}

/** What is made again, and too much to look through. */
const isGenerated = (path: string): boolean => /(?:^|\/)(?:node_modules|\.git)$/.test(path);
