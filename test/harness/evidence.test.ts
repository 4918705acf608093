import { expect, test } from 'vitest';
import type { Entry, Json, Logged } from '../../src/core/types.ts';
import { createEvidence, foldEvidence } from '../../src/harness/evidence.ts';
import { runsTests } from '../../src/harness/test-commands.ts';

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
let count = 0;

const logged = (entries: readonly Entry[]): Logged[] =>
  entries.map((entry) => ({ ...entry, id: String(++count), parent: null, time: 0 }));

const called = (
  name: string,
  input: Json,
  details: Json,
  more: { failed?: boolean; how?: 'ran' | 'refused' } = {},
): Entry[] => {
  const id = `call-${++count}`;
  return [
    {
      type: 'message',
      message: {
        role: 'assistant',
        content: [{ type: 'call', id, vendorId: id, name, input }],
        stop: 'calls',
        model: 'a/b',
        usage,
      },
    },
    {
      type: 'message',
      message: { role: 'result', call: id, name, content: [], failed: false, how: 'ran', details, ...more },
    },
  ];
};
const edit = (path: string) => called('edit_file', { path }, { path, diff: '' });
const bash = (command: string, exitCode = 0, cause = 'exit') => called('bash', { command }, { exitCode, cause });
const done: Entry[] = [{ type: 'ended', stop: 'done' }];
const snapped = (before: string, inner: Entry[], after: string): Entry[] => [
  { type: 'snapshot', tree: before, when: 'before' },
  ...inner,
  { type: 'snapshot', tree: after, when: 'after' },
];
const stale = (...parts: readonly Entry[][]) => foldEvidence(logged(parts.flat())).stale;

test('an edit after the last tests is told once the model says it is done', () => {
  expect(stale(bash('npm test'), edit('a.ts'))).toBe(false);
  expect(stale(bash('npm test'), edit('a.ts'), done)).toBe(true);
  expect(stale(bash('npm test'), edit('a.ts'), [{ type: 'ended', stop: 'aborted' }])).toBe(false);
});

test('tests after the last edit are what is wanted, also when they fail', () => {
  expect(stale(edit('a.ts'), bash('npm test'), done)).toBe(false);
  expect(stale(bash('npm test'), edit('a.ts'), bash('npm test', 1), done)).toBe(false);
  expect(stale(bash('npm test'), edit('a.ts'), done, bash('pytest -q'), done)).toBe(false);
});

test('where no test ever ran nothing is said', () => {
  expect(stale(edit('a.ts'), done)).toBe(false);
  expect(stale(edit('a.ts'), bash('npm test', 127), done)).toBe(false);
});

test('tests that were cut off, refused or not found tested nothing', () => {
  for (const failed of [
    bash('npm test', 143, 'deadline'),
    bash('npm test', 127),
    called('bash', { command: 'npm test' }, null, { how: 'refused' }),
  ]) {
    expect(stale(bash('npm test'), edit('a.ts'), failed, done)).toBe(true);
  }
});

test('an edit that failed, or changed nothing, is none', () => {
  const failed = called('edit_file', { path: 'a.ts' }, null, { failed: true });
  expect(stale(bash('npm test'), failed, called('write_file', { path: 'b' }, null), done)).toBe(false);
});

test('what a command changed is told by the snapshots around it', () => {
  const before = bash('npm test');
  expect(stale(before, snapped('t1', bash('sed -i s/a/b/ a.ts'), 't2'), done)).toBe(true);
  expect(stale(before, snapped('t1', bash('git status'), 't1'), done)).toBe(false);
  // What the tests wrote themselves is no edit.
  expect(stale(before, snapped('t1', bash('npm test'), 't2'), done)).toBe(false);
  expect(stale(before, snapped('t1', bash('sed -i s/a/b/ a.ts && npm test'), 't2'), done)).toBe(false);
  expect(stale(before, snapped('t1', called('task', { prompt: 'change it' }, { session: 's' }), 't2'), done)).toBe(
    true,
  );
});

test('tests that the person ran with ! count', () => {
  const line: Entry = {
    type: 'message',
    message: {
      role: 'user',
      origin: 'shell',
      content: [{ type: 'text', text: 'I ran this:\n\n$ npm test\nok\n[exit code: 0]' }],
    },
  };
  expect(stale(bash('npm test'), edit('a.ts'), [line], done)).toBe(false);
});

test('a job tests what is there when it starts; its later reading tests nothing', () => {
  const job = called('bash', { command: 'npm test', background: true }, { job: '1', pid: 7 });
  expect(stale(job, edit('a.ts'), called('bash', { command: 'wait', job: '1' }, { job: '1', exitCode: 0 }), done)).toBe(
    true,
  );
});

test('it names the files, and reads a growing path to the same end as a whole one', () => {
  const all = logged([...bash('go test ./...'), ...edit('a.go'), ...edit('b.go'), ...edit('a.go'), ...done]);
  const path: Logged[] = [];
  const read = createEvidence(() => path);
  for (const entry of all) {
    path.push(entry);
    expect(read()).toEqual(foldEvidence([...path]));
  }
  expect(read()).toEqual({ changed: ['a.go', 'b.go'], stale: true });
});

test('commands that run tests are known by their words', () => {
  const yes = [
    'npm test',
    'npm t',
    'npm run test:unit',
    'pnpm test -- --run',
    'yarn test',
    'bun test',
    'npx vitest run',
    'CI=1 npx -y jest',
    'cd app && pytest -q',
    'python3 -m pytest tests',
    'uv run pytest',
    'go test ./...',
    'cargo test',
    'cargo +nightly test',
    'cargo nextest run',
    './mvnw -q test',
    'gradle :app:test',
    'make test',
    'make -j4 check',
    'ctest --output-on-failure',
    'vendor/bin/phpunit',
    'bundle exec rspec',
    'dotnet test',
    'node --test',
    'node test/a.test.js',
    'python test_tetris.py',
    './run_tests.sh',
    "bash -lc 'npm test'",
    'timeout 60 npm test 2>&1 | tail -5',
    '(npm test)',
  ];
  for (const line of yes) expect(runsTests(line), line).toBe(true);
  const no = [
    'npm install',
    'npm run build',
    'echo npm test',
    'echo "x; npm test"',
    'git commit -m "npm test"',
    'cat test.js',
    'go build ./...',
    'cargo run',
    'ls test',
    'pytest --version',
    'test -f a.txt',
    "cat > t.sh <<'EOF'\nnpm test\nEOF",
    'make',
    'node server.js',
    'grep -r jest .',
    '# npm test',
    'vim test.py',
  ];
  for (const line of no) expect(runsTests(line), line).toBe(false);
});
