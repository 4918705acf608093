/** Sessions survive damage, full disks, other processes and time; and `rein sessions` reads them all. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readRecords, writeRecord } from '../../src/session/index.ts';
import type { Asked } from '../../src/testing/index.ts';
import { chain, HEADER, message, prompt, reply } from '../session/made.ts';
import { call, calls } from '../support/agent.ts';
import { has } from '../support/has.ts';
import { opened, putSession } from '../support/put-session.ts';
import {
  alive,
  createWorld,
  lastResults,
  lastSaid,
  linesOf,
  messagesOf,
  onGo,
  runs,
  until,
  type World,
} from '../support/rein.ts';

const echo = (asked: Asked) => ({ text: `to ${lastSaid(asked)}` });
const asked = ({ server }: World) => server.requests.at(-1)?.asked?.messages.map(({ text }) => text) ?? [];

const conversation = (work: string) =>
  chain(opened(work), prompt('one'), reply('1'), prompt('two'), reply('2'), prompt('three'), reply('3'));
const WHOLE = ['one', '1', 'two', '2', 'three', '3'];

test.each<[string, (text: string) => string, readonly string[]]>([
  ['F01 half a record at the end', (text) => `${text}{"type":"assist`, WHOLE],
  [
    'F02 4096 zeros in front of a record',
    (text) => text.replace('{"id":"e3"', (start) => '\0'.repeat(4096) + start),
    WHOLE,
  ],
  ['F04 two records on one line', (text) => text.replace('\n{"id":"e3"', '{"id":"e3"'), WHOLE],
  ['F04 a record behind half of one', (text) => text.replace(/"e3".*\n/, '"e3","par'), ['one', '1', '2', 'three', '3']],
])('%s: the rest is there, it is said, and what is added is there the next time', async (_, damage, kept) => {
  const world = await createWorld(echo, { damaged: true });
  const path = putSession(world, conversation(world.work));
  writeFileSync(path, damage(readFileSync(path, 'utf8')));
  const first = await world.rein(['-c', '-p', 'hi']);
  expect(first).toMatchObject({ code: 0, stdout: 'to hi\n' });
  expect(first.stderr).toMatch(/line \d+ (is damaged|was cut off)/);
  await world.rein(['-c', '-p', 'more']);
  expect(asked(world).filter((text) => kept.includes(text))).toEqual(kept);
  expect(asked(world).slice(-3)).toEqual(['hi', 'to hi', 'more']);
});

test('F03 separators inside a text come back as they were', async () => {
  const world = await createWorld(echo);
  const text = 'a\u2028b\u2029c\u0085d\re';
  await world.rein(['-p', text]);
  await world.rein(['-c', '-p', 'again']);
  expect(asked(world)[0]).toBe(text);
});

test('a call without a result is shown as one: a log alone cannot tell whether it still runs', async () => {
  const world = await createWorld(echo);
  putSession(
    world,
    chain(opened(world.work), prompt('go'), message(calls(call('c1', 'bash', { command: 'sleep 9' })))),
  );
  const { stdout } = await world.rein(['sessions', 'show', HEADER.session]);
  expect(stdout).toMatch(/● bash .*sleep 9.*\n {2}↳ bash\n {2}no result: it still runs, or the program ended/);
  expect((await world.rein(['sessions', 'export', HEADER.session])).stdout).toContain('no result: it still runs');
});

test('F05 two at once on one session: the second is refused, and no record of either is lost', async () => {
  const twenty = onGo(...Array.from({ length: 20 }, (_, round) => runs(`echo ${round}`)));
  const world = await createWorld((said) => (lastSaid(said) === 'first' ? { text: 'hello' } : twenty(said)));
  await world.rein(['-p', 'first']);
  const id = world.logs()[0]?.header?.session ?? '';
  const both = await Promise.all([1, 2].map(() => world.rein(['-r', id, '-p', 'go', '--yolo'])));
  const codes = both.map(({ code }) => code).sort();
  const rounds = codes.filter((code) => code === 0).length;
  // Where the second came when the first was done, it goes on behind it.
  expect([
    [0, 2],
    [0, 0],
  ]).toContainEqual(codes);
  if (rounds === 1) expect(both.find(({ code }) => code === 2)?.stderr).toMatch(/open in another process.*--fork/);
  expect(messagesOf(world.logs()[0]).filter(({ role }) => role === 'result')).toHaveLength(20 * rounds);
}, 60_000);

test('F06 twenty programs that start and search at once: all sessions are listed, the index is sound', async () => {
  const world = await createWorld(echo);
  const names = Array.from({ length: 20 }, (_, index) => `prompt-${index}.`);
  await Promise.all(names.map((name) => world.rein(['-p', name])));
  const listed = await world.rein(['sessions', 'list']);
  for (const name of names) expect(listed.stdout).toContain(name);
  const found = await Promise.all(names.slice(0, 8).map((name) => world.rein(['sessions', 'search', '--json', name])));
  found.forEach(({ code, stdout }, index) => {
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ title: names[index], count: 2 }]);
  });
}, 90_000);

/** Mounting takes rights that not everybody has; the limit on a file's size shows the same without them. */
const canMount = (): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
};

const SAVED_AGAIN = /saved again/g;

async function fillTheDisk(full: (world: World, pid: number) => void, free: (world: World, pid: number) => void) {
  const seen: { world?: World; pid?: number } = {};
  const world = await createWorld((said) => {
    const { world: own, pid = 0 } = seen;
    const round = said.rounds.length;
    if (own && round === 3) full(own, pid);
    if (own && round === 15) free(own, pid);
    return lastSaid(said) === 'go' && round < 20
      ? { text: 'x'.repeat(4000), ...runs(`echo ${round}`) }
      : { text: 'done' };
  });
  seen.world = world;
  return { world, seen };
}

async function expectAllSaved(world: World, ran: { code: number | null; stderr: string }): Promise<void> {
  expect(ran.code).toBe(0);
  expect(ran.stderr.match(/can't be saved: (EFBIG|ENOSPC)/g)).toHaveLength(1);
  expect(ran.stderr.match(SAVED_AGAIN)).toHaveLength(1);
  const [log] = world.logs();
  expect(readRecords(log?.text ?? '').complaints).toEqual([]);
  expect(messagesOf(log).filter(({ role }) => role === 'result')).toHaveLength(20);
  expect(await world.rein(['-c', '-p', 'hello'])).toMatchObject({ code: 0, stdout: 'done\n', stderr: '' });
}

test.skipIf(!has('prlimit'))(
  'F07 a file that may not grow: said once, the turn goes on, later all of it is saved',
  async () => {
    const limit = (pid: number, size: string) =>
      void execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:`]);
    const { world, seen } = await fillTheDisk(
      ({ home }, pid) => limit(pid, String(statSync(logPath(home)).size + 1000)),
      (_, pid) => limit(pid, 'unlimited'),
    );
    const running = world.start(['-p', 'go', '--yolo']);
    seen.pid = running.child.pid ?? 0;
    await expectAllSaved(world, await running.ended);
  },
  60_000,
);

test.runIf(canMount())(
  'F07 a full disk of 64 kB: said once, the turn goes on, later all of it is saved',
  async () => {
    const { world } = await fillTheDisk(
      () => {},
      ({ home }) => void execFileSync('mount', ['-o', 'remount,size=4M', join(home, 'rein')]),
    );
    const state = join(world.home, 'rein');
    mkdirSync(state, { mode: 0o700 });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', state]);
    onTestFinished(() => void execFileSync('umount', [state]));
    await expectAllSaved(world, await world.rein(['-p', 'go', '--yolo']));
  },
  60_000,
);

const logPath = (home: string): string => {
  const sessions = join(home, 'rein', 'sessions');
  const [folder = ''] = readdirSync(sessions);
  const name = readdirSync(join(sessions, folder)).find((one) => one.endsWith('.jsonl')) ?? '';
  return join(sessions, folder, name);
};

test('F21 a log of 200 MB and 20,000 messages is resumed in a heap of 1 GB, and grows only by what is new', async () => {
  const world = await createWorld(echo);
  const output = 'a line of output that says nothing\n'.repeat(1100);
  const entries = [opened(world.work), prompt('begin')];
  for (let turn = 0; turn < 5000; turn++) {
    entries.push(prompt(`prompt ${turn}`), message(calls(call(`c${turn}`, 'bash', { command: 'make' }))));
    entries.push(
      message({
        role: 'result',
        call: `c${turn}`,
        name: 'bash',
        content: [{ type: 'text', text: output }],
        failed: false,
        how: 'ran',
      }),
    );
    entries.push(reply(`done ${turn}`));
  }
  entries.push({ type: 'compaction', summary: 'All that was done.', keep: null, tokensBefore: 1e7 });
  const path = putSession(world, chain(...entries));
  const before = readFileSync(path);
  expect(before.length).toBeGreaterThan(190e6);
  const ran = await world.rein(['-c', '-p', 'hello'], { node: ['--max-old-space-size=1000'] });
  expect(ran).toMatchObject({ code: 0, stdout: 'to All that was done.hello\n' });
  const after = readFileSync(path);
  expect(after.subarray(0, before.length).equals(before)).toBe(true);
  expect(after.length - before.length).toBeLessThan(5000);
  expect(asked(world)).toEqual(['All that was done.hello']);
}, 60_000);

test('F22 resumed from another folder it is told where it works, and rights count from there', async () => {
  const write = (path: string) => ({ calls: [{ name: 'write_file', input: { path, content: 'x' } }] });
  const world = await createWorld((said) => {
    const other = join(dirname(world.work), 'other');
    return onGo(write(join(world.work, 'in.txt')), write(join(other, 'out.txt')), runs('pwd'))(said);
  });
  const other = join(dirname(world.work), 'other');
  mkdirSync(other);
  await world.rein(['-p', 'first']);
  const id = world.logs()[0]?.header?.session ?? '';
  const argv = [
    '-r',
    id,
    '-p',
    'go',
    '--permission-mode',
    'acceptEdits',
    '--allowed-tools',
    'bash(pwd)',
    '-o',
    'stream-json',
  ];
  const ran = await world.rein(argv, { cwd: other });
  expect(ran.stderr).toContain(`works in its own folder, ${world.work},`);
  expect(linesOf(ran.stdout)[0]).toMatchObject({ cwd: world.work });
  expect(existsSync(join(world.work, 'in.txt'))).toBe(true);
  expect(existsSync(join(other, 'out.txt'))).toBe(false);
  expect(lastResults(world).at(-1)).toMatch(new RegExp(`^${world.work}\n`));
  // `-c` is about this folder, and here nothing was begun.
  expect((await world.rein(['-c', '-p', 'go'], { cwd: other })).code).toBe(2);
});

test('E30 what looks like a flag or a path is neither', async () => {
  const world = await createWorld(echo);
  const path = putSession(world, conversation(world.work));
  const text = readFileSync(path, 'utf8');
  for (const argv of [
    ['sessions', 'show', '../../x'],
    ['sessions', 'rm', '--', '--all'],
    ['sessions', 'rm', ''],
    ['sessions', 'rm', '..'],
    ['sessions', 'show', '--', '-rf'],
    ['-p', 'x', '--resume=../../x'],
    ['-p', 'x', '--resume='],
  ])
    expect(await world.rein(argv)).toMatchObject({ code: 2, stdout: '' });
  expect(readFileSync(path, 'utf8')).toBe(text);
  const search = await world.rein(['sessions', 'search', '--', '--json']);
  expect(search).toMatchObject({ code: 0, stdout: '' });
});

test('F25 a clock that was set back makes no age below nothing', async () => {
  const world = await createWorld(echo);
  const path = putSession(world, conversation(world.work));
  execFileSync('touch', ['-d', '@4102444800', path]);
  expect((await world.rein(['sessions', 'list'])).stdout).toBe(`${HEADER.session}   now  ${world.work}  one\n`);
});

test('sessions list, show, export, search, cost and rm read what was recorded', async () => {
  const world = await createWorld(onGo({ text: 'I look.', ...runs('echo out') }));
  await world.rein(['-p', 'go', '--yolo']);
  const id = world.logs()[0]?.header?.session ?? '';
  const out = async (...words: string[]) => {
    const ran = await world.rein(['sessions', ...words]);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    return ran.stdout;
  };
  expect(await out()).toBe(await out('list'));
  expect(await out('list')).toMatch(new RegExp(`^${id}\\s+now\\s+${world.work}\\s+go\n$`));
  expect(JSON.parse(await out('list', '--all', '--json'))).toMatchObject([
    { id, title: 'go', cwd: world.work, children: [] },
  ]);
  expect(await out('show', id)).toBe(
    '\n> go\n\nI look.\n\n● bash {"command":"echo out"}\n  ↳ bash\n  out\n  [exit code: 0]\n\ndone\n',
  );
  expect(await out('show', id, '--tree')).toMatch(/^● \w+ {2}go\n$/);
  const exported = await out('export', id);
  for (const part of [
    `# Session ${id}`,
    '## Prompt\n\ngo',
    '```json\n{\n  "command": "echo out"\n}\n```',
    '```\nout\n',
  ])
    expect(exported).toContain(part);
  const { header, entries } = JSON.parse(await out('export', id, '--format', 'json'));
  expect([header, ...entries].map(writeRecord).join('')).toBe(world.logs()[0]?.text);
  expect(await out('search', 'ECHO', 'out')).toMatch(new RegExp(`^${id}.*\n    tool: bash echo out\n$`));
  expect(await out('cost', '--since', '7d')).toMatch(
    /^\$[\d.]+, 2 requests, .* in the last 7d\n\nBy model\n {2}anthropic\/.*\n\nBy folder\n {2}\//,
  );
  expect(JSON.parse(await out('cost', '--json'))).toMatchObject({
    total: { requests: 2, unpriced: 0 },
    folders: [{ name: world.work }],
  });
  expect(await out('rm', id)).toBe(`removed ${id}\n`);
  expect(world.logs()).toEqual([]);
  expect(globSync(`**/*${id}*`, { cwd: world.home })).toEqual([]);
  expect((await world.rein(['sessions', 'list'])).stdout).toBe('');
  expect((await world.rein(['sessions', 'rm', id])).code).toBe(2);
});

test('a session and its sub-agent can be named together: the one goes with the other', async () => {
  const world = await createWorld(echo);
  putSession(world, chain(prompt('parent'), reply('yes')));
  const child = '20260101-120001-abcdef';
  putSession(world, chain(prompt('child'), reply('yes')), child, { startedBy: { session: HEADER.session, call: 'c' } });
  const removed = await world.rein(['sessions', 'rm', HEADER.session, child]);
  expect([removed.code, removed.stderr, removed.stdout.split('\n').length]).toEqual([0, '', 3]);
  expect(world.logs()).toEqual([]);
});

test('a session that is open in a living process is not removed', async () => {
  const world = await createWorld(onGo(runs('touch started; until [ -e go ]; do sleep 0.05; done')));
  const running = world.start(['-p', 'go', '--yolo']);
  await until(() => world.file('started') !== undefined, 'it started');
  const id = world.logs()[0]?.header?.session ?? '';
  const refused = await world.rein(['sessions', 'rm', id]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/open in another process \(\d+\)/)]);
  await running.kill('SIGKILL');
  writeFileSync(join(world.work, 'go'), '');
  await until(() => alive(world).length === 0, 'its commands have ended');
  expect(await world.rein(['sessions', 'rm', id])).toMatchObject({ code: 0 });
});

test('branches that were left are in the tree and in the export, not in what is shown', async () => {
  const world = await createWorld(echo);
  const entries = conversation(world.work);
  const path = putSession(world, entries);
  appendFileSync(path, writeRecord({ id: 'r', parent: 'e2', time: 0, type: 'rewind' }));
  appendFileSync(path, writeRecord({ id: 'p', parent: 'r', time: 0, ...prompt('another way') }));
  expect((await world.rein(['sessions', 'show', HEADER.session])).stdout).not.toContain('three');
  expect((await world.rein(['sessions', 'show', HEADER.session, '--tree'])).stdout).toBe(
    '● e1  one\n  ○ e3  two\n  ○ e5  three\n  ● p  another way\n',
  );
  await world.rein(['-c', '-p', 'on']);
  expect(asked(world)).toEqual(['one', '1', 'another wayon']);
});

test('what a session holds can’t drive the terminal, and wrong words are one line', async () => {
  const world = await createWorld(echo);
  putSession(world, chain(opened(world.work), prompt('a\x1b]0;evil\x07 title'), reply('\x1b[2Jgone ```` ')));
  for (const words of [
    ['list'],
    ['show', HEADER.session],
    ['show', HEADER.session, '--tree'],
    ['export', HEADER.session],
    ['search', 'evil'],
  ])
    expect((await world.rein(['sessions', ...words])).stdout).not.toMatch(/[\x1b\x07]/);
  for (const words of [
    ['nope'],
    ['show'],
    ['cost', '--since', 'soon'],
    ['export', HEADER.session, '--format', 'pdf'],
    ['list', '--nope'],
  ]) {
    const ran = await world.rein(['sessions', ...words]);
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      2,
      '',
      expect.stringMatching(/^rein: [^\n]*rein sessions list[^\n]*\n$/),
    ]);
  }
  expect(await world.rein(['sessions', '--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('cost') });
  for (const verb of ['undo', 'prompts', 'permissions', 'doctor', 'models'])
    expect(await world.rein([verb, '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(verb),
      stderr: '',
    });
});
