/** `rein doctor`: what is there, what works, what to do about the rest. Exit code 1 where something is broken. */
import { oneLine } from '../front/render/safe.ts';
import { examine, type Finding } from '../harness/doctor.ts';
import { SettingsError } from '../harness/index.ts';
import type { Environment } from './environment.ts';
import { type Flags, readWords } from './flags.ts';
import { loadBase } from './load.ts';
import { readVersion } from './version.ts';

export async function runDoctor(words: readonly string[], environment: Environment): Promise<number> {
  const [online, json] = [words.includes('--online'), words.includes('--json')];
  const { flags: given } = readWords(words, 'rein doctor [--online] [--json]', 0, '--online', '--json');
  const findings: Finding[] = [{ what: 'rein', state: 'info', says: readVersion() }];
  const warn = (says: string) => void findings.push({ what: 'settings', state: 'warn', says });
  const load = (flags: Flags) => loadBase(flags, environment, { warn });
  const base = await load(given).catch((error: unknown) => {
    if (!(error instanceof SettingsError)) throw error;
    findings.push({ what: 'settings', state: 'bad', says: error.message });
    return load({ ...given, safeMode: true });
  });
  findings.push(...(await examine({ ...base, online })), terminal(environment));
  process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : table(findings));
  return findings.some(({ state }) => state === 'bad') ? 1 : 0;
}

export function terminal({ variables }: Pick<Environment, 'variables'>): Finding {
  const { columns, rows, isTTY } = process.stdout;
  const says = isTTY ? `${variables['TERM'] ?? 'no TERM'}, ${columns}×${rows}` : 'output is no terminal';
  return { what: 'terminal', state: 'info', says };
}

const SIGNS = { ok: '✓', warn: '!', bad: '✗', info: '·' };

export function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  return findings
    .map(({ what, state, says }) => `${SIGNS[state]} ${what.padEnd(width)}  ${oneLine(says, 500)}\n`)
    .join('');
}
