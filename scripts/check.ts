/**
 * Enforces the arrows between folders and the budgets, both data in `check/limits.ts`.
 * `node scripts/check.ts [root]` prints what broke where and exits 1 where something did.
 */
import { resolve } from 'node:path';
import { checkEffects } from './check/effects.ts';
import { checkImports } from './check/imports.ts';
import { checkLinks } from './check/links.ts';
import { checkNames } from './check/names.ts';
import { checkSizes, countLines } from './check/sizes.ts';
import { type Problem, readSources } from './check/source.ts';
import { checkState } from './check/state.ts';

/** Everything that breaks a rule below `root`, in the order of its place. */
export const check = (
  root: string,
): { readonly problems: Problem[]; readonly files: number; readonly lines: number } => {
  const src = readSources(root, 'src');
  const all = [...src, ...['scripts', 'bench', 'steps'].flatMap((folder) => readSources(root, folder))];
  const problems = [
    ...checkImports(src),
    ...checkState(src),
    ...checkEffects(src),
    ...checkNames(all),
    ...checkSizes(all),
    ...checkLinks(root),
  ];
  return { problems: problems.toSorted(byPlace), files: src.length, lines: countLines(src) };
};

const byPlace = (a: Problem, b: Problem): number => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1);

export const formatProblem = (each: Problem): string =>
  `${each.path}${each.line > 0 ? `:${each.line}` : ''} ${each.rule} — ${each.advice}`;

if (import.meta.main) {
  const { problems, files, lines } = check(resolve(process.argv[2] ?? '.'));
  for (const each of problems) console.error(formatProblem(each));
  const summary = `check: ${files} source files, ${lines} lines, ${problems.length} problems`;
  console.log(summary);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
