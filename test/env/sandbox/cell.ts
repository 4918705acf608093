import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Found, findSandbox, type Options, type Walls } from '../../../src/env/sandbox/index.ts';

export type Ran = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly notes: readonly string[];
};

/** A workspace, a home with a key in it, and a sandbox around what runs here. */
export type Cell = {
  readonly base: string;
  readonly root: string;
  readonly home: string;
  readonly walls: Walls;
  readonly found: Found;
  readonly run: (command: string, options?: Partial<Options> & { readonly cwd?: string }) => Promise<Ran>;
  readonly close: () => void;
};

export const OPEN: Options = { network: false, readonly: false };

/** Not below /tmp, which is empty inside. */
export const createBase = (): string => realpathSync(mkdtempSync('/var/tmp/rein-cell-'));

export const createCell = (more: (base: string, root: string) => Partial<Walls> = () => ({})): Cell => {
  const base = createBase();
  const [root, home] = [join(base, 'app'), join(base, 'home')];
  for (const name of ['app', 'home/.ssh', 'temp', 'holds']) mkdirSync(join(base, name), { recursive: true });
  writeFileSync(join(home, '.ssh/id'), 'TOPSECRET\n', { mode: 0o600 });
  writeFileSync(join(home, 'canary'), 'canary\n');
  const walls = {
    ...{ root, home, temp: join(base, 'temp'), holds: join(base, 'holds'), hidden: [join(home, '.ssh')] },
    ...more(base, root),
  };
  const env = { PATH: process.env['PATH'], HOME: home };
  const found = findSandbox(walls, { platform: process.platform, env });
  if ('missing' in found) throw new Error(found.missing);
  return {
    base,
    root,
    home,
    walls,
    found,
    run: (command, { cwd = root, ...options } = {}) => {
      const launch = { argv: ['/bin/bash', '-c', command], cwd, env: { ...env, H: home, W: root } };
      return finish(found, launch, { ...OPEN, ...options });
    },
    close: () => {
      found.sandbox.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
};

type Launch = Parameters<Found['sandbox']['wrap']>[0];

/** Milliseconds against hanging. */
const DEADLINE = 20_000;

export const finish = ({ sandbox }: Found, launch: Launch, options: Options): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const { argv, cwd, env, ended } = sandbox.wrap(launch, options);
    const [program = '', ...args] = argv;
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (out += text));
    const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE);
    child.once('error', reject);
    child.once('close', async (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, out, notes: await ended(child.pid) });
    });
  });
