/**
 * `node bench/agents.ts [RUNS]`: how long a sub-agent takes from the call to its first request, what one weighs, and how
 * eight of them at once compare with one, on a model that takes 3 s for each reply. Prints Markdown.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startServer } from '../src/testing/server.ts';
import type { Asked, Turn } from '../src/testing/turn.ts';
import { measure, median } from './measure.ts';

const RUNS = Number(process.argv[2] ?? 9);
/** Milliseconds of one reply of the slow model. */
const REPLY = 3_000;

const root = dirname(import.meta.dirname);
const home = mkdtempSync(join(tmpdir(), 'rein-bench-'));
const cli = process.env['REIN_CLI'] ?? join(root, 'bin/rein.cjs');

/** When the parent was told to start sub-agents, and when each of them asked for the first time. */
let told = 0;
let asked: number[] = [];

const scenario =
  (agents: number, delay: number) =>
  ({ prompt, rounds }: Asked): Turn => {
    if (prompt !== 'parent') {
      asked.push(performance.now());
      return { text: 'done', delay };
    }
    if (rounds.length > 0) return { text: 'done', delay };
    told = performance.now() + delay;
    const calls = Array.from({ length: agents }, (_, i) => ({ name: 'task', input: { prompt: `child ${i}` } }));
    return agents === 0 ? { text: 'done', delay } : { calls, delay };
  };

let count = 0;
async function run(agents: number, delay: number) {
  const server = await startServer(scenario(agents, delay), { strict: false, record: false });
  const cwd = join(home, `work${count++}`);
  mkdirSync(cwd);
  asked = [];
  const env = {
    PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(':'),
    HOME: home,
    ANTHROPIC_API_KEY: 'scripted',
    ANTHROPIC_BASE_URL: server.url,
    REIN_MODEL: 'anthropic/claude-opus-5-5',
  };
  const command = [process.execPath, cli, '--yolo', '-p', 'parent'];
  const cost = await measure({ command, cwd, env });
  await server.close();
  if (cost.code !== 0) throw new Error(`ended with ${cost.code}:\n${cost.err}${cost.out}`);
  return { ...cost, starts: asked.map((time) => time - told) };
}

const repeat = async (agents: number, delay: number, runs: number) => {
  const results = [];
  for (let i = 0; i <= runs; i++) results.push(await run(agents, delay));
  return results.slice(1);
};

const round = (value: number): string => value.toFixed(0);
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);

const none = await repeat(0, 0, RUNS);
const one = await repeat(1, 0, RUNS);
const starts = median(one.flatMap((result) => result.starts));
const [hello, both] = [none, one].map((results) => median(results.map(({ memory }) => memory)));
const slowOne = median((await repeat(1, REPLY, 2)).map(({ wall }) => wall));
const slowEight = median((await repeat(8, REPLY, 2)).map(({ wall }) => wall));
rmSync(home, { recursive: true });

console.log(`| sub-agents | |
|---|--:|
| from the call to its first request, median of ${RUNS} | ${round(starts)} ms |
| memory of a run without, with one (both processes) | ${megabytes(hello ?? 0)} MB, ${megabytes(both ?? 0)} MB |
| one, ${REPLY / 1000} s a reply (three replies) | ${round(slowOne)} ms |
| eight at once, the same | ${round(slowEight)} ms (${(slowEight / slowOne).toFixed(2)}×) |`);
