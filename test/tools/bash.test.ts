import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openBash } from '../support/bash.ts';
import { has } from '../support/has.ts';
import { leftovers } from '../support/leftovers.ts';

const shell = openBash();
const { bash, cwd } = shell;
afterAll(shell.close);

const git = (folder: string, rest: string) =>
  `git -C ${folder} -c user.name=a -c user.email=a@b.c -c init.defaultBranch=main ${rest}`;

test('the output comes in order, then the exit code', async () => {
  const { text, failed } = await bash('echo a; echo b >&2; echo c; echo d > /dev/stderr; exit 4');
  expect(text).toBe('a\nb\nc\nd\n[exit code: 4]');
  expect(failed).toBe(true);
  expect(await bash('true')).toMatchObject({ text: '[exit code: 0]', failed: false });
});

test('C01 a background job does not hold the result', async () => {
  const said = await bash('sleep 300 & echo started', { timeout_seconds: 60 });
  expect(said.text).toMatch(/^started\n\[a background process still runs \(pid \d+\).*\]\n\[exit code: 0\]$/s);
  expect(said.took).toBeLessThan(3000);
  expect(leftovers(shell.processes.mark).join()).toMatch('sleep 300');
});

test('C02 a silent background job, or one that holds one stream, does not hold the result', async () => {
  const commands = [
    'sleep 120 & echo a',
    'sleep 120 > /dev/null & echo b',
    'sleep 120 2>/dev/null & echo c',
    '(sleep 120 &) ; echo d',
  ];
  for (const [index, command] of commands.entries()) {
    const said = await bash(command);
    expect(said.text).toMatch(new RegExp(`^${'abcd'[index]}\n.*still runs`));
    expect(said.took).toBeLessThan(3000);
  }
});

test('C03 a timeout ends what the shell started, and keeps what was printed', async () => {
  const said = await bash("echo early; bash -c 'sleep 303 & wait'", { timeout_seconds: 0.5 });
  expect(said.text).toMatch(/^early\n\[timed out after 0\.5 s .*\]\n\[exit code: \d+\]$/s);
  expect(said.failed).toBe(true);
  expect(said.took).toBeLessThan(5000);
  expect(leftovers(shell.processes.mark).filter((one) => one.includes('sleep 303'))).toEqual([]);
});

test.skipIf(!has('setsid'))(
  'C04 a child that leaves the group is ended by timeout and by the end of the session',
  async () => {
    const other = openBash();
    await other.bash(
      'setsid sleep 304 > /dev/null 2>&1 < /dev/null & (setsid nohup sleep 304 > /dev/null 2>&1 &); echo x',
    );
    await expect.poll(() => leftovers(other.processes.mark).length).toBe(2);
    const said = await other.bash('setsid sleep 305 & sleep 305', { timeout_seconds: 0.5 });
    expect(said.text).toMatch('timed out');
    expect(leftovers(other.processes.mark).filter((one) => one.includes('sleep 305'))).toEqual([]);
    await other.close();
  },
);

test('C05 a password prompt fails at once: there is no terminal', async () => {
  const said = await bash("read -p 'Password: ' x < /dev/tty; echo got", { timeout_seconds: 5 });
  expect(said.text).toMatch('/dev/tty');
  expect(said.took).toBeLessThan(3000);
  expect((await bash('sudo() { return 1; }; sudo id')).text).toMatch('sudo -n');
});

test.skipIf(!has('git'))(
  'C06 an editor is refused with a message, and one that the command sets is respected',
  async () => {
    const repo = join(cwd, 'c06');
    await bash(
      `mkdir ${repo}; ${git(repo, 'init')}; for i in 1 2 3; do ${git(repo, 'commit --allow-empty -m c$i')}; done`,
    );
    const head = (await bash(git(repo, 'rev-parse HEAD'))).text;
    for (const command of ['rebase -i HEAD~2', 'commit --allow-empty']) {
      const said = await bash(git(repo, command), { timeout_seconds: 5 });
      expect(said.text).toMatch(/No terminal here, so no editor/);
      expect(said.failed).toBe(true);
      expect((await bash(git(repo, 'rev-parse HEAD'))).text).toBe(head);
      expect(existsSync(join(repo, '.git/rebase-merge'))).toBe(false);
    }
    const set = await bash(`GIT_SEQUENCE_EDITOR='sed -i 1s/pick/drop/' ${git(repo, 'rebase -i HEAD~2')}`);
    expect(set.text).toMatch('[exit code: 0]');
    expect((await bash(git(repo, 'log --format=%s'))).text).toBe('c3\nc1\n[exit code: 0]');
  },
);

test.skipIf(!has('git') || !has('script'))('C07 a pager prints instead of waiting', async () => {
  const other = openBash({ env: { ...process.env, PAGER: 'less', GIT_PAGER: 'less' } });
  const repo = other.cwd;
  await other.bash(
    `${git(repo, 'init')}; for i in $(seq 60); do ${git(repo, 'commit --allow-empty -qm subject-$i')}; done`,
  );
  const said = await other.bash(`script -qc 'git log' /dev/null`, { timeout_seconds: 5 });
  expect(said.text.match(/subject-\d+/g)).toHaveLength(60);
  expect(said.took).toBeLessThan(3000);
  await other.close();
});

test('C08 stdin is at its end', async () => {
  for (const command of ['cat', 'read line; echo "[$line]"', ...(has('python3') ? ['python3'] : []), 'node']) {
    const said = await bash(command, { timeout_seconds: 10 });
    expect(said.text).not.toMatch('timed out');
  }
});

test.skipIf(!has('git'))('C09 git asks nobody for credentials', async () => {
  const server = createServer((_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const said = await bash(`git clone http://127.0.0.1:${port}/x.git`, { timeout_seconds: 10 });
  expect(said.text).toMatch(/fatal: .*(?:Username|Authentication)/);
  expect(said.text).not.toMatch('timed out');
  server.close();
});

test('C10 enormous output is cut in the middle and the timer works', async () => {
  const said = await bash('yes', { timeout_seconds: 1 });
  expect(said.text).toMatch(/^y\ny\n.*bytes cut here; .*y\n\[timed out after 1 s/s);
  expect(Buffer.byteLength(said.text)).toBeLessThanOrEqual(32 * 1024);
  expect(said.took).toBeLessThan(6000);
  const before = process.memoryUsage().rss;
  const line = await bash("head -c 400000000 /dev/zero | tr '\\0' 'x'");
  expect(line.text).toMatch(
    /^x+\n\[… 399,9\d\d,\d{3} bytes cut here; the first 104,857,600 bytes are in .*\.txt.*\]\nx+\n/,
  );
  expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
});

test('the whole of a long output is in a private file', async () => {
  expect((await bash('seq 1 10000')).text).toMatch(/17,\d{3} bytes cut here; all of it is in \S+\.txt, for read_file/);
  const said = await bash('seq 1 100000');
  const path = said.text.match(/all of it is in (\S+\.txt), for read_file/)?.[1] ?? '';
  expect(readFileSync(path, 'utf8')).toBe(Array.from({ length: 100000 }, (_, i) => `${i + 1}\n`).join(''));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(said.text).toMatch(/^1\n2\n.*\n100000\n\[exit code: 0\]$/s);
});

test('C11 a command is never stopped by the limit of its output', async () => {
  const said = await bash('seq 1 3000000; touch finished');
  expect(said.text).toMatch(/\[exit code: 0\]$/);
  expect(existsSync(join(cwd, 'finished'))).toBe(true);
});

test('C12 invalid UTF-8 and binary are made safe', async () => {
  expect((await bash("printf 'ok\\377\\376end\\n'")).text).toBe('ok\ufffd\ufffdend\n[exit code: 0]');
  writeFileSync(
    join(cwd, 'binary'),
    Uint8Array.from({ length: 1024 }, (_, index) => (index * 73) % 256),
  );
  expect((await bash('cat binary')).text).toMatch(/^\[binary output, not shown: 1,024 bytes, .*\]\n\[exit code: 0\]$/);
  const split = await bash("printf '\\xe6\\x97'; sleep 0.3; printf '\\xa5\\n'; sleep 0.3");
  expect(split.text).toBe('日\n[exit code: 0]');
  expect(split.progress.join('')).toBe('日\n');
});

test('C13 output in another encoding is no error, whatever the locale', async () => {
  for (const locale of ['C', 'de_DE.UTF-8', 'zh_CN.GBK']) {
    const other = openBash({ env: { ...process.env, LC_ALL: locale } });
    const said = await other.bash("printf '\\xd6\\xd0\\xce\\xc4\\n' 2>/dev/null; echo ü; echo $LC_ALL");
    expect(said.text.isWellFormed()).toBe(true);
    expect(said.text).toMatch(new RegExp(`ü\n${locale}\n\\[exit code: 0\\]$`));
    await other.close();
  }
});

test('C14 a progress bar is its last state, colours are gone', async () => {
  const frames = 'for i in $(seq 1 5000); do printf "\\r%d%%" $i; done';
  const said = await bash(`${frames}; printf '\\n\\033[2K\\033[32mok\\033[0m\\n'; printf 'a\\r\\nb\\r\\n'`);
  expect(said.text).toBe('5000%\nok\na\nb\n[exit code: 0]');
});

test('C15 a removed directory is replaced by its nearest parent, and the model is told', async () => {
  const other = openBash();
  await other.bash('mkdir d && cd d && rm -rf ../d');
  const said = await other.bash('pwd');
  expect(said.text).toBe(`${other.cwd}\n[${other.cwd}/d is gone; this ran in ${other.cwd}]\n[exit code: 0]`);
  mkdirSync(join(other.cwd, 'x/y/z'), { recursive: true });
  await other.bash('cd x/y/z');
  await shell.bash(`rm -rf ${other.cwd}/x/y`);
  expect((await other.bash('pwd')).text).toMatch(`${other.cwd}/x\n`);
  await other.close();
});

test('C16 cd takes effect from the next reply, in call order; variables are not kept', async () => {
  const other = openBash();
  expect(other.tool.description).toMatch('A `cd` takes effect from the next reply; variables are not kept.');
  const moved = await other.bash('mkdir -p sub/a sub/b; cd sub && export X=1');
  expect(moved.text).toBe(`[cwd: ${other.cwd}/sub]\n[exit code: 0]`);
  expect((await other.bash('pwd; echo "[$X]"')).text).toBe(
    `${other.cwd}/sub\n[]\n[cwd: ${other.cwd}/sub]\n[exit code: 0]`,
  );
  const reply = [
    await other.prepare({ command: 'pwd; cd a; sleep 0.3' }),
    await other.prepare({ command: 'pwd; cd b' }),
  ];
  const results = await Promise.all(reply.map((run) => run()));
  for (const said of results) expect(said.text.split('\n')[0]).toBe(`${other.cwd}/sub`);
  expect((await other.bash('pwd')).text).toMatch(`${other.cwd}/sub/b\n`);
  await other.close();
});
