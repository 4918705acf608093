/**
 * `npm run bench -- [--runs N] [--only PROGRAM] [SCENARIO…]`: the floor and rein on the same scripted server, in turns.
 * Prints Markdown. `REIN_CLI` names another build.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchScenarios } from '../src/testing/scenarios/bench.ts';
import { dependencySize, describeMachine } from './machine.ts';
import { measure, median } from './measure.ts';
import { renderDerived, renderTable, type Sample } from './report.ts';
import type { Exchange, Ready } from './server.ts';
import { listSubjects, type Subject } from './subjects.ts';

const root = dirname(import.meta.dirname);
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const cli = process.env['REIN_CLI'] ?? join(root, bin.rein);

/** Runs of a scenario where none are asked for: the long ones differ less. */
const RUNS: Readonly<Record<string, number>> = { hello: 15, turns300: 3 };

const createRunner = (home: string) => {
  let count = 0;
  const env = {
    PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    HOME: home,
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    ANTHROPIC_API_KEY: 'scripted',
    REIN_MODEL: 'anthropic/claude-opus-5-5',
  };
  /** A new folder each time, so that no run works on what another left. */
  return async (command: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const cwd = join(home, `work${count++}`);
    mkdirSync(cwd);
    const cost = await measure({ command, cwd, env: { ...env, ...more } });
    rmSync(cwd, { recursive: true });
    if (cost.code !== 0) throw new Error(`${command.join(' ')} ended with ${cost.code}:\n${cost.err}${cost.out}`);
    return cost;
  };
};

type Runner = ReturnType<typeof createRunner>;

const hear = <Message>(server: ChildProcess): Promise<Message> =>
  new Promise((resolve, reject) => {
    const fail = (code: number | null) => reject(new Error(`the server ended with ${code}`));
    server.once('exit', fail).once('message', (message: Message) => {
      server.off('exit', fail);
      resolve(message);
    });
  });

const runScenario = async (name: string, runs: number, subjects: readonly Subject[], run: Runner) => {
  const server = fork(join(import.meta.dirname, 'server.ts'), [name]);
  const { url } = await hear<Ready>(server);
  const samples = new Map<string, Sample[]>(subjects.map((subject) => [subject.name, []]));
  // Round 0 warms caches and does not count; every other round goes backwards, so that no program always follows another.
  for (let round = 0; round <= runs; round++) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const cost = await run(subject.command, { ANTHROPIC_BASE_URL: url });
      server.send('take');
      const exchanges = await hear<Exchange[]>(server);
      if (round > 0) samples.get(subject.name)?.push({ ...cost, exchanges });
    }
    process.stderr.write(`\r${name}: ${round} of ${runs} `);
  }
  process.stderr.write('\n');
  server.disconnect();
  return samples;
};

/** `rein --version` beside the shortest program that Node can run. */
const compareStart = async (run: Runner): Promise<string> => {
  const [bare, version]: [number[], number[]] = [[], []];
  for (let round = 0; round <= 15; round++) {
    const { wall } = await run([process.execPath, '-e', '0']);
    const { wall: ours } = await run([process.execPath, cli, '--version']);
    if (round > 0) {
      bare.push(wall);
      version.push(ours);
    }
  }
  const [a, b] = [median(version), median(bare)];
  return `- \`rein --version\`: ${a.toFixed(0)} ms; \`node -e 0\`: ${b.toFixed(0)} ms (× ${(a / b).toFixed(2)})`;
};

const compareSize = (): string => {
  const told = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ size, unpackedSize }] = JSON.parse(told);
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const rest = dependencySize(root);
  return `- packed ${mb(size)}; installed ${mb(unpackedSize + rest)}, ${mb(rest)} of it dependencies`;
};

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    options: { runs: { type: 'string' }, only: { type: 'string', multiple: true } },
    allowPositionals: true,
  });
  const names = positionals.length > 0 ? positionals : Object.keys(benchScenarios);
  const unknown = names.find((name) => !Object.hasOwn(benchScenarios, name));
  if (unknown !== undefined) throw new Error(`No scenario "${unknown}": ${Object.keys(benchScenarios).join(', ')}`);
  const subjects = listSubjects(root, cli).filter(({ name }) => values.only?.includes(name) ?? true);
  const home = mkdtempSync(join(tmpdir(), 'rein-bench-'));
  try {
    const run = createRunner(home);
    console.log(`${describeMachine(home)}\n`);
    for (const { name, flags } of subjects) console.log(`- ${name}: \`${flags} PROMPT\``);
    const samples = new Map<string, ReadonlyMap<string, readonly Sample[]>>();
    for (const name of names) {
      samples.set(name, await runScenario(name, Number(values.runs ?? RUNS[name] ?? 5), subjects, run));
    }
    console.log(`\n${renderTable(samples)}\n`);
    for (const line of renderDerived(samples)) console.log(line);
    if (positionals.length === 0) console.log(`${await compareStart(run)}\n${compareSize()}`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

await main();
