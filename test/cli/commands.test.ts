/** Commands as the whole program runs them: nothing waits for a person, and nothing outlives the session. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { has } from '../support/has.ts';
import { alive, bash, createWorld, KEY, lastResults, MODELS, onGo, runs, type World } from '../support/rein.ts';

/** Runs these commands in one reply and returns their results. */
const resultsOf = async (world: World, argv: readonly string[] = []): Promise<string[]> => {
  expect(await world.rein(['-p', 'go', '--yolo', ...argv])).toMatchObject({ code: 0, stdout: 'done\n', stderr: '' });
  return lastResults(world);
};

test('C01 C02 C04 background jobs hold no result, and none is left when the program has ended', async () => {
  const commands = [
    'sleep 120 & echo a',
    'sleep 120 > /dev/null & echo b',
    '(sleep 120 &) ; echo c',
    'setsid sleep 120 & echo d',
    'nohup setsid sleep 120 > /dev/null 2>&1 & disown; echo e',
  ];
  const world = await createWorld(onGo(runs(...commands)));
  const results = await resultsOf(world);
  expect(results.map((text) => text.split('\n')[0])).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(results[0]).toMatch(/still runs.*\[exit code: 0\]$/s);
  expect(alive(world)).toEqual([]);
});

test('C03 a timeout ends the command with all it started, and keeps its output', async () => {
  const world = await createWorld(
    onGo({ calls: [bash("echo early; bash -c 'sleep 300 & wait'", { timeout_seconds: 1 })] }),
  );
  const [result] = await resultsOf(world);
  expect(result).toMatch(/early.*timed out after 1 s/s);
  expect(alive(world)).toEqual([]);
});

test('C05 C08 nothing waits for a person: no terminal, and stdin at its end', async () => {
  const world = await createWorld(onGo(runs("read -p 'Password: ' x < /dev/tty; echo got", 'cat; echo end')));
  const running = world.start(['-p', 'go', '--yolo'], { stdin: 'open' });
  expect(await running.ended).toMatchObject({ code: 0 });
  const [tty, stdin] = lastResults(world);
  expect(tty).toMatch(/\/dev\/tty/);
  expect(stdin).toMatch(/^end\n/);
});

test.skipIf(!has('git'))('C06 C07 C09 git opens no editor, no pager and asks for no password', async () => {
  const world = await createWorld(
    onGo(
      runs(
        'git init -q . && git config user.email a@b && git config user.name n && git commit -q --allow-empty -m first',
      ),
      runs('git commit --allow-empty; echo code $?', 'git log | cat -A', 'echo $GIT_TERMINAL_PROMPT $PAGER'),
    ),
  );
  expect(await world.rein(['-p', 'go', '--yolo'], { variables: { PAGER: 'less', EDITOR: 'vi' } })).toMatchObject({
    code: 0,
  });
  const [, commit, log, variables] = lastResults(world);
  expect(commit).toMatch(/No terminal here.*code 1/s);
  expect(log).toContain('first');
  expect(variables).toContain('0 cat');
});

test('C10 C11 enormous output is cut in the middle, and the command runs to its end', async () => {
  const world = await createWorld(
    onGo(runs("head -c 60000000 /dev/zero | tr '\\0' 'x'", 'seq 1 3000000; touch finished')),
  );
  const [zeros = '', numbers = ''] = await resultsOf(world);
  for (const result of [zeros, numbers]) expect(Buffer.byteLength(result)).toBeLessThan(33_000);
  expect(numbers).toMatch(/^1\n2\n.*2999999\n3000000\n\[exit code: 0\]$/s);
  expect(world.file('finished')).toBe('');
});

test('C12 bytes that are no text reach the model as text, in every dialect', async () => {
  const commands = [
    "printf 'ok\\377\\376end\\n'",
    'head -c 1024 /bin/ls',
    "printf '\\xe6\\x97'; sleep 0.1; printf '\\xa5\\n'",
  ];
  const world = await createWorld(onGo(runs(...commands)));
  for (const model of Object.values(MODELS)) {
    const [bad, , split] = await resultsOf(world, ['-m', model]);
    expect(bad).toMatch(/^ok.*end\n/);
    expect(split).toMatch(/^日\n/);
  }
});

test('C31 keys are not in the environment of commands, the user’s variables are', async () => {
  const world = await createWorld(onGo(runs('env | sort')));
  writeFileSync(join(world.work, 'settings.json'), '{"hiddenVariables": ["MY_TOKEN"]}');
  const variables = { MY_TOKEN: 'token-hidden', MY_NAME: 'name-shown', ANTHROPIC_AUTH_TOKEN: `${KEY}-2` };
  await world.rein(['-p', 'go', '--yolo', '--settings', 'settings.json'], { variables });
  const [env = ''] = lastResults(world);
  expect(env).toMatch(/^PATH=.*:/m);
  expect(env).toContain('MY_NAME=name-shown');
  expect(env).toMatch(/REIN_SESSION_ID=\d{8}-.*/);
  expect(env).not.toMatch(/CANARY123|token-hidden/);
});
