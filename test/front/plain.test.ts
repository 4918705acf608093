import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { has } from '../support/has.ts';
import { openPty } from '../support/pty.ts';

const fixture = join(import.meta.dirname, 'fixtures/repl-fixture.ts');

const pipe = (input: string | null): Promise<{ out: string; err: string; code: number | null }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [fixture], { stdio: ['pipe', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    child.on('close', (code) => resolve({ out, err, code }));
    child.stdin.end(input ?? undefined);
  });

test('F15 without a terminal each line is a prompt, one after the other, and no escape gets out', async () => {
  const { out, err, code } = await pipe('one\nmarkdown\nthree');
  expect(out).toMatch(/^rein: a warning from before\necho: one\n# A plan[\s\S]*Done\.\necho: three\nleft with 0\n$/);
  expect(out).not.toContain('\x1b');
  expect([err, code]).toEqual(['', 0]);
});

test('F15 F33 piped lines never answer a question: it is refused at once', async () => {
  const { out } = await pipe('ask rm -rf x\ny\n');
  expect(out).toContain('I did not run it.');
  expect(out).toContain('nobody is there to approve it');
  expect(out).toContain('echo: y');
});

test('F15 empty input ends quietly', async () => {
  expect(await pipe('')).toMatchObject({ out: 'rein: a warning from before\nleft with 0\n', err: '', code: 0 });
});

test.skipIf(!has('tmux'))('line mode in a terminal: prompts, commands and answers by line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-plain-'));
  const pty = openPty([process.execPath, fixture], { env: { FIXTURE_PLAIN: '1', FIXTURE_LOG: join(folder, 'log') } });
  const send = (text: string) => {
    pty.type(text);
    pty.keys('Enter');
  };
  try {
    await pty.until(/^rein 0\.0\.0 · \/help lists the commands, \/quit leaves\nrein: a warning from before\n>$/);
    send('hello');
    await pty.until(/> hello\necho: hello\n>$/);
    send('/help');
    const help = await pty.until(/^\/undo \[number\] +take back what[\s\S]*>$/m);
    expect(help).not.toMatch(/\||Ctrl|Shift|Esc/);
    send('/nonsense');
    await pty.until('/nonsense is not a command');
    send('ask git push');
    await pty.until(/a = always: bash\(git commit -m x\).*\n>$/);
    send('n');
    await pty.until('Why not?');
    send('not today');
    await pty.until('I did not run it.');
    send('tools');
    await pty.until('All is well.');
    expect(pty.screen()).toContain('● bash npm test\n● edit_file a.ts\n  ✓ +1 −1');
    pty.keys('C-d');
    await pty.until('left with 0');
  } finally {
    pty.close();
    // The program may still write its history as it leaves.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
});
