/** `node bench/sandbox.ts [RUNS]`: what a command costs in a sandbox, against the same one outside, in turns. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findGitFolders, findSandbox } from '../src/env/sandbox/index.ts';
import { median } from './measure.ts';

const RUNS = Number(process.argv[2] ?? 200);
const HIDDEN = ['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.config/gh', '.config/gcloud', '.netrc'];
const PROTECTED = ['.rein', '.mcp.json', '.envrc', '.vscode', '.idea'];

const base = realpathSync(mkdtempSync('/var/tmp/rein-bench-'));
const [root, home, temp, holds] = ['app', 'home', 'temp', 'holds'].map((name) => join(base, name));
if (!root || !home || !temp || !holds) throw new Error('no folders');
for (const path of [root, temp, holds, ...HIDDEN.slice(0, -1).map((name) => join(home, name))]) {
  mkdirSync(path, { recursive: true });
}
writeFileSync(join(home, '.netrc'), '');
spawnSync('git', ['init', '-q', root]);
const git = findGitFolders(root);
const protect = [...git.protect, ...PROTECTED.map((name) => join(root, name))];
const walls = { ...git, root, home, temp, holds, protect, hidden: HIDDEN.map((name) => join(home, name)) };
const found = findSandbox(walls, { platform: process.platform, env: process.env });
if ('missing' in found) throw new Error(found.missing);

type Launch = { readonly argv: readonly string[]; readonly cwd: string; readonly env: NodeJS.ProcessEnv };
const plain: Launch = { argv: ['/bin/bash', '-c', 'true'], cwd: root, env: process.env };

const start = ({ argv, cwd, env }: Launch) =>
  new Promise<number | undefined>((resolve) => {
    const child = spawn(argv[0] ?? '', argv.slice(1), { cwd, env, detached: true, stdio: 'ignore' });
    child.once('exit', () => resolve(child.pid));
  });

const samples: { readonly outside: number; readonly inside: number; readonly wrap: number; readonly gone: number }[] =
  [];
for (let run = 0; run < RUNS; run++) {
  const began = performance.now();
  await start(plain);
  const outside = performance.now() - began;
  const second = performance.now();
  const launch = found.sandbox.wrap(plain, { network: false, readonly: false });
  const wrapped = performance.now();
  const pid = await start(launch);
  const ended = performance.now();
  await launch.ended(pid);
  samples.push({ outside, inside: ended - second, wrap: wrapped - second, gone: performance.now() - ended });
}
found.sandbox.close();
rmSync(base, { recursive: true, force: true });

const row = (name: string, values: readonly number[]): string => {
  const quick = values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? 0;
  return `| ${name} | ${median(values).toFixed(1)} | ${quick.toFixed(1)} |`;
};
console.log('| milliseconds | median | fastest tenth |\n| --- | --- | --- |');
console.log(
  row(
    'outside',
    samples.map(({ outside }) => outside),
  ),
);
console.log(
  row(
    'inside',
    samples.map(({ inside }) => inside),
  ),
);
console.log(
  row(
    'inside − outside, pair by pair',
    samples.map(({ inside, outside }) => inside - outside),
  ),
);
console.log(
  row(
    'of it, planning the walls',
    samples.map(({ wrap }) => wrap),
  ),
);
console.log(
  row(
    'after the exit, until all of it is dead',
    samples.map(({ gone }) => gone),
  ),
);
