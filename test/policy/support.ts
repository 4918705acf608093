import { mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Access } from '../../src/core/types.ts';
import { createDisk } from '../../src/env/disk.ts';
import {
  createShell,
  type Disk,
  decide,
  type Effect,
  type GateOptions,
  type Mode,
  type Outcome,
  parseRule,
  type Query,
  queryFor,
  type Rule,
  type Wasm,
} from '../../src/policy/index.ts';

const require = createRequire(import.meta.url);
const wasm: Wasm = async () => ({
  runtime: readFileSync(require.resolve('web-tree-sitter/web-tree-sitter.wasm')),
  grammar: readFileSync(require.resolve('tree-sitter-bash/tree-sitter-bash.wasm')),
});

const { real, names } = createDisk();
export const disk: Disk = { real, names };

/** A workspace of its own, with a home beside it. */
function makePlace() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'rein-policy-')));
  const root = join(base, 'app');
  const home = join(base, 'home');
  mkdirSync(root);
  mkdirSync(home);
  return { base, root, home };
}

export const here = makePlace();
export const shell = createShell(wasm, here.home);

export type Setting = {
  readonly mode?: Mode;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly sandboxed?: boolean;
  readonly cwd?: string;
  readonly roots?: readonly string[];
};

export function rule(text: string, effect: Effect = 'allow', source = 'test'): Rule {
  const parsed = parseRule(text, effect, source);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
}

function rulesOf({ allow = [], ask = [], deny = [] }: Setting): readonly Rule[] {
  const of = (effect: Effect, texts: readonly string[]) => texts.map((text) => rule(text, effect));
  return [...of('allow', allow), ...of('ask', ask), ...of('deny', deny)];
}

export function optionsOf(setting: Setting): Omit<GateOptions, 'ask'> {
  return {
    shell,
    disk,
    home: here.home,
    roots: setting.roots ?? [here.root],
    cwd: () => setting.cwd ?? here.root,
    mode: () => setting.mode ?? 'ask',
    rules: () => rulesOf(setting),
    sandboxed: () => setting.sandboxed ?? false,
  };
}

export function query(tool: string, access: Access, setting: Setting = {}): Promise<Query> {
  return queryFor(tool, access, optionsOf(setting));
}

export async function judge(line: string, setting: Setting = {}): Promise<Outcome> {
  return decide(await query('bash', { show: line, command: line, anything: true }, setting));
}

export async function verdict(line: string, setting: Setting = {}): Promise<Effect> {
  return (await judge(line, setting)).verdict;
}

/** A call of a file tool, on the real path as the tools hand it over. */
export async function touch(tool: string, path: string, setting: Setting = {}): Promise<Outcome> {
  const real = disk.real(path);
  const access: Access = /^(?:write|edit)/.test(tool) ? { show: path, writes: [real] } : { show: path, reads: [real] };
  return decide(await query(tool, access, setting));
}

/** The lines among these that are not decided as said, for one readable assertion over a table. */
export async function wrong(
  lines: readonly string[],
  expected: Effect | 'not allow',
  setting: Setting = {},
): Promise<string[]> {
  const found: string[] = [];
  for (const line of lines) {
    const { verdict, why } = await judge(line, setting);
    if (expected === 'not allow' ? verdict === 'allow' : verdict !== expected)
      found.push(`${verdict}: ${line} (${why})`);
  }
  return found;
}
