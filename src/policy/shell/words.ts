import type { Tree } from './grammar.ts';
import { HOLE, MANY, PIPE, scanWord } from './scan.ts';
import type { Reason, Word } from './types.ts';

const EXPANSIONS = new Set([
  'expansion',
  'simple_expansion',
  'command_substitution',
  'process_substitution',
  'arithmetic_expansion',
]);
const PARTS = new Set([
  'command_name',
  'concatenation',
  'string',
  'string_content',
  'translated_string',
  'word',
  'raw_string',
  'ansi_c_string',
  'number',
  'brace_expression',
  'extglob_pattern',
  'variable_name',
  'test_operator',
  'regex',
]);
export const isWord = ({ type }: Tree): boolean => PARTS.has(type) || EXPANSIONS.has(type);

/** What reading a word needs of the walk around it. */
export type Reader = {
  readonly source: string;
  readonly home: string | null;
  readonly report: (reason: Reason) => void;
  /** Reads the commands of a substitution. */
  readonly enter: (node: Tree) => void;
};

/** Reads one word; the commands in its substitutions are entered. */
export function readWord(node: Tree, reader: Reader): Word {
  const raw = reader.source.slice(node.start, node.end);
  const masked = mask(node, node.start, node.end, reader);
  const word = scanWord(raw, masked, reader.home);
  if (typeof word !== 'string') return word;
  reader.report({ text: raw, why: word });
  return { raw, text: null, single: false };
}

/** The source from `start` to `end` with every expansion under `node` replaced by one character. */
export function mask(node: Tree, start: number, end: number, reader: Reader): string {
  let text = '';
  let at = start;
  for (const expansion of expansionsOf(node, reader)) {
    text += reader.source.slice(at, expansion.start) + expand(expansion, reader);
    at = expansion.end;
  }
  return text + reader.source.slice(at, end);
}

function expansionsOf(node: Tree, reader: Reader): Tree[] {
  if (EXPANSIONS.has(node.type)) return [node];
  return node.children.flatMap((child) => {
    if (
      child.broken ||
      (child.named && !PARTS.has(child.type) && !EXPANSIONS.has(child.type) && !isHeredocPart(child))
    ) {
      reader.report({ text: reader.source.slice(child.start, child.end), why: `${child.type} inside a word` });
    }
    return expansionsOf(child, reader);
  });
}

const isHeredocPart = ({ type }: Tree) => type === 'heredoc_content' || type === 'special_variable_name';

const SIMPLE = /^\$([A-Za-z_]\w*|[0-9@*#?$!_-])$/;
/** `${x}`, `${#x}` and the operators that neither assign, nor compute, nor look up another name. */
const BRACED = /^\$\{#?([A-Za-z_]\w*|[0-9@*#?])((:?[-+?]|%%?|##?|\/\/?|\^\^?|,,?)[^$`'"\\{}<>()[\]@!]*)?\}$/;
/** Variables stay out: bash computes their values too, and runs what stands in a subscript there. */
const ARITHMETIC = /^\$\(\([\s\d+\-*/%()<>=!&|^~?:,]*\)\)$/;

/** Checks one expansion, enters what it would run, and says what stands for it. */
function expand(node: Tree, reader: Reader): string {
  const source = reader.source.slice(node.start, node.end);
  const refuse = (why: string) => {
    reader.report({ text: source, why });
    return HOLE;
  };
  if (node.type === 'simple_expansion') {
    return !SIMPLE.test(source) ? refuse('an expansion of an unknown form') : source === '$@' ? MANY : HOLE;
  }
  if (node.type === 'command_substitution') {
    if (source.startsWith('`') && /\\/.test(source)) refuse('a backslash inside backticks');
    reader.enter(node);
    return HOLE;
  }
  if (node.type === 'process_substitution') {
    reader.enter(node);
    return PIPE;
  }
  const masked = maskInside(node, reader);
  if (node.type === 'arithmetic_expansion') return ARITHMETIC.test(masked) ? HOLE : refuse('arithmetic with variables');
  if (!BRACED.test(masked.replaceAll(HOLE, ''))) return refuse('an expansion of an unknown form');
  return source.startsWith('${@') ? MANY : HOLE;
}

/** Substitutions nested anywhere in an expansion, whatever stands between. */
function maskInside(node: Tree, reader: Reader): string {
  let text = '';
  let at = node.start;
  const visit = (inner: Tree): void => {
    for (const child of inner.children) {
      if (!EXPANSIONS.has(child.type)) visit(child);
      else {
        text += reader.source.slice(at, child.start) + expand(child, reader);
        at = child.end;
      }
    }
  };
  visit(node);
  return text + reader.source.slice(at, node.end);
}
