import { lookup } from './lookup.ts';
import type { Effect, Match, Rule } from './types.ts';

/** Names that other agents give these tools; their users bring their rules along. */
const ALIASES: Readonly<Record<string, string>> = {
  Bash: 'bash',
  Read: 'read_file',
  Write: 'write_file',
  Edit: 'edit_file',
  MultiEdit: 'edit_file',
  Glob: 'list_files',
  LS: 'list_files',
  Grep: 'search_files',
  WebFetch: 'web_fetch',
  Task: 'task',
  TodoWrite: 'todo',
  read: 'read_file',
  write: 'write_file',
  edit: 'edit_file',
  list: 'list_files',
};

/**
 * Reads a rule: `bash`, `bash(git push *)`, `write_file(src/**)`, `web_fetch(*.docs.rs)`, `*`.
 * @returns a sentence for a person where it can't be read
 */
export function parseRule(text: string, effect: Effect, source: string): Rule | string {
  const wrong = (why: string) => `The ${effect} rule ${JSON.stringify(text)} can't be used: ${why}.`;
  const [, name, , inside] = /^\s*([A-Za-z_*][\w.*-]*)\s*(\(([\s\S]*)\))?\s*$/.exec(text) ?? [];
  if (name === undefined) return wrong('it must look like tool or tool(pattern), for example bash(git status *)');
  const tool = lookup(ALIASES, name) ?? name;
  if (tool.includes('*') && tool !== '*')
    return wrong('"*" stands alone for every tool; part of a name can\'t be a pattern');
  const meant = spelling(tool);
  if (meant !== undefined) return wrong(`there is no tool ${name}; write ${meant}`);
  const base = { effect, text: text.trim(), source, tool };
  if (inside === undefined) return { ...base, match: { kind: 'any' } };
  const pattern = inside.trim();
  if (pattern === '') return wrong('the pattern between the parentheses is empty');
  if (tool === '*') return wrong('a pattern needs a tool in front of it');
  const match = pattern === '*' || pattern === '**' ? ({ kind: 'any' } as const) : parseMatch(tool, pattern);
  return typeof match === 'string' ? wrong(match) : { ...base, match };
}

function parseMatch(tool: string, pattern: string): Match | string {
  if (tool === 'bash') return parseWords(pattern);
  if (tool === 'web_fetch') return parseHost(pattern);
  if (tool === 'task' || tool === 'todo' || tool === 'skill') return `${tool} takes no pattern`;
  return { kind: 'path', pattern: pattern.replace(/^\.\//, '') };
}

function parseWords(pattern: string): Match | string {
  const open = /(?:\s+\*|:\*)$/.test(pattern);
  const words = splitWords(pattern.replace(/(?:\s+\*|:\*)$/, ''));
  if (typeof words === 'string') return words;
  if (words.some((word) => word !== '*' && word.includes('*'))) return '"*" must be a word of its own';
  if (words[0] === '*') return 'the program must be named; for every command write bash';
  return { kind: 'words', words, open };
}

/** The known tool that a name in other letters means: a rule for no tool would hold nothing, in silence. */
const spelling = (name: string): string | undefined => {
  const plain = (text: string) => text.toLowerCase().replace(/[-_.]/g, '');
  const names = [...Object.values(ALIASES), 'job', 'skill'];
  return names.includes(name) ? undefined : names.find((known) => plain(known) === plain(name));
};

/** Blanks divide, quotes hold together. There are no expansions in a rule, and one rule is one command. */
function splitWords(pattern: string): string[] | string {
  const words: string[] = [];
  const token = /\s*((?:'[^']*'|"[^"]*"|[^\s'"])+)/y;
  for (let at = 0; at < pattern.length; at = token.lastIndex) {
    token.lastIndex = at;
    const word = token.exec(pattern)?.[1];
    if (word === undefined) return /^\s*$/.test(pattern.slice(at)) ? words : 'a quote does not end';
    if (/^(?:&&|\|\|?|;|&)$|;$/.test(word)) return 'a rule is about one command; write one rule for each';
    words.push(word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
  }
  return words.length > 0 ? words : 'it names no program';
}

function parseHost(pattern: string): Match | string {
  const host = normalHost(pattern.replace(/^domain:/, '').replace(/^\*\./, ''));
  if (host === null) return 'it must be a host name like docs.rs, or *.docs.rs for what is below it';
  return { kind: 'host', host, below: /^(?:domain:)?\*\./.test(pattern) };
}

/** One spelling for check and comparison, or null for what is no host name or address. */
export function normalHost(host: string): string | null {
  const plain = host.toLowerCase().replace(/\.$/, '');
  const named = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)*[a-z0-9_][a-z0-9_-]{0,62}$/.test(plain);
  return plain.length <= 253 && (named || /^\[?[0-9a-f:.]+\]?$/.test(plain)) ? plain : null;
}
