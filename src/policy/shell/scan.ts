/**
 * Unquoting, as bash does it: one pass over the text of one word. Expansions were replaced by `HOLE` before. It is also
 * the check on the grammar: what bash would not read as exactly one word is a complaint.
 */
import type { Word } from './types.ts';

/** Stands for one expansion. Lines that contain it are not analysed at all. */
export const HOLE = '\uE000';
/** Stands for one process substitution, which becomes a file name. */
export const PIPE = '\uE001';
/** Stands for `$@` and its like, which may be many words even in quotes. */
export const MANY = '\uE002';

type State = {
  /** The value so far, and the same with what is quoted escaped. */
  text: string;
  pattern: string;
  computed: boolean;
  single: boolean;
  wild: boolean;
  /** How far an unquoted `{a,b}` or `{1..2}` was seen. */
  brace: 'no' | 'open' | 'parted';
};

const EXPANDS = /^\$[\w{([?!#@*$-]/;
const META = /[\s;|&()<>]/;

/** @returns the word, or why the text is not one word */
export function scanWord(raw: string, masked: string, home: string | null): Word | string {
  const state: State = { text: '', pattern: '', computed: false, single: true, wild: false, brace: 'no' };
  if (masked.startsWith('#')) return 'a comment where a word was expected';
  let at = 0;
  if (masked === '~' || masked.startsWith('~/')) {
    if (home === null) state.computed = true;
    else put(state, home);
    at = 1;
  } else if (masked.startsWith('~')) state.computed = true;
  while (at < masked.length) {
    const next = step(state, masked, at);
    if (typeof next === 'string') return next;
    at = next;
  }
  const { text, pattern, computed, single, wild } = state;
  if (computed) return { raw, text: null, single };
  if (wild) return { raw, text: null, pattern, single: false };
  return { raw, text, single: true };
}

/** @returns where to go on, or a complaint */
function step(state: State, source: string, at: number): number | string {
  const char = source[at] ?? '';
  if (char === "'") {
    const end = source.indexOf("'", at + 1);
    if (end < 0) return 'a quote that does not end';
    put(state, source.slice(at + 1, end));
    return end + 1;
  }
  if (char === '"') return doubleQuoted(state, source, at + 1);
  if (source.startsWith("$'", at)) return ansiQuoted(state, source, at);
  if (source.startsWith('$"', at)) {
    // The message catalogue decides about its text.
    state.computed = true;
    return at + 1;
  }
  if (char === '\\') {
    if (at + 1 >= source.length) return 'a backslash at the end';
    if (source[at + 1] !== '\n') put(state, source[at + 1] ?? '');
    return at + 2;
  }
  return plain(state, char, source, at);
}

function plain(state: State, char: string, source: string, at: number): number | string {
  if (META.test(char)) return `"${char}" inside a word`;
  if (char === '`' || EXPANDS.test(source.slice(at, at + 2))) return 'an expansion that the grammar does not see';
  if (char === HOLE || char === MANY) {
    state.computed = true;
    state.single = false;
  } else if (char === PIPE) {
    put(state, '/dev/fd/63');
    return at + 1;
  }
  if (char === '*' || char === '?' || (char === '[' && source.indexOf(']', at) > 0)) state.wild = true;
  if (char === '{' && state.brace === 'no') state.brace = 'open';
  if (state.brace === 'open' && (char === ',' || source.startsWith('..', at))) state.brace = 'parted';
  if (char === '}' && state.brace === 'parted') {
    state.computed = true;
    state.single = false;
  }
  state.text += char;
  state.pattern += char;
  return at + 1;
}

function doubleQuoted(state: State, source: string, start: number): number | string {
  let at = start;
  while (at < source.length) {
    const char = source[at] ?? '';
    if (char === '"') return at + 1;
    if (char === '`' || EXPANDS.test(source.slice(at, at + 2))) return 'an expansion that the grammar does not see';
    if (char === HOLE || char === PIPE || char === MANY) state.computed = true;
    if (char === MANY) state.single = false;
    if (char === '\\' && at + 1 < source.length && '$`"\\\n'.includes(source[at + 1] ?? '')) {
      if (source[at + 1] !== '\n') put(state, source[at + 1] ?? '');
      at += 2;
      continue;
    }
    put(state, char);
    at += 1;
  }
  return 'a quote that does not end';
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

function ansiQuoted(state: State, source: string, start: number): number | string {
  const quoted = /^\$'((?:[^'\\]|\\[\s\S])*)'/.exec(source.slice(start));
  if (!quoted) return 'a quote that does not end';
  let odd = false;
  const value = (quoted[1] ?? '').replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/g,
    (all, hex, short, long, octal, letter) => {
      const digits: string | undefined = hex ?? short ?? long;
      if (digits === undefined && octal === undefined) {
        odd ||= letter === 'c' || letter === 'x' || letter === 'u' || letter === 'U';
        return ESCAPES[letter] ?? all;
      }
      const code = digits === undefined ? Number.parseInt(octal, 8) : Number.parseInt(digits, 16);
      // NUL cuts the word short, and a lone byte above 0x7f is not a character.
      odd ||= code === 0 || code > 0x10ffff || (code > 0x7f && short === undefined && long === undefined);
      return odd ? '' : String.fromCodePoint(code);
    },
  );
  if (odd) return 'an escape that has no plain value';
  put(state, value);
  return start + quoted[0].length;
}

function put(state: State, text: string): void {
  state.text += text;
  state.pattern += text.replace(/[\\*?[\]]/g, '\\$&');
}
