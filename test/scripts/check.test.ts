import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { check, formatProblem } from '../../scripts/check.ts';

type Files = Readonly<Record<string, string>>;

const plant = (files: Files): string => {
  const root = mkdtempSync(join(tmpdir(), 'rein-check-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
};

/** `src/x.ts:12 rule` of every problem. */
const found = (files: Files): string[] =>
  check(plant(files)).problems.map((each) => formatProblem(each).split(' — ')[0] ?? '');

const lines = (count: number, line = '// line'): string => `${line}\n`.repeat(count);

test('this repository keeps its own rules', () => {
  expect(check(resolve('.')).problems.map(formatProblem)).toEqual([]);
});

test('an import along an arrow is fine, whatever its form', () => {
  const files = {
    'src/env/files.ts': 'export const read = 1;\n',
    'src/harness/types.ts': 'export type Session = string;\n',
    'src/tools/read.ts': "import { read } from '../env/files.ts';\nimport './other.ts';\nexport const a = read;\n",
    'src/tools/other.ts': "import { join } from 'node:path';\nexport const path = join;\n",
    'src/front/print.ts': "import type { Session } from '../harness/types.ts';\nexport type A = Session;\n",
  };
  expect(found(files)).toEqual([]);
});

test.each([
  ['static', "import { a } from '../tools/a.ts';\nexport const b = a;\n"],
  ['type', "import type { A } from '../tools/a.ts';\nexport type B = A;\n"],
  ['dynamic', "export const b = () => import('../tools/a.ts');\n"],
  ['inline type', "export type B = import('../tools/a.ts').A;\n"],
  ['re-export', "export * from '../tools/a.ts';\n"],
  ['side effect', "import '../tools/a.ts';\n"],
])('siblings do not import each other: %s', (_, text) => {
  expect(found({ 'src/policy/b.ts': text })).toEqual(['src/policy/b.ts:1 arrow']);
});

test('a front end and a fake see types of a folder, not its values', () => {
  const front = (line: string) => found({ 'src/front/a.ts': `${line}\n` });
  expect(front("import type { Stop } from '../core/types.ts';")).toEqual([]);
  expect(front("import { type Stop, type Call } from '../core/loop.ts';")).toEqual([]);
  expect(front("import { run } from '../core/loop.ts';")).toEqual(['src/front/a.ts:1 arrow']);
  const fake = (line: string) => found({ 'src/testing/a.ts': `${line}\n` });
  expect(fake("import type { Log } from '../session/log.ts';")).toEqual([]);
  expect(fake("import { openLog } from '../session/log.ts';")).toEqual(['src/testing/a.ts:1 arrow']);
});

test('core imports nothing, not even node:', () => {
  const text = "import { join } from 'node:path';\nimport { z } from 'zod';\nexport const a = [join, z];\n";
  const files = { 'src/core/a.ts': text, 'src/core/loop.ts': '' };
  expect(found(files)).toEqual(['src/core/a.ts:1 bare folder', 'src/core/a.ts:2 bare folder']);
});

test('a folder without a row, and an import that leaves src, are named', () => {
  expect(found({ 'src/extras/a.ts': "import '../core/types.ts';\n" })).toEqual(['src/extras/a.ts:1 unknown folder']);
  expect(found({ 'src/env/a.ts': "import '../../test/a.ts';\n" })).toEqual(['src/env/a.ts:1 import outside src']);
  expect(found({ 'src/cli/a.ts': "import '../../package.json';\n" })).toEqual([]);
});

test('folders that import each other are named as a pair', () => {
  const files = {
    'src/env/a.ts': "import type { A } from '../tools/a.ts';\nexport type B = A;\n",
    'src/tools/a.ts': "import type { B } from '../env/a.ts';\nexport type A = B | 1;\n",
  };
  expect(found(files)).toEqual(['src/env/a.ts:1 arrow', 'src/env/a.ts:1 folders import each other']);
});

test('a package has one home, zod excepted', () => {
  const files = {
    'src/tools/a.ts': "import 'zod';\nexport const load = () => import('diff/lib/x.js');\n",
    'src/context/a.ts': "import 'zod/mini';\nimport type { D } from 'diff';\nexport type E = D;\n",
  };
  const rule = 'package with two homes';
  expect(found(files)).toEqual([`src/context/a.ts:2 ${rule}`, `src/tools/a.ts:2 ${rule}`]);
});

test('line limits of files, functions, steps, the loop and a folder', () => {
  expect(found({ 'src/env/a.ts': lines(300) })).toEqual([]);
  expect(found({ 'src/env/a.ts': lines(301) })).toEqual(['src/env/a.ts file too long']);
  expect(found({ 'src/core/loop.ts': lines(101) })).toEqual(['src/core/loop.ts file too long']);
  expect(found({ 'src/core/types.ts': '' })).toEqual(['src/core/loop.ts missing file']);
  expect(found({ 'src/env/a.ts': `\nexport const f = () => {\n${lines(58)}};\n` })).toEqual([]);
  const long = `\nexport const f = () => {\n${lines(59)}};\n`;
  expect(found({ 'src/env/a.ts': long })).toEqual(['src/env/a.ts:2 function f too long']);
  const steps = { 'steps/2-chat.ts': lines(41), 'steps/3-agent.ts': lines(63), 'steps/4-subagents.ts': lines(51) };
  expect(found({ ...steps, 'steps/5-stream.ts': lines(181) })).toEqual(
    ['2-chat', '3-agent', '4-subagents', '5-stream'].map((name) => `steps/${name}.ts file too long`),
  );
  const many = Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`src/env/f${at}.ts`, lines(293)]));
  expect(found(many)).toEqual(['src/env folder too long']);
});

test.each([
  ['let', 'let count = 0;\nexport const next = () => (count += 1);\n', 1],
  ['var', 'var count = 0;\nexport const next = () => count;\n', 1],
  ['a map that is filled', 'const seen = new Map();\nexport const see = (k: string) => seen.set(k, 1);\n', 2],
  ['an array that is pushed', 'const all: string[] = [];\nexport const add = (k: string) => all.push(k);\n', 2],
  ['an object with a new key', 'const all = {} as { a?: 1 };\nexport const f = () => {\n  all.a = 1;\n};\n', 3],
  ['a counter in an object', 'const state = { n: 0 };\nexport const f = () => state.n++;\n', 2],
  ['a deleted key', 'const state: { a?: 1 } = {};\nexport const f = () => delete state.a;\n', 2],
  ['a nested collection', 'const s = { all: [1] };\nexport const f = () => s.all.push(2);\n', 2],
  ['a static field', 'export class A {\n  static count = 0;\n}\n', 2],
])('no module-level state: %s', (_, text, line) => {
  expect(found({ 'src/env/a.ts': text })).toEqual([`src/env/a.ts:${line} module-level state`]);
});

test('a collection of another file is not changed either', () => {
  const files = {
    'src/env/table.ts': 'export const table = new Map<string, number>();\n',
    'src/env/a.ts': "import { table as t } from './table.ts';\nexport const f = () => t.clear();\n",
  };
  expect(found(files)).toEqual(['src/env/a.ts:2 module-level state']);
});

test('state of a function, and constants that are only read, are fine', () => {
  const text = `const all = ['a', 'b'];
const byName = new Map(all.map((name) => [name, 1]));
export const f = (all: string[]) => {
  const byName = new Map();
  all.push('c');
  byName.set('c', 1);
  for (const name of all) byName.delete(name);
};
export const g = (name: string) => byName.get(name) ?? all.includes(name);
export class A {
  static readonly none = 0;
}
`;
  expect(found({ 'src/env/a.ts': text })).toEqual([]);
});

test.each([
  ['a call', "import { load } from './b.ts';\nexport const a = load();\n"],
  ['a call in an object', "import { load } from './b.ts';\nexport const a = { b: [load()] };\n"],
  ['a method with effects', "import fs from 'node:fs';\nexport const a = fs.readFileSync('x');\n"],
  ['await', "import { p } from './b.ts';\nexport const a = await p;\n"],
  ['a statement', 'export const a = 1;\nconsole.log(a);\n'],
  ['a loop', 'export const a = [1];\nfor (const b of a) void b;\n'],
  ['a constructor', "import { Agent } from 'undici';\nexport const a = new Agent();\n"],
  ['a callback with effects', "import { load } from './b.ts';\nexport const a = ['x'].map((name) => load(name));\n"],
  ['a builder with effects', 'const f = () => Date.now();\nexport const a = f();\n'],
  [
    'recursion',
    'const f = (n: number): number => g(n);\nconst g = (n: number): number => f(n); export const a = f(1);\n',
  ],
])('no work at import time: %s', (_, text) => {
  expect(found({ 'src/env/a.ts': text })).toEqual(['src/env/a.ts:2 work at import time']);
});

test('a builder is looked into, also in another file', () => {
  const builders = `export const row = (name: string) => ({ name, read: () => Date.now() });
export function pair(name: string) {
  const first = row(name);
  return [first, Array<string>(2).fill(name)];
}
export const stamp = () => ({ at: Date.now() });
export const count = (all: { n: number }) => (all.n += 1);
`;
  const use = (call: string) =>
    found({
      'src/env/b.ts': builders,
      'src/env/a.ts': `\nimport { ${call} } from './b.ts';\nexport const a = ${call}('x');\n`,
    });
  expect(use('row')).toEqual([]);
  expect(use('pair')).toEqual([]);
  expect(use('stamp')).toEqual(['src/env/a.ts:3 work at import time']);
  expect(use('count')).toEqual(['src/env/a.ts:3 work at import time']);
});

test('builders of plain values may stand at module level', () => {
  const text = `import { z } from 'zod/mini';
import { tool } from './tool.ts';
export const schema = z.strictObject({ path: z.string().check(z.minLength(1)) });
export const names = Object.freeze(['a', 'b'].map((name) => name.toUpperCase()));
export const set = new Set(names);
export const pattern = new RegExp(names.join('|'), 'u');
const row = (name: string) => ({ name, url: \`https://\${name}\`, read: () => Date.now() });
export const rows = [row('a'), row('b')];
export const marked = /* @__PURE__ */ tool(schema);
`;
  expect(found({ 'src/tools/a.ts': text })).toEqual([]);
  expect(found({ 'src/cli/main.ts': 'await Promise.resolve();\n' })).toEqual([]);
});

test('names that end in a word that says nothing', () => {
  const text = `export const parseV2 = 1;
export type ToolManager = 1;
export const next = 1;
export const threshold = (old: number) => old;
export interface Old {}
export const stringUtils = {};
`;
  expect(found({ 'src/env/a.ts': text })).toEqual([1, 2, 5, 6].map((line) => `src/env/a.ts:${line} name`));
  expect(found({ 'src/env/utils.ts': '', 'src/env/old/a.ts': '', 'scripts/run-helper.ts': '' })).toEqual([
    'scripts/run-helper.ts name',
    'src/env/old/a.ts name',
    'src/env/utils.ts name',
  ]);
});

test.each([
  "export const f = () => process.env['HOME'];\n",
  "export const f = () => process['argv'];\n",
  'export const f = () => process.exit(1);\n',
  'export const f = () => globalThis.process.env;\n',
  'export const f = () => { const { env } = process; return env; };\n',
  "import { argv as f } from 'node:process'; export { f };\n",
])('process is read in cli only: %s', (text) => {
  expect(found({ 'src/env/a.ts': text })).toHaveLength(1);
  expect(found({ 'src/env/a.ts': text })[0]).toMatch(/^src\/env\/a\.ts:1 process\.(env|argv|exit)$/);
  expect(found({ 'src/cli/a.ts': text })).toEqual([]);
  expect(found({ 'scripts/a.ts': text })).toEqual([]);
});

test('process.platform and other members are free', () => {
  expect(
    found({ 'src/env/a.ts': 'export const f = () => [process.platform, process.execPath, process.pid];\n' }),
  ).toEqual([]);
});

test('a page that is linked is there', () => {
  const text = '[a](docs/a.md#part) and [b](docs/b.md)\n[c](https://example.com/x.md) [d](#here)\n';
  expect(found({ 'README.md': text, 'docs/a.md': '[up](../README.md) [x](x.md)\n' })).toEqual([
    'README.md:1 dead link',
    'docs/a.md:1 dead link',
  ]);
});

test('the command prints the place, the rule and what to do, and exits 1', () => {
  const script = resolve('scripts/check.ts');
  const run = (root: string) => spawnSync(process.execPath, [script, root], { encoding: 'utf8' });
  const bad = run(plant({ 'src/env/a.ts': 'let a = 1;\nexport const f = () => a;\n' }));
  expect(bad.status).toBe(1);
  expect(bad.stderr).toBe(
    'src/env/a.ts:1 module-level state — no let or var at module level: make it a value that is passed\n',
  );
  expect(bad.stdout).toBe('check: 1 source files, 2 lines, 1 problems\n');
  expect(run(plant({ 'src/env/a.ts': '' })).status).toBe(0);
});
