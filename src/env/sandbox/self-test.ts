import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { explainFailure, readKernelSettings } from './find.ts';
import type { Check, Launch, Options, Report, Sandbox, Walls } from './types.ts';

/** Milliseconds; a wall that hangs is none. */
const DEADLINE = 10_000;

/**
 * Each line tries one thing and says `name=yes` where it worked. All in one process: a start is what costs. The
 * arguments: a word that proves that it ran, a new name, the workspace, a port, a hidden file, folders outside.
 */
const SCRIPT = `
echo "ran=$1"; name=$2; root=$3; port=$4; secret=$5; shift 5
can() { if "$@" 2>/dev/null; then printf 'yes\\n'; else printf 'no\\n'; fi; }
make() { : > "$1"; }
reach() { command -v bash >/dev/null && exec bash -c ': < /dev/tcp/127.0.0.1/$0' "$port"; }
echo "inside=$(can make "$root/$name"; rm -f "$root/$name" 2>/dev/null)"
echo "scratch=$(can make "\${TMPDIR:-/tmp}/$name"; rm -f "\${TMPDIR:-/tmp}/$name" 2>/dev/null)"
echo "secret=$(can grep -q . "$secret")"
echo "network=$(can reach)"
echo "net=$(readlink /proc/self/ns/net 2>/dev/null)"
echo "pid=$(readlink /proc/self/ns/pid 2>/dev/null)"
for folder do echo "outside=$(can make "$folder/$name")"; done
`;

/** Really tries what must work and what must fail, on this system, now. Some 30 ms; touches nothing that stays. */
export const testSandbox = async (
  create: (walls: Walls) => Sandbox,
  walls: Walls,
  env: NodeJS.ProcessEnv,
): Promise<Report> => {
  const trial = mkdtempSync(join(walls.holds, 'trial-'));
  const secret = join(trial, 'secret');
  writeFileSync(secret, 'secret\n', { mode: 0o600 });
  const sandbox = create({ ...walls, hidden: [...(walls.hidden ?? []), trial] });
  const listener = await listen();
  try {
    const attempt = (options: Options) => tryAll(sandbox, walls, env, options, secret, listener.port);
    const [open, closed] = await Promise.all([
      attempt({ network: false, readonly: false }),
      attempt({ network: false, readonly: true }),
    ]);
    const checks = judge(open, closed, listener.calls(), sandbox.kind);
    const ok = checks.every((check) => check.ok);
    const fix = ok ? '' : explainFailure(open.said, sandbox.program, readKernelSettings());
    return { ok, checks, ...(fix !== '' && { fix }) };
  } finally {
    listener.close();
    sandbox.close();
    rmSync(trial, { recursive: true, force: true });
  }
};

type Attempt = {
  readonly ran: boolean;
  readonly code: number;
  readonly said: string;
  readonly answers: ReadonlyMap<string, string>;
  /** Folders in which a file came to be that must not. */
  readonly escaped: readonly string[];
  readonly outside: readonly string[];
};

const tryAll = async (
  sandbox: Sandbox,
  walls: Walls,
  env: NodeJS.ProcessEnv,
  options: Options,
  secret: string,
  port: number,
): Promise<Attempt> => {
  const word = randomBytes(8).toString('hex');
  const name = `.rein-probe-${word}`;
  const outside = [walls.home, dirname(walls.root), walls.holds].filter((path) => path !== undefined).filter(canWrite);
  const own = [walls.root, walls.temp, ...(walls.writable ?? [])];
  const places = [...new Set(outside)].filter((path) => !own.some((area) => `${path}/`.startsWith(`${area}/`)));
  const argv = ['/bin/sh', '-c', SCRIPT, 'sh', word, name, walls.root, String(port), secret, ...places];
  const { code, out, err } = await run(sandbox, { argv, cwd: walls.root, env }, options);
  const made = [...places, ...(options.readonly ? [walls.root, walls.temp] : [])].map((path) => join(path, name));
  const escaped = made.filter((path) => existsSync(path));
  for (const path of [...escaped, join(walls.root, name), join(walls.temp, name)]) rmSync(path, { force: true });
  const answers = new Map(out.split('\n').map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)]));
  return { ran: answers.get('ran') === word, code, said: err.trim(), answers, escaped, outside: places };
};

const judge = (open: Attempt, closed: Attempt, calls: number, kind: Sandbox['kind']): readonly Check[] => {
  const said = open.said.split('\n')[0] || `it ended with code ${open.code} and ran nothing`;
  const starts: Check = { check: 'commands start', ok: open.ran, detail: open.ran ? 'they do' : said };
  if (!open.ran) return [starts];
  const yes = (attempt: Attempt, name: string): boolean => attempt.answers.get(name) === 'yes';
  const own = (name: 'net' | 'pid'): Check => {
    const apart = open.answers.get(name) !== undefined && open.answers.get(name) !== readLink(`/proc/self/ns/${name}`);
    return {
      check: name === 'net' ? 'own network' : 'own processes',
      ok: apart,
      detail: apart ? 'a namespace of its own' : 'it shares ours',
    };
  };
  const must = (check: string, ok: boolean, good: string, bad: string): Check => ({
    check,
    ok,
    detail: ok ? good : bad,
  });
  const escaped = [...open.escaped, ...closed.escaped];
  return [
    starts,
    must('writes in the workspace', yes(open, 'inside'), 'work', 'fail'),
    must('writes in the private temp', yes(open, 'scratch'), 'work', 'fail'),
    must('writes outside', escaped.length === 0, `fail in ${open.outside.join(', ')}`, `made ${escaped.join(', ')}`),
    must('reads of hidden files', !yes(open, 'secret') && !yes(closed, 'secret'), 'fail', 'work'),
    must('network', !yes(open, 'network') && calls === 0, 'can not be reached', 'a local server was reached'),
    must('read-only mode', closed.ran && !yes(closed, 'inside'), 'nothing can be written', 'the workspace was written'),
    ...(kind === 'bubblewrap' ? [own('net'), own('pid')] : []),
  ];
};

const run = (sandbox: Sandbox, launch: Launch, options: Options) =>
  new Promise<{ readonly code: number; readonly out: string; readonly err: string }>((resolve) => {
    const { argv, cwd, env, ended } = sandbox.wrap(launch, options);
    const [program = '', ...args] = argv;
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const text = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE);
    const finish = (code: number): void => {
      clearTimeout(timer);
      ended(child.pid).then(() => resolve({ code, ...text }));
    };
    child.once('error', (error) => {
      text.err += error.message;
      finish(127);
    });
    child.once('close', (code) => finish(code ?? 137));
  });

const listen = () =>
  new Promise<{ readonly port: number; readonly calls: () => number; readonly close: () => void }>(
    (resolve, reject) => {
      let calls = 0;
      const server = createServer((socket) => {
        calls++;
        socket.destroy();
      });
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        const port = typeof address === 'object' && address ? address.port : 0;
        resolve({ port, calls: () => calls, close: () => server.close() });
      });
    },
  );

const readLink = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
};

const canWrite = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
