import type { Tree } from './grammar.ts';
import { slice, type Walk } from './reading.ts';
import type { Word } from './types.ts';
import { isWord, readWord } from './words.ts';

const EXPRESSIONS = new Set(['unary_expression', 'binary_expression', 'parenthesized_expression']);
/** A pattern or regular expression in which bash would expand nothing and end nothing. */
const PLAIN_REGEX = /^[^$`'"\\()<>&;|\s]+\$?$/;

/** `[ … ]` and `[[ … ]]`, as a command of that name whose words are the parts in order. */
export function readTest(node: Tree, walk: Walk): void {
  const tokens = leavesOf(node);
  const [open] = tokens;
  const close = tokens.at(-1);
  const double = open?.type === '[[';
  if (!open || !close || close.type !== (double ? ']]' : ']')) {
    walk.report({ text: slice(walk, node), why: 'a test of an unknown form' });
    return;
  }
  for (const [index, token] of tokens.slice(1).entries()) {
    const gap = walk.source.slice(tokens[index]?.end, token.start).replaceAll('\\\n', '');
    if (!/^[ \t]+$/.test(gap)) walk.report({ text: slice(walk, node), why: 'words that bash would divide otherwise' });
  }
  const words = tokens.slice(1, -1).map((token) => readToken(token, walk));
  const name: Word = { raw: open.type, text: open.type, single: true };
  walk.found.commands.push({ name, words, text: slice(walk, node) });
}

function leavesOf(node: Tree): Tree[] {
  return node.children.flatMap((child) => (EXPRESSIONS.has(child.type) && !child.broken ? leavesOf(child) : [child]));
}

function readToken(token: Tree, walk: Walk): Word {
  const raw = slice(walk, token);
  if (token.broken) walk.report({ text: raw, why: 'a syntax error' });
  if (token.type === 'regex' || token.type === 'extglob_pattern') {
    if (!PLAIN_REGEX.test(raw)) walk.report({ text: raw, why: 'a pattern of an unknown form' });
    return { raw, text: raw, single: true };
  }
  if (!token.named || token.type === 'test_operator') return { raw, text: raw, single: true };
  if (isWord(token)) return readWord(token, walk);
  walk.report({ text: raw, why: `${token.type.replaceAll('_', ' ')} is not understood` });
  walk.visit(token);
  return { raw, text: null, single: false };
}
