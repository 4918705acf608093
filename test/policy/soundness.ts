/** The promise of the policy, checked from outside: what it allows starts nothing that it would not allow. */
import { execFileSync } from 'node:child_process';
import type { Access } from '../../src/core/types.ts';
import { type Analysis, decide } from '../../src/policy/index.ts';
import { lines, PROGRAMS } from './generate.ts';
import { createRecorder, type Ran } from './record.ts';
import { query, type Setting } from './support.ts';

export type Report = {
  readonly total: number;
  readonly allowed: number;
  readonly started: number;
  readonly violations: readonly string[];
};

export const realProgram = (name: string): string =>
  execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();

const USER = ['bash(echo *)', 'bash(ls *)', 'bash(cat *)', 'bash(git status *)'];

export async function checkLines(seed: number, count: number, batch = 250): Promise<Report> {
  const recorder = createRecorder(PROGRAMS, realProgram);
  const setting: Setting = { allow: USER, roots: [recorder.folder], cwd: recorder.folder };
  let allowed = 0;
  let started = 0;
  const violations: string[] = [];
  try {
    const all = lines(seed, count);
    for (let at = 0; at < all.length; at += batch) {
      const chosen: string[] = [];
      for (const line of all.slice(at, at + batch)) if (await isAllowed(line, setting)) chosen.push(line);
      allowed += chosen.length;
      const { ran, changed } = await recorder.run(chosen);
      started += ran.length;
      for (const one of ran)
        if (!(await mayRun(one, setting)))
          violations.push(`${JSON.stringify(chosen[one.line])} started ${JSON.stringify(one.argv)}`);
      if (changed.length > 0) violations.push(...(await culprits(chosen, recorder)));
    }
    return { total: all.length, allowed, started, violations };
  } finally {
    recorder.remove();
  }
}

async function isAllowed(line: string, setting: Setting): Promise<boolean> {
  const access: Access = { show: line, command: line, anything: true };
  return decide(await query('bash', access, setting)).verdict === 'allow';
}

/** A started program is judged as a command of which every word is known. */
async function mayRun({ argv }: Ran, setting: Setting): Promise<boolean> {
  const [name = '', ...rest] = argv;
  const words = rest.map((text) => ({ raw: text, text, single: true }));
  // What a wrapper starts is recorded by itself; a shell must have been given its script.
  if (/^(?:bash|sh)$/.test(name)) return rest.some((text) => /^-[a-z]*c/.test(text));
  if (/^(?:env|timeout|nice|nohup|xargs)$/.test(name)) return !rest.includes('-S');
  const command = { name, words, text: argv.join(' '), via: [], wrapper: false, elsewhere: false };
  const analysis: Analysis = {
    line: '',
    commands: [command],
    redirects: [],
    assignments: [],
    unknown: [],
    loops: false,
  };
  const base = await query('bash', { show: '', command: ':', anything: true }, setting);
  return decide({ ...base, analysis }).verdict === 'allow';
}

async function culprits(chosen: readonly string[], recorder: ReturnType<typeof createRecorder>): Promise<string[]> {
  const found: string[] = [];
  for (const line of chosen) {
    const { changed } = await recorder.run([line]);
    if (changed.length > 0) found.push(`${JSON.stringify(line)} changed ${changed.join(', ')}`);
  }
  return found;
}
