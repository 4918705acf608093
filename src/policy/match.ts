/** Does a written rule speak about this part? `maybe`: it can't be known before the shell has run. */
import { compileGlob, mayMatchBelow } from './glob.ts';
import { resolve } from './paths.ts';
import { subcommandOf } from './programs/index.ts';
import { normalHost } from './rules.ts';
import type { Word } from './shell/index.ts';
import type { Part, Query, Rule } from './types.ts';

export type Answer = 'yes' | 'no' | 'maybe';

/**
 * An allow rule is read narrowly: its own tool, the command as it is written. A deny or ask rule is read widely: whatever
 * program or tool would read or write that path, whatever options stand before the sub-command.
 */
export function matches(rule: Rule, part: Part, query: Query): Answer {
  const { match, tool } = rule;
  const wide = rule.effect !== 'allow';
  const own = tool === '*' || tool === query.tool;
  if (match.kind === 'any') return own ? 'yes' : 'no';
  if (match.kind === 'words') return own ? matchCommand(match, part, wide) : 'no';
  if (match.kind === 'host') return own && part.kind === 'host' && matchHost(match, part.host) ? 'yes' : 'no';
  return matchPath(rule, match.pattern, part, query, wide, own);
}

type Words = { readonly words: readonly string[]; readonly open: boolean };

function matchCommand(match: Words, part: Part, wide: boolean): Answer {
  if (part.kind === 'unknown') return wide ? 'maybe' : 'no';
  if (part.kind !== 'command') return 'no';
  const { command } = part;
  if (!wide) {
    // A rule for the whole of `sudo make x` speaks of what it starts too; one with any arguments speaks of sudo alone.
    const spoken = match.open ? [command] : [command, ...command.via];
    return spoken.some(({ name, words }) => matchWords(match, name, words) === 'yes') ? 'yes' : 'no';
  }
  const program = command.name?.slice(command.name.lastIndexOf('/') + 1) ?? null;
  const answers = [matchWords(match, command.name, command.words), matchWords(match, program, command.words)];
  if (program === 'git' && match.words.length > 1) {
    const { name, rest } = subcommandOf(command.words);
    const head: Word = { raw: name ?? '', text: name, single: name !== null };
    answers.push(matchWords(match, 'git', [head, ...rest]));
  } else if (match.words.length > 1) {
    const behind = behindOptions(command.words).map((words) => matchWords(match, program, words));
    if (behind.some((answer) => answer !== 'no')) answers.push('maybe');
  }
  return answers.includes('yes') ? 'yes' : answers.includes('maybe') ? 'maybe' : 'no';
}

/** The arguments from each place where options may have ended: whether one takes the next word is not known here. */
function behindOptions(words: readonly Word[]): (readonly Word[])[] {
  const isOption = (word: Word | undefined) => word !== undefined && (word.text ?? '-').startsWith('-');
  const end = words.findIndex((word, at) => !isOption(word) && !isOption(words[at - 1]));
  return words.slice(0, end < 0 ? words.length : end).map((_, at) => words.slice(at + 1));
}

function matchWords(match: Words, name: string | null, args: readonly Word[]): Answer {
  const [program, ...wanted] = match.words;
  if (name !== null && name !== program) return 'no';
  let sure = name !== null;
  for (const [index, want] of wanted.entries()) {
    const word = args[index];
    // A word that may become several makes every later position uncertain.
    if (word && !word.single) return 'maybe';
    if (!word) return 'no';
    if (word.text === null) sure &&= want === '*';
    else if (want !== '*' && want !== word.text) return 'no';
  }
  const rest = args.slice(wanted.length);
  if (!match.open && rest.some(({ single, text }) => single || text !== null)) return 'no';
  if (!match.open && rest.length > 0) return 'maybe';
  return sure ? 'yes' : 'maybe';
}

function matchHost({ host, below }: { host: string; below: boolean }, asked: string): boolean {
  const plain = normalHost(asked);
  return plain !== null && (below ? plain.endsWith(`.${host}`) : plain === host);
}

function matchPath(rule: Rule, pattern: string, part: Part, query: Query, wide: boolean, own: boolean): Answer {
  const patterns = absolute(pattern, query, wide);
  const hit = (path: string) => patterns.some((one) => compileGlob(one)(path));
  const { tool } = rule;
  const speaksOfFiles = tool === 'read_file' || tool === 'write_file' || tool === 'edit_file';
  if (part.kind === 'command') {
    // A program that may do anything names the path: that is all that can be seen.
    return wide && speaksOfFiles && part.harmless !== null && part.paths.some(hit) ? 'yes' : 'no';
  }
  if (part.kind !== 'read' && part.kind !== 'write') return 'no';
  // To forbid editing is to forbid writing; to allow editing is not to allow overwriting.
  const kindred = part.kind === 'read' ? tool === 'read_file' : tool === 'write_file' || (tool === 'edit_file' && wide);
  if (!own && !kindred) return 'no';
  if (part.path === null) return wide ? 'maybe' : 'no';
  if (hit(part.path)) return 'yes';
  const { path } = part;
  const below = part.kind === 'read' && (part.how === 'deep' || part.how === 'visible');
  return wide && below && patterns.some((one) => mayMatchBelow(one, path)) ? 'maybe' : 'no';
}

/** A pattern is relative to the workspace; to forbid, `**` in front means anywhere. */
function absolute(pattern: string, query: Query, wide: boolean): string[] {
  // Paths are real, so the fixed start of a pattern must be real too.
  return spell(pattern, query, wide).flatMap((one) => {
    const wild = one.search(/[*?{]/);
    const end = wild < 0 ? one.length : one.lastIndexOf('/', wild);
    const real = `${query.disk.real(one.slice(0, end) || '/').replace(/\/$/, '')}${one.slice(end)}`;
    return real === one ? [one] : [one, real];
  });
}

function spell(pattern: string, { roots, home, disk }: Query, wide: boolean): string[] {
  const root = disk.real(roots[0] ?? '/');
  if (pattern.startsWith('~/')) return home === null ? [] : [`${disk.real(home)}${pattern.slice(1)}`];
  if (pattern.startsWith('//')) return [pattern.slice(1)];
  if (pattern.startsWith('/')) return [pattern];
  const inside = `${root === '/' ? '' : root}/${pattern.startsWith('../') ? pattern : pattern.replace(/^\.\//, '')}`;
  const plain = inside.includes('/../') ? resolve('/', inside) : inside;
  return wide && pattern.startsWith('**/') ? [plain, `/${pattern}`] : [plain];
}
