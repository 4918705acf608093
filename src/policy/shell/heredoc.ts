import type { Tree } from './grammar.ts';
import { checkGaps, slice, type Walk } from './reading.ts';
import { readRedirect } from './redirects.ts';
import type { Word } from './types.ts';
import { isWord, mask, readWord } from './words.ts';

/**
 * A here-document. Where it ends decides what is text and what is run, so the grammar's answer is checked against bash's
 * rule: the first line that is exactly the delimiter.
 * @returns the words after the delimiter: to bash they are arguments
 */
export function readHeredoc(node: Tree, walk: Walk): Word[] {
  const part = (type: string) => node.children.find((child) => child.type === type);
  const [start, body, end] = [part('heredoc_start'), part('heredoc_body'), part('heredoc_end')];
  const why = start && body && end ? mistrust(node, start, body, end, walk) : 'a here-document without an end';
  if (why) walk.report({ text: slice(walk, node), why });
  checkGaps(
    node.children.filter(
      (child) => child.start >= (start?.start ?? 0) && child.end <= (body?.start ?? 0) && child.type !== '\n',
    ),
    walk,
  );
  const words: Word[] = [];
  for (const child of node.children) {
    if (child === body || child === start || child === end || child.type === 'file_descriptor') continue;
    if (child.broken) walk.report({ text: slice(walk, child), why: 'a syntax error' });
    if (child.type === 'file_redirect') words.push(...readRedirect(child, walk, true));
    else if (isWord(child)) words.push(readWord(child, walk));
    else if (child.named) walk.visit(child);
    else if (!['<<', '<<-', '&&', '||', '\n'].includes(child.type)) {
      walk.report({ text: slice(walk, child), why: 'a here-document of an unknown form' });
    }
  }
  return words;
}

function mistrust(node: Tree, start: Tree, body: Tree, end: Tree, walk: Walk): string | null {
  const { source } = walk;
  const written = slice(walk, start);
  const quoted = /['"\\]/.test(written);
  const name = /^(?:'([\w.-]+)'|"([\w.-]+)"|\\?([\w.-]+))$/.exec(written)?.slice(1).find(Boolean);
  if (!name || walk.backticks) return 'a here-document of an unknown form';
  const lineEnd = source.indexOf('\n', start.end);
  const rest = source.slice(start.end, lineEnd);
  // Another here-document, or a line end inside quotes, would move the place where the body starts.
  if (rest.includes('<<') || body.start < lineEnd || source.slice(lineEnd + 1, body.start).trim() !== '') {
    return 'two here-documents on one line';
  }
  const tabs = node.children.some(({ type }) => type === '<<-');
  const text = source.slice(lineEnd + 1, end.end);
  const lines = text.split('\n').map((line) => (tabs ? line.replace(/^\t+/, '') : line));
  const after = source[end.end] ?? '\n';
  if (lines.indexOf(name) !== lines.length - 1 || after !== '\n') return 'a here-document whose end is not clear';
  if (!quoted) return checkText(mask(body, lineEnd + 1, end.start, walk));
  return body.children.length > 0 ? 'a quoted here-document with expansions' : null;
}

/** In an unquoted body, what the grammar took for text must be text to bash. */
function checkText(masked: string): string | null {
  if (masked.includes('\\\n')) return 'a joined line inside a here-document';
  return /`|\$[\w({[?!#@*$-]/.test(masked.replace(/\\[\s\S]/g, ''))
    ? 'an expansion that the grammar does not see'
    : null;
}
