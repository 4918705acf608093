import { isInside } from '../env/inside.ts';
import { label } from './explain.ts';
import { lookup } from './lookup.ts';
import { resolve } from './paths.ts';
import { parseRule } from './rules.ts';
import type { Command } from './shell/index.ts';
import type { Outcome, PartDecision, Query } from './types.ts';

/** These run whatever they are given: a rule made of one call would allow every program. */
const INTERPRETERS =
  /^(?:python[\d.]*|pypy\d?|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|Rscript|julia|java|osascript|tclsh|expect|sh|bash|dash|zsh|ksh|fish|pwsh|env|sudo|doas|su|xargs|eval|exec|source|\.|ssh|awk|gawk|sed|find|fd|parallel|watch|npx|bunx|pnpx|uvx|pipx|gdb|strace|vim|vi|emacs|make|nc|curl|wget|tar|rsync|scp|tee|dd)$/;

/** Sub-commands that stay in the rule; what stands after them may vary. `2` for those of two words. */
const FAMILIES: Readonly<Record<string, Readonly<Record<string, 1 | 2>>>> = {
  git: words('add commit push pull fetch merge tag branch checkout switch stash mv init revert cherry-pick'),
  npm: { ...words('test install ci publish audit outdated view pack'), run: 2 },
  pnpm: { ...words('test install add build'), run: 2 },
  yarn: { ...words('test install add build'), run: 2 },
  cargo: words('build test check clippy fmt doc bench add update'),
  go: words('build test vet fmt mod list'),
  docker: { ...words('build pull images ps logs'), compose: 2 },
  kubectl: words('get describe logs top'),
  pip: words('install list show'),
  pip3: words('install list show'),
  gh: { pr: 2, issue: 2, run: 2, repo: 2 },
  dotnet: words('build test restore'),
  poetry: words('install add build'),
  uv: words('sync lock add'),
  terraform: words('plan validate fmt init'),
  systemctl: words('status'),
};
function words(list: string): Record<string, 1> {
  return Object.fromEntries(list.split(' ').map((word) => [word, 1 as const]));
}

/** Rules of the order that no written rule can answer. */
const PERSONAL = new Set(['protected path', 'destructive', 'not known', 'git folder', 'plan mode']);

/** What "always" would grant: for keys a person answers each time, though a written rule may name the very file. */
export function narrowest(outcome: Outcome, query: Query): string | undefined {
  return outcome.parts.some(({ rule }) => rule === 'secrets') ? undefined : allowingRule(outcome, query);
}

/**
 * The narrowest rule that would allow this call from now on: only where one part alone is asked, so never for a chain,
 * and never for what runs whatever it is given.
 */
export function allowingRule({ parts }: Outcome, query: Query): string | undefined {
  // What a command reaches is allowed with the command.
  const asked = parts.filter(({ verdict, part }) => verdict !== 'allow' && !(part.kind === 'host' && part.of));
  const [only, other] = asked.filter((one, at) => asked.findIndex((each) => label(each) === label(one)) === at);
  if (!only || other || PERSONAL.has(only.rule) || (only.rule === 'secrets' && only.part.kind === 'command')) {
    return undefined;
  }
  // An ask or deny rule wins over any allow rule.
  if (query.rules.some(({ effect, text }) => effect !== 'allow' && text === only.rule)) return undefined;
  const rule = ruleFor(only, query);
  return rule !== undefined && typeof parseRule(rule, 'allow', 'grant') !== 'string' ? rule : undefined;
}

function ruleFor({ part }: PartDecision, query: Query): string | undefined {
  switch (part.kind) {
    case 'command':
      return ruleForCommand(part.command);
    case 'host':
      return `${query.tool}(${part.host})`;
    case 'anything':
      return query.tool;
    case 'read':
      return part.path === null
        ? undefined
        : ruleForPath(query.tool === 'bash' ? 'read_file' : query.tool, part.path, query);
    case 'write':
      return part.path === null
        ? undefined
        : ruleForPath(query.tool === 'bash' ? 'write_file' : query.tool, part.path, query);
    default:
      return undefined;
  }
}

function ruleForPath(tool: string, path: string, { roots, disk }: Query): string | undefined {
  const root = disk.real(roots[0] ?? '/');
  const shown = isInside(root, path) && path !== root ? path.slice(resolve('/', root).length + 1) : path;
  // These would be read as a pattern.
  return /[*?{}()]/.test(shown) ? undefined : `${tool}(${shown})`;
}

function ruleForCommand({ name, words: args, via }: Command): string | undefined {
  if (name === null || via.length > 0 || INTERPRETERS.test(name.slice(name.lastIndexOf('/') + 1))) return undefined;
  const family = lookup(FAMILIES, name);
  // An option before the sub-command may change everything after it.
  if (family && args[0]?.text?.startsWith('-')) return undefined;
  const depth = family && lookup(family, args[0]?.text ?? '');
  const kept = depth === undefined ? args : args.slice(0, depth);
  const texts: string[] = [];
  for (const { text } of kept) {
    if (text === null || text === '' || /[*'"()\s]/.test(text)) return undefined;
    texts.push(text);
  }
  if (depth !== undefined && texts.some((text) => text.startsWith('-'))) return undefined;
  return `bash(${[name, ...texts].join(' ')}${depth === undefined ? '' : ' *'})`;
}
