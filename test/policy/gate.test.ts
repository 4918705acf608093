// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell lines
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Access, Answer, Ask, Call, Event, Question, Verdict } from '../../src/core/types.ts';
import { createGate, narrowest, rowsOf, testCommand } from '../../src/policy/index.ts';
import { here, judge, optionsOf, query, type Setting, verdict } from './support.ts';

const call = (name: string): Call => ({ type: 'call', id: 'c1', vendorId: 'v', name, input: {} });
const bash = (command: string): Access => ({ show: command, command, anything: true });

async function ask(
  access: Access,
  answer: Ask | 'above' | null,
  setting: Setting = {},
  name = 'bash',
  signal = new AbortController().signal,
) {
  const gate = createGate({ ...optionsOf(setting), ask: answer })(call(name), access, signal);
  const events: Event[] = [];
  for (;;) {
    const step = await gate.next();
    if (step.done) return { events, verdict: step.value satisfies Verdict };
    events.push(step.value);
  }
}
const answers =
  (answer: Answer, seen: Question[] = []): Ask =>
  async (question) => {
    seen.push(question);
    return answer;
  };

test('what is allowed or denied is never asked', async () => {
  const never: Ask = () => Promise.reject(new Error('asked'));
  expect(await ask(bash('ls'), never)).toEqual({ events: [], verdict: { allow: true } });
  const denied = await ask(bash('ls; npm test'), never, { deny: ['bash(npm *)'] });
  expect(denied.events).toEqual([]);
  expect(denied.verdict).toEqual({
    allow: false,
    reason:
      'Not allowed: npm test: a rule of test denies it (bash(npm *)). It was refused before it began; nothing was done.',
  });
});

test('whoever judges after this one asks: what would be asked passes, unseen and unsaid', async () => {
  const access = { ...bash('git commit -m x'), preview: () => Promise.reject(new Error('made')) };
  expect(await ask(access, 'above')).toEqual({ events: [], verdict: { allow: true } });
  expect((await ask(bash('npm test'), 'above', { deny: ['bash(npm *)'] })).verdict.allow).toBe(false);
});

test('a yes runs it, "always" grants the rule that was shown and no other', async () => {
  const seen: Question[] = [];
  const once = await ask(bash('git commit -m x'), answers({ allow: true }, seen));
  expect(once).toEqual({ events: [{ live: 'waiting', call: 'c1' }], verdict: { allow: true } });
  expect(seen[0]).toMatchObject({
    rule: 'bash(git commit *)',
    from: [],
    why: 'git commit -m x: git commit is not known to be harmless',
  });
  const always = await ask(bash('git commit -m x'), answers({ allow: true, always: true }));
  expect(always.events).toEqual([
    { live: 'waiting', call: 'c1' },
    { type: 'grant', rule: 'bash(git commit *)' },
  ]);
  const chain = await ask(bash('git commit -m x; curl y'), answers({ allow: true, always: true }));
  expect(chain.events).toEqual([{ live: 'waiting', call: 'c1' }]);
});

test('a no tells the model what the person said, and that nothing was done', async () => {
  const no = await ask(bash('npm test'), answers({ allow: false, reason: 'use pnpm' }));
  expect(no.verdict).toEqual({
    allow: false,
    reason: 'The user did not approve it. They said: "use pnpm" It was refused before it began; nothing was done.',
  });
  expect((await ask(bash('npm test'), answers({ allow: false, end: true }))).verdict).toMatchObject({
    allow: false,
    end: true,
  });
});

test('an abort while the question is open refuses and ends the turn', async () => {
  const controller = new AbortController();
  const deaf: Ask = () => {
    controller.abort();
    return new Promise(() => {});
  };
  expect((await ask(bash('npm test'), deaf, {}, 'bash', controller.signal)).verdict).toMatchObject({
    allow: false,
    end: true,
  });
  expect((await ask(bash('npm test'), answers({ allow: true }), {}, 'bash', controller.signal)).verdict).toMatchObject({
    allow: false,
    end: true,
  });
  const late = new AbortController();
  const yes: Ask = async () => {
    late.abort();
    return { allow: true };
  };
  expect((await ask(bash('npm test'), yes, {}, 'bash', late.signal)).verdict).toMatchObject({ allow: false });
  const broken = await ask(bash('npm test'), () => Promise.reject(new Error('no screen')));
  expect(broken.verdict).toMatchObject({ allow: false });
});

test('F33 with nobody to ask it is refused at once, with the way to allow it', async () => {
  const headless = await ask(bash('npm test'), null);
  expect(headless.events).toEqual([]);
  expect(headless.verdict).toEqual({
    allow: false,
    reason:
      'Not allowed: it needs approval and nobody can be asked:\n' +
      'npm test: with these arguments it is not known to only read\n' +
      "The user can allow it with --allowed-tools 'bash(npm test *)'. " +
      'It was refused before it began; nothing was done.',
  });
  const write = await ask({ show: 'x.txt', writes: [join(here.root, 'x.txt')] }, null, {}, 'write_file');
  expect(write.verdict).toMatchObject({ reason: expect.stringContaining("--allowed-tools 'write_file(x.txt)'") });
  const chain = await ask(bash('npm test; make'), null);
  expect(chain.verdict).toMatchObject({ reason: expect.stringContaining('No single rule allows it') });
});

test('rules and mode are read for each call', async () => {
  let allow: readonly string[] = [];
  const gate = createGate({
    ...optionsOf({}),
    rules: () =>
      allow.length > 0
        ? [{ effect: 'allow', text: 'bash', source: 'grant', tool: 'bash', match: { kind: 'any' } }]
        : [],
    ask: null,
  });
  const of = async () => (await gate(call('bash'), bash('npm test'), new AbortController().signal).next()).value;
  expect(await of()).toMatchObject({ allow: false });
  allow = ['bash'];
  expect(await of()).toEqual({ allow: true });
});

test('the names of a descendant reach the person', async () => {
  const seen: Question[] = [];
  const gate = createGate({ ...optionsOf({}), ask: answers({ allow: true }, seen) });
  for await (const _ of gate(call('bash'), bash('npm test'), new AbortController().signal, ['child']));
  expect(seen[0]).toMatchObject({ from: ['child'] });
});

test('E44 "always" is the narrowest useful rule, never from an interpreter or a chain', async () => {
  const ruleFor = async (line: string, setting: Setting = {}) =>
    narrowest(await judge(line, setting), await query('bash', bash(line), setting));
  const table: Record<string, string | undefined> = {
    'npm test': 'bash(npm test *)',
    'npm run lint': 'bash(npm run lint *)',
    'npm run lint -- --fix': 'bash(npm run lint *)',
    'git commit -m x': 'bash(git commit *)',
    'git push origin main': 'bash(git push *)',
    'cargo build --release': 'bash(cargo build *)',
    'docker compose up': 'bash(docker compose up *)',
    'mkdir -p build/x': 'bash(mkdir -p build/x)',
    'cd src && npm test': 'bash(npm test *)',
    'npm test 2>&1 | tail -5': 'bash(npm test *)',
    'cat /etc/hosts': 'read_file(/etc/hosts)',
    'echo x > new.txt': 'write_file(new.txt)',
    'docker run x': 'bash(docker run x)',
    'npm test && curl x | sh': undefined,
    'git -c core.editor=x commit': undefined,
    'python a.py': undefined,
    'python3 -c "x"': undefined,
    'node a.js': undefined,
    'sh x.sh': undefined,
    'npx foo': undefined,
    'sudo ls': undefined,
    'env python x': undefined,
    'timeout 5 make': undefined,
    'touch "$x"': undefined,
    'touch *': undefined,
    $x: undefined,
    'rm -rf src': undefined,
    'git push --force': undefined,
    'echo x > .envrc': undefined,
    'PAGER=x git log': undefined,
    'f() { ls; }': undefined,
  };
  const found: Record<string, string | undefined> = {};
  for (const line of Object.keys(table)) found[line] = await ruleFor(line);
  expect(found).toEqual({ ...table });
  // What was granted does not cover what came along.
  const granted = { allow: ['bash(git commit *)'] };
  expect(await verdict('git commit -m y', granted)).toBe('allow');
  for (const line of [
    'git commit -m x; touch pwned',
    'git push',
    'git -c core.editor=x commit',
    'git commit -m "$(touch pwned)"',
    'GIT_EDITOR=x git commit',
  ]) {
    expect([line, await verdict(line, granted)]).toEqual([line, 'ask']);
  }
});

test('E44 "always" is not offered where a person decides each time', async () => {
  writeFileSync(join(here.root, '.env'), 'KEY=1');
  const seen: Question[] = [];
  const read = (path: string): Access => ({ show: path, reads: [join(here.root, path)] });
  const asked: readonly (readonly [Access, string, Setting?])[] = [
    [read('.env'), 'read_file'],
    [bash('cat .env'), 'bash'],
    [bash('grep -r x .'), 'bash'],
    [bash('docker run .env'), 'bash'],
    [{ show: '', writes: [join(here.root, '.vscode/x')] }, 'write_file'],
    [bash('git reset --hard'), 'bash'],
    [bash('rm -rf src'), 'bash', { mode: 'auto', sandboxed: true }],
    [bash('cat "$x"'), 'bash', { deny: ['read_file(x)'] }],
    [bash('npm test'), 'bash', { ask: ['bash(npm test)'] }],
  ];
  for (const [access, tool, setting] of asked) await ask(access, answers({ allow: true }, seen), setting, tool);
  expect(seen.map(({ access, rule }) => [access.show, rule])).toEqual(asked.map(([{ show }]) => [show, undefined]));
  // A written rule may still name the very file, and where nobody can be asked it is named.
  const headless = await ask(bash('cat .env'), null);
  expect(headless.verdict).toMatchObject({ reason: expect.stringContaining("--allowed-tools 'read_file(.env)'") });
  expect(await verdict('cat .env', { allow: ['read_file(.env)'] })).toBe('allow');
  const other = await ask(bash('docker run .env'), null);
  expect(other.verdict).toMatchObject({ reason: expect.stringContaining('No single rule allows it') });
});

test('plan mode asks nobody and advises no rule that would not help', async () => {
  const never: Ask = () => Promise.reject(new Error('asked'));
  for (const sandboxed of [false, true]) {
    for (const line of ['touch x', 'echo x > y', 'npm test']) {
      const { events, verdict: said } = await ask(bash(line), never, { mode: 'plan', sandboxed });
      expect(events).toEqual([]);
      expect(said).toMatchObject({ allow: false, reason: expect.stringContaining('plan mode') });
      expect(said).not.toMatchObject({ reason: expect.stringContaining('--allowed-tools') });
      const { outcome, rule, lines } = await testCommand(line, optionsOf({ mode: 'plan', sandboxed }));
      expect([outcome.verdict, rule]).toEqual(['deny', undefined]);
      expect(lines.join()).not.toContain('always');
    }
  }
});

test('E34 what is the same and judged the same is one row, and one thing to always allow', async () => {
  const line = 'echo x >> log.txt\n'.repeat(80);
  const { lines, rule, outcome } = await testCommand(line, optionsOf({}));
  expect(lines).toHaveLength(4);
  expect(rowsOf(outcome)).toEqual([
    { text: 'echo x', verdict: 'allow', rule: 'read-only: with these arguments it only reads' },
    { text: `write ${here.root}/log.txt`, verdict: 'ask', rule: 'default: no rule allows it' },
  ]);
  expect(rule).toBe('write_file(log.txt)');
  for (const name of ['one', 'two']) writeFileSync(join(here.root, name), '');
  const found = await testCommand('cat * .env', optionsOf({}));
  expect(rowsOf(found.outcome).map(({ verdict: one, text }) => `${one} ${text}`)).toEqual([
    'allow cat * .env',
    'allow read *',
    `ask read ${here.root}/.env`,
  ]);
});

test('E34 the explanation shows every command, the rule that decided, and why', async () => {
  const { lines, rule, outcome } = await testCommand(
    `echo ok${' '.repeat(300)}; timeout 5 touch pwned > out`,
    optionsOf({ allow: ['bash(echo *)'] }),
  );
  expect(outcome.verdict).toBe('ask');
  expect(rule).toBe(undefined);
  expect(lines).toEqual([
    'allow  echo ok  (bash(echo *): a rule of test allows it)',
    'allow  timeout 5 touch pwned  (read-only: it only starts what is judged by itself)',
    'ask    touch pwned [started by timeout]  (default: touch is not known to only read)',
    `ask    write ${here.root}/out  (default: no rule allows it)`,
    'asked: touch is not known to only read (default)',
  ]);
  const lone = await testCommand('npm test', optionsOf({}));
  expect(lone.lines.at(-1)).toBe('rule for always: bash(npm test *)');
  const many = await testCommand(`${'echo a\n'.repeat(30)}touch pwned\n${'echo b\n'.repeat(10)}`, optionsOf({}));
  expect(many.lines.some((line) => line.includes('touch pwned'))).toBe(true);
});
