/** `node bench/sessions.ts`: what a long record costs. Prints Markdown. `REIN_CLI` names another build. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Entry, Logged } from '../src/core/types.ts';
import { openLogFile } from '../src/env/log-file.ts';
import { sessionPath } from '../src/env/session-files.ts';
import { createRecord } from '../src/harness/record.ts';
import { searchSessions } from '../src/harness/search.ts';
import { readSession } from '../src/harness/shelf.ts';
import { createLog, createTally, type Header, type Records, writeRecord } from '../src/session/index.ts';
import { describeMachine } from './machine.ts';
import { median, quantile } from './measure.ts';

const cli = process.env['REIN_CLI'] ?? join(import.meta.dirname, '../bin/rein.cjs');
const ID = '20260101-120000-abcdef';

/** A session of so many turns: a prompt, a call, its result of `bytes`, an answer. */
const makeSession = (cwd: string, turns: number, bytes: number): string => {
  const entries: Entry[] = [
    { type: 'opened', version: 1, cwd, system: 'Work.', tools: [], model: 'anthropic/claude-opus-5-5' },
  ];
  const usage = { input: 1000, output: 50, cacheRead: 0, cacheWrite: 0, cost: 0.01 };
  const output = 'a line of output\n'.repeat(bytes / 17);
  for (let turn = 0; turn < turns; turn++) {
    const call = {
      type: 'call' as const,
      id: `c${turn}`,
      vendorId: `toolu_${turn}`,
      name: 'bash',
      input: { command: `make ${turn}` },
    };
    const said = { role: 'assistant' as const, model: 'anthropic/claude-opus-5-5', usage };
    entries.push(
      {
        type: 'message',
        message: { role: 'user', origin: 'person', content: [{ type: 'text', text: `prompt ${turn}` }] },
      },
      { type: 'message', message: { ...said, stop: 'calls', content: [{ type: 'text', text: 'I look.' }, call] } },
      {
        type: 'message',
        message: {
          role: 'result',
          call: call.id,
          name: 'bash',
          how: 'ran',
          failed: false,
          content: [{ type: 'text', text: output }],
        },
      },
      { type: 'message', message: { ...said, stop: 'done', content: [{ type: 'text', text: `answer ${turn}` }] } },
    );
  }
  const logged: Logged[] = entries.map((entry, index) => ({
    id: `e${index}`,
    parent: index === 0 ? null : `e${index - 1}`,
    time: index,
    ...entry,
  }));
  const header: Header = { rein: 1, session: ID, time: 0, cwd };
  return [header, ...logged].map(writeRecord).join('');
};

const put = (path: string, text: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};

const timed = async (work: () => unknown): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

const repeat = async (times: number, work: () => unknown): Promise<number[]> => {
  const all: number[] = [];
  for (let index = 0; index < times; index++) all.push(await timed(work));
  return all;
};

const openRecord = async (path: string, records: Records) => {
  const file = await openLogFile(path);
  let ids = 0;
  const log = createLog({
    header: { rein: 1, session: ID, time: 0, cwd: '/' },
    records,
    file,
    time: Date.now,
    newId: () => `n${ids++}`,
    warn: console.error,
  });
  const record = createRecord(log, () => ({ type: 'label', label: '' }));
  return { record, tally: createTally(log.all), close: file.close };
};

/** What the record costs a turn: three facts on disk, and twice the view and the bill. In turns, one for each path. */
const measureTurns = async (paths: readonly string[]): Promise<number[]> => {
  const records = await Promise.all(paths.map((path) => openRecord(path, readSession(path))));
  const times = paths.map((): number[] => []);
  for (let round = 0; round < 100; round++) {
    for (const [index, { record, tally }] of records.entries()) {
      const took = await timed(async () => {
        for (const text of ['prompt', 'reply', 'result']) {
          await record.commit({ type: 'message', message: { role: 'user', content: [{ type: 'text', text }] } });
        }
        for (let step = 0; step < 2; step++) [record.messages(), tally()];
      });
      if (round > 0) times[index]?.push(took);
    }
  }
  for (const { close } of records) await close();
  return times.map(median);
};

/** Milliseconds from the start of the program to its first request. */
const createStarter = async (home: string, work: string) => {
  let came = 0;
  const server = createServer((_, response) => {
    came = performance.now();
    response.writeHead(400).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    REIN_HOME: join(home, 'rein'),
    ANTHROPIC_API_KEY: 'x',
    ANTHROPIC_BASE_URL: url,
  };
  const start = async (...argv: readonly string[]): Promise<number> => {
    const began = performance.now();
    const child = spawn(process.execPath, [cli, '-p', 'hello', '-m', 'anthropic/claude-opus-5-5', ...argv], {
      cwd: work,
      env,
      stdio: 'ignore',
    });
    await new Promise((resolve) => child.once('close', resolve));
    return came - began;
  };
  return { start, close: () => server.close() };
};

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const mb = (path: string): string => `${(statSync(path).size / 1e6).toFixed(1)} MB`;

const main = async (): Promise<void> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rein-bench-')));
  try {
    const rows = [...(await measureRecord(root)), ...(await measureProgram(root)), ...(await measureSearch(root))];
    console.log([describeMachine(root), '', '| what | measured | limit |', '|---|--:|--:|', ...rows].join('\n'));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

const measureRecord = async (root: string): Promise<string[]> => {
  const empty = await openLogFile(join(root, 'empty.jsonl'));
  const line = `${'x'.repeat(1000)}\n`;
  const appends = await repeat(1000, () => empty.append(line));
  await empty.close();
  const long = put(join(root, 'long.jsonl'), makeSession(root, 2500, 1000));
  const short = put(join(root, 'short.jsonl'), makeSession(root, 25, 1000));
  const opens = await repeat(9, async () => {
    const { record, close } = await openRecord(long, readSession(long));
    record.messages();
    await close();
  });
  const [at100 = 0, at10000 = 0] = await measureTurns([short, long]);
  return [
    `| append of 1 kB, on disk when it resolves: median, p95 | ${ms(median(appends))}, ${ms(quantile(appends, 0.95))} | 1 ms |`,
    `| open 10,000 entries (${mb(long)}), view made | ${ms(median(opens))} | 300 ms |`,
    `| the record's part of a turn at 100 entries | ${ms(at100)} | |`,
    `| the record's part of a turn at 10,000 entries | ${ms(at10000)} | as at 100 |`,
  ];
};

const measureProgram = async (root: string): Promise<string[]> => {
  const [home, work] = [join(root, 'home'), join(root, 'work')];
  for (const folder of [home, work]) mkdirSync(folder);
  const path = sessionPath(join(home, 'rein', 'sessions'), work, ID);
  const { start, close } = await createStarter(home, work);
  const text = makeSession(work, 300, 2000);
  const [fresh, resumed]: [number[], number[]] = [[], []];
  // In turns, so that what the machine does meanwhile meets both; the first round warms caches.
  for (let round = 0; round <= 15; round++) {
    put(path, text);
    const pair = [await start(), await start('-r', ID)] as const;
    if (round === 0) continue;
    fresh.push(pair[0]);
    resumed.push(pair[1]);
  }
  const size = mb(path);
  put(path, makeSession(work, 5000, 40_000));
  const huge = [mb(path), await start('-r', ID)] as const;
  close();
  return [
    `| start to first request, new session | ${ms(median(fresh))} | |`,
    `| the same, 300 turns resumed (${size}) | ${ms(median(resumed))} (+${ms(median(resumed) - median(fresh))}) | +150 ms |`,
    `| the same, 20,000 messages resumed (${huge[0]}, all of it sent) | ${ms(huge[1])} | 5 s |`,
  ];
};

const measureSearch = async (root: string): Promise<string[]> => {
  const sessions = join(root, 'found');
  for (let index = 0; index < 100; index++) {
    const id = `20260101-120000-${String(index).padStart(6, '0')}`;
    put(sessionPath(sessions, '/w', id), makeSession('/w', 100, 2000));
  }
  const folders = { sessions, index: join(root, 'index.sqlite') };
  const build = await timed(() => searchSessions(folders, ['prompt 77']));
  const again = await repeat(5, () => searchSessions(folders, ['prompt 77']));
  const plain = await timed(() =>
    searchSessions({ sessions, index: join(root, 'empty.jsonl', 'none') }, ['prompt 77']),
  );
  return [
    `| search 100 sessions of 400 messages, index made (${mb(folders.index)}) | ${ms(build)} | |`,
    `| the same, index there | ${ms(median(again))} | |`,
    `| the same, without SQLite | ${ms(plain)} | |`,
  ];
};

await main();
