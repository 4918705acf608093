/** `node bench/sandbox.ts [RUNS]`: what a command costs in a sandbox, against the same one outside, in turns. */
import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { quantile } from './measure.ts';
import { buildSandbox } from './walls.ts';

const RUNS = Number(process.argv[2] ?? 200);

const base = realpathSync(mkdtempSync('/var/tmp/rein-bench-'));
const { sandbox, root } = buildSandbox(base);

type Launch = { readonly argv: readonly string[]; readonly cwd: string; readonly env: NodeJS.ProcessEnv };
const plain: Launch = { argv: ['/bin/bash', '-c', 'true'], cwd: root, env: process.env };

const start = ({ argv, cwd, env }: Launch) =>
  new Promise<number | undefined>((resolve) => {
    const child = spawn(argv[0] ?? '', argv.slice(1), { cwd, env, detached: true, stdio: 'ignore' });
    child.once('exit', () => resolve(child.pid));
  });

const sample = async () => {
  const began = performance.now();
  await start(plain);
  const outside = performance.now() - began;
  const second = performance.now();
  const launch = sandbox.wrap(plain, { network: false, readonly: false });
  const wrapped = performance.now();
  const pid = await start(launch);
  const ended = performance.now();
  await launch.ended(pid);
  return { outside, inside: ended - second, wrap: wrapped - second, gone: performance.now() - ended };
};

const samples: Awaited<ReturnType<typeof sample>>[] = [];
for (let run = 0; run < RUNS; run++) samples.push(await sample());
sandbox.close();
rmSync(base, { recursive: true, force: true });

const row = (name: string, of: (one: Awaited<ReturnType<typeof sample>>) => number): void => {
  const values = samples.map(of);
  console.log(`| ${name} | ${quantile(values, 0.5).toFixed(1)} | ${quantile(values, 0.1).toFixed(1)} |`);
};
console.log('| milliseconds | median | fastest tenth |\n| --- | --- | --- |');
row('outside', ({ outside }) => outside);
row('inside', ({ inside }) => inside);
row('inside − outside, pair by pair', ({ inside, outside }) => inside - outside);
row('of it, planning the walls', ({ wrap }) => wrap);
row('after the exit, until all of it is dead', ({ gone }) => gone);
