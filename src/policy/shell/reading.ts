import type { Tree } from './grammar.ts';
import type { Assignment, Reason, Redirect, Word } from './types.ts';
import type { Reader } from './words.ts';

/** A command as it stands in the line, before wrappers are looked into. */
export type Simple = { readonly name: Word; readonly words: readonly Word[]; readonly text: string };

export type Found = {
  readonly commands: Simple[];
  readonly redirects: Redirect[];
  readonly assignments: Assignment[];
  readonly unknown: Reason[];
  loops: boolean;
};

export type Walk = Reader & {
  readonly found: Found;
  readonly backticks: boolean;
  readonly visit: (node: Tree) => void;
};

export function slice({ source }: Walk, node: Tree): string {
  return source.slice(node.start, node.end);
}

const BLANK = /^(?:[ \t]|\\\n)*$/;

/** Blank to bash, and no end of a command. */
export const isBlank = (gap: string): boolean => BLANK.test(gap);

/** Neighbours in a command are two words to bash only with a blank between them. */
export function checkGaps(nodes: readonly Tree[], walk: Walk): void {
  for (const [index, node] of nodes.entries()) {
    const next = nodes[index + 1];
    if (!next) return;
    const gap = walk.source.slice(node.end, next.start);
    const blank = gap.replaceAll('\\\n', '');
    const touching = blank === '' && !/^(?:[<>]|&>)/.test(walk.source.slice(next.start, next.start + 2));
    // `{NAME}>file` assigns the number of the file to a variable.
    const assigns = blank === '' && walk.source[node.end - 1] === '}';
    if (!isBlank(gap) || assigns || touching || (blank === '' && node.type === 'file_redirect')) {
      walk.report({ text: walk.source.slice(node.start, next.end), why: 'words that bash would divide otherwise' });
    }
  }
}
