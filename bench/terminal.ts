/**
 * `node bench/terminal.ts`: rein in a pseudo-terminal (util-linux `script`) on the scripted server, measured from outside
 * by what it writes. Prints Markdown. `REIN_CLI` names another build.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '../src/testing/server.ts';
import type { Asked, Turn } from '../src/testing/turn.ts';
import { describeMachine } from './machine.ts';
import { median } from './measure.ts';

const root = dirname(import.meta.dirname);
const cli = process.env['REIN_CLI'] ?? join(root, 'bin/rein.cjs');
/** Linux counts processor time in ticks of 10 ms. */
const TICK = 10;
const STARTS = 9;

const code = Array.from({ length: 20 }, (_, index) => `const value${index} = compute(${index}, 'text'); // note`).join(
  '\n',
);
const block = `## Part\n\nSome **words** with \`code\`, and more of them so that lines wrap.\n\n\`\`\`ts\n${code}\n\`\`\`\n\n`;
/** Some 20,000 tokens of Markdown, four characters each. */
const flood = block.repeat(Math.ceil(80_000 / block.length)).match(/[\s\S]{1,4}/g) ?? [];

const scenario = ({ prompt, rounds }: Asked): Turn => {
  if (prompt.includes('flood')) return { text: [...flood, '\n\nThe end.'] };
  if (prompt.includes('slow')) return { text: flood.slice(0, 4000), pause: 2 };
  if (prompt.includes('sleep') && rounds.length === 0) {
    return { text: 'I wait.', calls: [{ name: 'bash', input: { command: "trap '' INT TERM; sleep 60" } }] };
  }
  return { text: 'Hello.' };
};

type Seat = {
  readonly write: (data: string) => void;
  /** Milliseconds from now until it has written this. */
  readonly until: (what: string, ms?: number) => Promise<number>;
  /** All that was written since the last call, and the longest time in which nothing was. */
  readonly taken: () => { readonly text: string; readonly gap: number };
  readonly pid: () => number;
  readonly end: () => Promise<void>;
};

const sit = (folder: string, url: string): Seat => {
  const child = startProgram(folder, url);
  const { until, taken } = listen(child);
  const write = (data: string) => void child.stdin.write(data);
  const end = async () => {
    const ended = new Promise<void>((resolve) => {
      child.once('close', () => resolve());
    });
    write('\x03');
    await sleep(100);
    write('\x03\x03');
    const timer = setTimeout(() => child.kill('SIGKILL'), 3000);
    await ended;
    clearTimeout(timer);
  };
  return { write, until, taken, pid: () => childOf(child.pid ?? 0), end };
};

const startProgram = (folder: string, url: string): ChildProcessWithoutNullStreams => {
  const command = `stty rows 40 cols 100; exec '${process.execPath}' '${cli}' --yolo`;
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    // One for all starts, as with a user: the compile cache lies there.
    REIN_HOME: join(dirname(folder), 'home'),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'scripted',
    REIN_MODEL: 'anthropic/claude-opus-5-5',
    NO_PROXY: '127.0.0.1',
  };
  return spawn('script', ['-qefc', command, '/dev/null'], { cwd: folder, env });
};

const listen = (child: ChildProcessWithoutNullStreams): Pick<Seat, 'until' | 'taken'> => {
  let written = '';
  let gap = 0;
  let last = performance.now();
  let heard = () => {};
  child.stdout.on('data', (data: Buffer) => {
    written += data.toString();
    gap = Math.max(gap, performance.now() - last);
    last = performance.now();
    heard();
  });
  const until: Seat['until'] = async (what, ms = 30_000) => {
    const began = performance.now();
    while (!written.includes(what)) {
      const left = ms - (performance.now() - began);
      if (left <= 0) throw new Error(`never wrote ${JSON.stringify(what)}:\n${written.slice(-2000)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        heard = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return performance.now() - began;
  };
  const taken = () => {
    const now = { text: written, gap };
    written = '';
    gap = 0;
    last = performance.now();
    return now;
  };
  return { until, taken };
};

/** `script` starts a shell, which becomes the program. */
const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
/** Milliseconds of processor time. */
const cpuOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK;
};
/** Megabytes that are resident. */
const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const READY = 'claude-opus-5-5';
const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0;
const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

type Line = readonly [what: string, measured: string, goal: string];

const measureStart = async (open: () => Seat): Promise<readonly Line[]> => {
  const times: number[] = [];
  for (let run = 0; run <= STARTS; run += 1) {
    const began = performance.now();
    const seat = open();
    await seat.until(READY);
    seat.taken();
    seat.write('k');
    await seat.until('k');
    // The first one fills caches.
    if (run > 0) times.push(performance.now() - began);
    await seat.end();
  }
  return [['from exec to the first key on the screen', ms(median(times)), '≤ 200 ms']];
};

const measureIdle = async (open: () => Seat): Promise<readonly Line[]> => {
  const seat = open();
  await seat.until(READY);
  await sleep(3000);
  const before = cpuOf(seat.pid());
  await sleep(10_000);
  const used = cpuOf(seat.pid()) - before;
  const memory = memoryOf(seat.pid());
  await seat.end();
  return [
    ['memory, idle', `${memory.toFixed(0)} MB`, '≤ 90 MB'],
    ['processor, idle for 10 s', `${(used / 100).toFixed(1)} %`, '0 %'],
  ];
};

const measureFlood = async (open: () => Seat): Promise<readonly Line[]> => {
  const seat = open();
  await seat.until(READY);
  const before = cpuOf(seat.pid());
  seat.write('flood\r');
  await seat.until('Part');
  const { text: first } = seat.taken();
  await seat.until('The end.', 60_000);
  const { text, gap } = seat.taken();
  const used = cpuOf(seat.pid()) - before;
  await seat.end();
  const clears = (first + text).match(/\x1b\[[23]J|\x1b\[H\x1b\[2K/g)?.length ?? 0;
  return [
    ['20,000 tokens at full speed: processor time', `${(used / 1000).toFixed(1)} s`, '≤ 4 s'],
    ['… full-screen clears', String(clears), '0'],
    ['… longest time without a picture', ms(gap), '≤ 50 ms'],
  ];
};

const measureKeys = async (open: () => Seat): Promise<readonly Line[]> => {
  const seat = open();
  await seat.until(READY);
  seat.write('slow\r');
  await seat.until('Part');
  const times: number[] = [];
  let typed = '';
  for (let index = 0; index < 60; index += 1) {
    await sleep(30 + ((index * 7) % 20));
    if (typed.length > 20) {
      seat.write('\x15');
      typed = '';
      await sleep(60);
    }
    seat.taken();
    const key = String.fromCharCode(0x61 + (index % 26));
    typed += key;
    seat.write(key);
    times.push(await seat.until(typed));
  }
  const began = performance.now();
  seat.write('\x1b');
  await seat.until('stopped');
  const stopped = performance.now() - began;
  await seat.end();
  return [
    ['key to screen while it writes, p50', ms(percentile(times, 0.5)), '≤ 16 ms'],
    ['… p95', ms(percentile(times, 0.95)), '≤ 50 ms'],
    ['Esc to stopped, while it writes', ms(stopped), '≤ 100 ms'],
  ];
};

const measureStop = async (open: () => Seat): Promise<readonly Line[]> => {
  const seat = open();
  await seat.until(READY);
  seat.write('sleep\r');
  await seat.until('sleep 60');
  await sleep(500);
  seat.write('\x1b');
  const stopped = await seat.until('stopped');
  await seat.end();
  return [['Esc to stopped, a command that ignores SIGTERM', ms(stopped), '≤ 2 s']];
};

const main = async () => {
  const home = mkdtempSync(join(tmpdir(), 'rein-terminal-'));
  const server = await startServer(scenario, { record: false, chunking: { every: 4096 } });
  let count = 0;
  const open = () => {
    const folder = join(home, `work${count++}`);
    mkdirSync(folder);
    return sit(folder, server.url);
  };
  console.log(`${describeMachine(home)}\n\n| | measured | goal |\n|---|---|---|`);
  for (const measure of [measureStart, measureIdle, measureFlood, measureKeys, measureStop]) {
    for (const line of await measure(open)) console.log(`| ${line.join(' | ')} |`);
  }
  await server.close();
  rmSync(home, { recursive: true, force: true });
};

await main();
