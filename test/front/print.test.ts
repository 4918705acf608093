import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { print } from '../../src/front/print.ts';
import type { Ending } from '../../src/harness/types.ts';
import { call, type Script, scriptedSession } from './fixtures/session.ts';

const collect = () => {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk) => (text += chunk));
  return { stream, text: () => text };
};

const run = async (script: Script, tty = false): Promise<{ out: string; err: string; ending: Ending }> => {
  const out = collect();
  const err = collect();
  const stderr = Object.assign(err.stream, { isTTY: tty });
  const ending = await print({
    session: scriptedSession(script),
    prompt: 'hi',
    stdout: out.stream,
    stderr,
    now: () => performance.now(),
    color: true,
  });
  return { out: out.text(), err: err.text(), ending };
};

const work: Script = async (play) => {
  const made = call('c1', 'bash', { command: 'npm test' });
  play.live({ live: 'text', text: 'I will l' });
  play.live({ live: 'retracted' });
  play.live({
    live: 'retrying',
    attempt: 1,
    of: 5,
    delay: 10,
    failure: { kind: 'stream', message: 'the stream broke' },
  });
  play.say('I will test.', [made]);
  play.live({ live: 'started', call: 'c1', name: 'bash', show: 'npm test' });
  play.result(made, 'fine\n[exit code: 0]', { details: { exitCode: 0 } });
  play.say('All tests pass.');
};

test('the committed text of every reply goes to stdout, and nothing else', async () => {
  const { out, err } = await run(work);
  expect(out).toBe('I will test.\nAll tests pass.\n');
  expect(err).toBe('');
});

test('a person who watches stderr sees what runs', async () => {
  const { out, err } = await run(work, true);
  expect(out).toBe('I will test.\nAll tests pass.\n');
  expect(err.replace(/\x1b\[\d+m/g, '')).toBe(
    '↻ the stream broke · trying again in 0.0 s (1 of 5)\n● bash npm test\n  ✓ exit 0\n',
  );
});

test('E33 F26 nothing that a terminal would obey gets out', async () => {
  const { out } = await run(async (play) => play.say('a\x1b[2Jb\x9b2Jc\x07 \u202ed\r\ne\tf'));
  expect(out).toBe('a␛[2Jb<U+009B>2Jc␇ <U+202E>d\ne\tf\n');
});

test('a bad end is one line on stderr', async () => {
  const failed = await run(async (play) => {
    play.say('', [], {
      stop: 'error',
      failure: { kind: 'auth', message: 'The key was refused.\nSet ANTHROPIC_API_KEY.' },
    });
    return { stop: 'error', failure: { kind: 'auth', message: 'The key was refused. Set ANTHROPIC_API_KEY.' } };
  });
  expect(failed).toMatchObject({ out: '', err: 'rein: The key was refused. Set ANTHROPIC_API_KEY.\n' });
  expect((await run(async () => ({ stop: 'max_turns' }))).err).toBe(
    'rein: stopped at the limit of model requests (--max-turns)\n',
  );
});

test('a notice is told wherever stderr goes', async () => {
  const { err } = await run(async (play) =>
    play.live({ live: 'notice', text: 'the session is not saved: the disk is full' }),
  );
  expect(err).toBe('rein: the session is not saved: the disk is full\n');
});

test('F12 a reader that leaves stops the turn quietly', async () => {
  const err = collect();
  let lines = 0;
  const closed = new Writable({
    write: (_chunk, _encoding, done) => {
      lines += 1;
      if (lines < 3) return done();
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    },
  });
  const session = scriptedSession(async (play) => {
    for (let index = 0; index < 200 && !play.signal.aborted; index += 1) {
      play.say(`reply ${index}`);
      await play.wait(5);
    }
  });
  const ending = await print({ session, prompt: 'hi', stdout: closed, stderr: err.stream, now: () => 0, color: false });
  expect(ending.stop).toBe('aborted');
  expect(lines).toBe(3);
  expect(err.text()).toBe('');
});

test('F17 a megabyte reaches a slow reader whole', async () => {
  const slow = new PassThrough({ highWaterMark: 10_000 });
  const text = 'x'.repeat(1_000_000);
  let got = 0;
  const read = setInterval(() => (got += (slow.read(50_000) ?? slow.read() ?? '').length), 1);
  const options = {
    session: scriptedSession(async (play) => play.say(text)),
    prompt: 'hi',
    stdout: slow,
    stderr: collect().stream,
    now: () => 0,
    color: false,
  };
  await print(options);
  slow.end();
  while (!slow.readableEnded) await new Promise((resolve) => setImmediate(resolve));
  clearInterval(read);
  expect(got).toBe(1_000_001);
});
