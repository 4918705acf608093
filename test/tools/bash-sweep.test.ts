import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createBash } from '../../src/tools/bash.ts';
import { openBash } from '../support/bash.ts';
import { has } from '../support/has.ts';
import { leftovers } from '../support/leftovers.ts';

const shell = openBash();
const { bash, cwd } = shell;
afterAll(shell.close);

test('C17 a command longer than the system takes as an argument runs all the same', async () => {
  const body = `${'x'.repeat(99)}\n`.repeat(2000);
  const said = await bash(`cat > big.txt <<'EOF'\n${body}EOF\ncd /; echo "it's done"; exit 3`);
  expect(said.text).toBe("it's done\n[cwd: /]\n[exit code: 3]");
  expect(readFileSync(join(cwd, 'big.txt'), 'utf8')).toBe(body);
  await bash(`cd ${cwd}`);
});

test.skipIf(!has('git'))('C18 a here-document inside a substitution reaches the shell unchanged', async () => {
  const message = Array.from({ length: 40 }, (_, i) =>
    i === 7 ? `it's {a,b} "q" $HOME` : `line ${i} of the text`,
  ).join('\n');
  await bash('mkdir c18; cd c18; git init -q');
  const commit = `git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m "$(cat <<'EOF'\n${message}\nEOF\n)"`;
  expect((await bash(commit)).text).toMatch('[exit code: 0]');
  expect(spawnSync('git', ['-C', join(cwd, 'c18'), 'log', '-1', '--format=%B']).stdout.toString()).toBe(
    `${message}\n\n`,
  );
  await bash(`cd ${cwd}`);
});

test('C19 exclamation marks and backslashes arrive as they were written', async () => {
  const said = await bash(`printf '%s\\n' 'a != b' "wow!" '\\!' '[[ ! -f x ]]'; echo "$0 $# [$1]"`);
  expect(said.text).toBe('a != b\nwow!\n\\!\n[[ ! -f x ]]\nbash 0 []\n[exit code: 0]');
});

test('C20 start files are not read', async () => {
  const home = join(cwd, 'home');
  mkdirSync(home);
  for (const name of ['.bashrc', '.zshrc', '.profile', '.bash_profile']) {
    writeFileSync(join(home, name), 'echo noise; read -t 30 x; exec sleep 30\n');
  }
  const env = { ...process.env, HOME: home, BASH_ENV: join(home, '.bashrc'), ENV: join(home, '.bashrc') };
  const other = openBash({ env });
  for (const _ of [1, 2]) {
    const said = await other.bash('echo hi', { timeout_seconds: 8 });
    expect(said.text).toBe('hi\n[exit code: 0]');
  }
  await other.close();
});

test('C21 death by signal and the status of a pipeline are the shell’s own', async () => {
  expect((await bash('kill -KILL $$')).text).toBe('[killed by signal 9 (SIGKILL)]\n[exit code: 137]');
  expect((await bash('ulimit -c 0; kill -SEGV $$')).text).toMatch(/\[exit code: 139\]$/);
  expect((await bash('false | cat')).text).toBe('[exit code: 0]');
  expect((await bash('yes | head -1')).text).toBe('y\n[exit code: 0]');
  expect((await bash('exit 7')).text).toBe('[exit code: 7]');
});

test('C22 a command that ends the shell harms nothing', async () => {
  const ends = [
    ['exit 3', '[exit code: 3]'],
    ['exec ls /dev/null', '/dev/null\n[exit code: 0]'],
    ['set -e; false; echo no', '[exit code: 1]'],
  ] as const;
  for (const [command, expected] of ends) {
    expect((await bash(command)).text).toBe(expected);
    expect((await bash('echo alive')).text).toBe('alive\n[exit code: 0]');
  }
  expect((await bash("echo 'unclosed")).text).toMatch(/unexpected EOF.*\n\[exit code: [12]\]$/);
  expect((await bash('set -x; : traced; cd /')).text).not.toMatch('pwd');
  expect((await bash(`pwd; cd ${cwd}`)).text).toMatch(/^\/\n/);
});

test('C23 an interrupt ends a command that ignores TERM, and keeps what it printed', async () => {
  const stop = new AbortController();
  const running = bash("trap '' INT TERM; echo early; sleep 323", {}, stop.signal);
  await expect.poll(() => leftovers(shell.processes.mark).some((one) => one.includes('sleep 323'))).toBe(true);
  const began = performance.now();
  stop.abort();
  const said = await running;
  expect(said.text).toMatch(/^early\n\[stopped after it had started; .*\]\n\[exit code: 137\]$/s);
  expect(performance.now() - began).toBeLessThan(4000);
  expect(leftovers(shell.processes.mark)).toEqual([]);
});

test('nothing runs after the generator is closed', async () => {
  const prepared = await shell.tool.prepare({ command: 'echo a; sleep 324' });
  if (typeof prepared === 'string') throw new Error(prepared);
  const events = prepared.run({ call: 'c1', signal: new AbortController().signal });
  expect((await events.next()).value).toEqual({ live: 'progress', call: 'c1', text: 'a\n' });
  await events.return({ content: [] });
  expect(leftovers(shell.processes.mark)).toEqual([]);
});

test('C24 a timeout is in seconds, checked, and lowered with a note', async () => {
  for (const timeout of [120000, 1e12]) {
    const said = await bash('sleep 0.2', { timeout_seconds: timeout });
    expect(said.text).toBe(`[timeout_seconds lowered from ${timeout} to 1800]\n[exit code: 0]`);
  }
  for (const timeout of ['30', null, 2]) {
    expect((await bash('sleep 0.2', { timeout_seconds: timeout })).text).toBe('[exit code: 0]');
  }
  for (const timeout of [0, -5]) {
    expect((await bash('touch c24', { timeout_seconds: timeout })).text).toMatch(
      /^ERROR: bash needs "timeout_seconds" above 0/,
    );
  }
  expect(existsSync(join(cwd, 'c24'))).toBe(false);
});

test('C25 output is shown as it comes', async () => {
  const { progress, text } = await bash('for i in 1 2 3; do echo $i; sleep 0.4; done');
  expect(progress).toEqual(['1\n', '2\n', '3\n']);
  expect(text).toBe('1\n2\n3\n[exit code: 0]');
});

test('C26 under Windows a redirection to nul is refused before it makes a file', async () => {
  const { tool } = createBash({ processes: shell.processes, cwd, windows: true });
  for (const command of ['echo x > nul', 'echo x >nul 2>&1', 'dir 2>NUL', 'a >> nul; b', '(a &> nul)']) {
    expect(await tool.prepare({ command })).toMatch('/dev/null');
  }
  for (const command of ['echo x > /dev/null', 'echo x > null', 'echo x > nul.txt', 'grep nul file']) {
    expect(await tool.prepare({ command })).toMatchObject({ access: { command } });
  }
});

test('C27 a process that must leave at once takes its commands with it', async () => {
  const other = openBash();
  const running = other.bash('setsid sleep 327 & sleep 327');
  await expect.poll(() => leftovers(other.processes.mark).filter((one) => /^\d+ sleep 327 $/.test(one)).length).toBe(2);
  other.processes.kill();
  await running;
  await other.close();
});

test('C28 the programs are the user’s own', async () => {
  mkdirSync(join(cwd, 'out'));
  writeFileSync(join(cwd, '.gitignore'), 'out/\n');
  writeFileSync(join(cwd, 'out/a.txt'), 'needle\n');
  expect((await bash('grep -r needle out')).text).toBe('out/a.txt:needle\n[exit code: 0]');
});

test('C30 limits hold for what a command takes', async () => {
  const other = openBash({ limits: { memory: 1e9, file: 1e6, processes: 5000 } });
  expect((await other.bash('ulimit -u')).text).toBe('5000\n[exit code: 0]');
  const filled = await other.bash('yes > big; echo $?', { timeout_seconds: 20 });
  expect(filled.text).toMatch(new RegExp(`^(?:.*\n)?${128 + constants.signals.SIGXFSZ}\n`));
  expect(statSync(join(other.cwd, 'big')).size).toBeLessThanOrEqual(1e6 + 1024);
  if (has('python3')) expect((await other.bash(`python3 -c 'x="a"*10**10'`)).text).toMatch('MemoryError');
  expect((await other.bash('echo fine')).text).toBe('fine\n[exit code: 0]');
  await other.close();
});

test('C31 secrets are not in the environment of commands, the user’s variables are', async () => {
  const env = { ...process.env, SOME_API_KEY: 'sk-hidden', USERS_OWN: 'kept' };
  const other = openBash({ env, secret: ['SOME_API_KEY'] });
  const said = await other.bash('env | sort');
  expect(said.text).not.toMatch(/sk-hidden|SOME_API_KEY/);
  expect(said.text).toMatch('USERS_OWN=kept');
  expect(said.text).toMatch('PATH=');
  await other.close();
});

test('a command that can’t be started is a failure that says why', async () => {
  expect((await bash('echo \0')).text).toMatch(/^ERROR: bash can take no NUL/);
  const other = openBash({ wrap: ({ argv, ...rest }) => ({ ...rest, argv: ['/no/such/sandbox', ...argv] }) });
  expect((await other.bash('true')).text).toMatch(/^ERROR: could not start: .*ENOENT/);
  await other.close();
});

test('a sandbox can be put before a command', async () => {
  const other = openBash({ wrap: ({ argv, ...rest }) => ({ ...rest, argv: ['env', 'WALLED=1', ...argv] }) });
  expect((await other.bash('echo $WALLED; cd /')).text).toBe('1\n[cwd: /]\n[exit code: 0]');
  await other.close();
});

test('a background job is started at once, read, waited for and ended', async () => {
  const { text } = await bash('echo one; sleep 0.3; echo two; exit 5', { background: true });
  expect(text).toMatch(/^\[job 1 started \(pid \d+\)/);
  expect((await bash('wait', { job: '1', timeout_seconds: 10 })).text).toBe('one\ntwo\n[job 1 ended]\n[exit code: 5]');
  await bash('echo up; sleep 331', { background: true });
  await expect.poll(async () => (await bash('read', { job: '2' })).text).toMatch(/^\[job 2 still runs \(pid \d+\)\]$/);
  expect((await bash('wait', { job: '2', timeout_seconds: 0.1 })).text).toMatch('still runs');
  expect(shell.jobs()).toMatchObject([
    { id: '1', code: 5 },
    { id: '2', command: 'echo up; sleep 331' },
  ]);
  expect((await bash('kill', { job: '2' })).text).toBe('[job 2 ended]\n[exit code: 143]');
  await bash('true', { background: true });
  await expect.poll(() => shell.jobs()[2]?.code).toBe(0);
  expect((await bash('echo next')).text).toBe('next\n[job 3 ended (exit code 0)]\n[exit code: 0]');
  expect((await bash('echo next')).text).toBe('next\n[exit code: 0]');
  expect((await bash('read', { job: '9' })).text).toBe('ERROR: bash has no job "9"; its jobs: 1, 2, 3');
  expect((await bash('npm start', { job: '1' })).text).toMatch(
    'ERROR: bash with "job" takes "command" as read, wait or kill',
  );
});

test('an interrupt ends the wait for a job, not the job', async () => {
  const other = openBash();
  await other.bash('sleep 332', { background: true });
  const stop = new AbortController();
  const waiting = other.bash('wait', { job: '1' }, stop.signal);
  stop.abort();
  expect((await waiting).text).toMatch('[job 1 still runs');
  await other.close();
});

test('eight commands of one reply run side by side', async () => {
  const meet = 'touch $I; for n in $(seq 200); do [ $(ls | wc -l) -ge 8 ] && echo met && exit; sleep 0.05; done';
  const other = openBash();
  const all = await Promise.all(Array.from({ length: 8 }, (_, i) => other.bash(`I=${i}; ${meet}`)));
  expect(all.map((said) => said.text)).toEqual(Array.from({ length: 8 }, () => 'met\n[exit code: 0]'));
  await other.close();
});

test('a mark of an outer session is kept, so that it still finds what an inner one starts', async () => {
  const other = openBash({ env: { ...process.env, REIN_MARK: 'outer.1' } });
  expect((await other.bash('echo $REIN_MARK')).text).toMatch(/^outer\.1:[0-9a-f]{12}\.1\n/);
  await other.close();
});

test('a surviving background process can go on printing', async () => {
  const said = await bash('(sleep 0.5; seq 100000; touch survived) & echo x');
  expect(said.text).toMatch('still runs');
  await expect.poll(() => existsSync(join(cwd, 'survived')), { timeout: 5000 }).toBe(true);
});

test('a background process that prints without end holds nothing', async () => {
  const other = openBash();
  const said = await other.bash('yes & echo x');
  expect(said.text).toMatch(/still runs.*\n\[exit code: 0\]$/s);
  expect((await other.bash('echo y')).text).toBe('y\n[exit code: 0]');
  await other.close();
});

test('a command says beforehand that it may touch anything, whole and in one line', async () => {
  const command = 'cd /\nls';
  const prepared = await shell.tool.prepare({ command });
  expect(prepared).toMatchObject({ access: { show: 'cd / …', command, anything: true } });
});

test('no descriptor stays open', async () => {
  const count = () => readdirSync('/proc/self/fd').length;
  await bash('true');
  const before = count();
  for (let i = 0; i < 10; i++) await bash('seq 100000; cd /', { timeout_seconds: 5 });
  await expect.poll(count).toBeLessThanOrEqual(before);
});

test('the session’s end does not touch what is not of it', async () => {
  const stranger = spawn('sleep', ['333'], { detached: true });
  const other = openBash();
  await other.bash('sleep 333 & echo x');
  await other.close();
  expect(stranger.exitCode ?? stranger.signalCode).toBe(null);
  stranger.kill('SIGKILL');
});
