/** `rein prompts [NAME]`: what the model is told, what it costs, and where one's own words go. */
import { listPrompts, type PromptInfo } from '../harness/index.ts';
import type { Environment } from './environment.ts';
import { readWords, UsageError } from './flags.ts';
import { loadBase } from './load.ts';
import { warn } from './warn.ts';

export async function runPrompts(words: readonly string[], environment: Environment): Promise<number> {
  const given = readWords(words, 'rein prompts [NAME] [--settings …]', 1);
  const base = await loadBase(given.flags, environment, { warn });
  const prompts = await listPrompts({ ...base, warn });
  const [name] = given.words;
  process.stdout.write(name === undefined ? table(prompts) : textOf(name, prompts));
  return 0;
}

function textOf(name: string, prompts: readonly PromptInfo[]): string {
  const found = prompts.find((one) => one.name === name);
  if (!found) throw new UsageError(`there is no prompt ${name}. See: rein prompts`);
  return `${found.text}\n`;
}

const MARKS = { own: ' (your own)', replaceable: '', fixed: ' (fixed)' };

function table(prompts: readonly PromptInfo[]): string {
  const width = Math.max(...prompts.map(({ name }) => name.length));
  const rows = prompts.map(
    ({ name, tokens, when, kind }) => `${name.padEnd(width)}  ${String(tokens).padStart(6)}  ${when}${MARKS[kind]}`,
  );
  return [`${'name'.padEnd(width)}  tokens  when`, ...rows, '', HELP].join('\n');
}

const HELP = `Tokens are estimates, on the high side. rein prompts NAME shows one. Your own words go into settings.json:
{"prompts": {"bash": "…", "init": "@init.md"}} (files: relative to the folder of the settings).
`;
