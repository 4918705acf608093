import type { Tree } from './grammar.ts';
import { checkGaps, isBlank, slice, type Walk } from './reading.ts';
import type { Word } from './types.ts';
import { readWord } from './words.ts';

const OPERATORS = new Set(['<', '>', '>>', '&>', '&>>', '<&', '>&', '>|', '<&-', '>&-']);

/** @returns the words that the grammar takes for more targets: to bash they are arguments */
export function readRedirect(node: Tree, walk: Walk, words: boolean): Word[] {
  const inner = node.children.filter(({ type }) => type !== 'file_descriptor');
  const [operator, ...targets] = inner;
  const kind = operator?.type ?? '';
  const [first, ...rest] = targets.map((target) => readWord(target, walk));
  checkGaps(targets, walk);
  const lead = targets[0] ? walk.source.slice(operator?.end ?? node.start, targets[0].start) : '';
  if (!isBlank(lead) || (rest.length > 0 && !words)) {
    walk.report({ text: slice(walk, node), why: 'a redirection of an unknown form' });
  }
  if (!OPERATORS.has(kind) || (!first && !kind.endsWith('-'))) {
    walk.report({ text: slice(walk, node), why: 'a redirection of an unknown form' });
  }
  const duplicates = kind.endsWith('&') && first?.text != null && /^(?:\d+-?|-)$/.test(first.text);
  if (first && kind.endsWith('-')) rest.unshift(first);
  else if (first && !duplicates)
    walk.found.redirects.push({ access: kind.startsWith('<') ? 'read' : 'write', target: first });
  return rest;
}

export function readHereString(node: Tree, walk: Walk): void {
  const [operator, ...targets] = node.children.filter(({ type }) => type !== 'file_descriptor');
  const target = targets[0];
  if (
    operator?.type !== '<<<' ||
    !target ||
    targets.length > 1 ||
    !isBlank(walk.source.slice(operator.end, target.start))
  ) {
    walk.report({ text: slice(walk, node), why: 'a redirection of an unknown form' });
  }
  for (const one of targets) readWord(one, walk);
}
