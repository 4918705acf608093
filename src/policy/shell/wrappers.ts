/** Programs that start another program, and how to find it among their arguments. */
import { lookup } from '../lookup.ts';
import type { Word } from './types.ts';

/** What a wrapper would start. `words[0]` is the inner command's name; a `script` is shell text of its own. */
export type Inner =
  | { readonly words: readonly Word[]; readonly assignments?: readonly Word[]; readonly elsewhere?: true }
  | { readonly script: string };

export type Unwrapped = {
  readonly inner: readonly Inner[];
  /** It does nothing of its own that needs a judgement. */
  readonly transparent: boolean;
};

type Wrapper = {
  /** Options without a value, as single letters, and in full. */
  readonly flags?: string;
  readonly long?: readonly string[];
  /** Options whose value follows or is attached. */
  readonly valued?: string;
  readonly longValued?: readonly string[];
  /** Operands before the inner command. */
  readonly operands?: number;
  readonly assignments?: true;
  /** Words that come from elsewhere follow the written ones. */
  readonly appends?: true;
  readonly transparent: boolean;
};

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: {
    flags: 'i0',
    long: ['--ignore-environment'],
    valued: 'u',
    longValued: ['--unset'],
    assignments: true,
    transparent: true,
  },
  // Without `-s`: the words after it are a script.
  sudo: { flags: 'AbEHnPSkK', valued: 'ughpCTrtU', assignments: true, transparent: false },
  doas: { flags: 'nL', valued: 'uC', transparent: false },
  nice: { flags: '0123456789', valued: 'n', longValued: ['--adjustment'], transparent: true },
  ionice: { flags: 't', valued: 'cn', transparent: true },
  nohup: { transparent: true },
  setsid: { flags: 'cfw', transparent: true },
  stdbuf: { valued: 'ioe', transparent: true },
  timeout: {
    flags: 'fvp',
    long: ['--foreground', '--preserve-status', '--verbose'],
    valued: 'ks',
    longValued: ['--kill-after', '--signal'],
    operands: 1,
    transparent: true,
  },
  time: { flags: 'p', transparent: true },
  command: { flags: 'p', transparent: true },
  builtin: { transparent: true },
  exec: { flags: 'cl', valued: 'a', transparent: true },
  busybox: { transparent: true },
  toybox: { transparent: true },
  xargs: {
    flags: '0rtx',
    long: ['--null', '--no-run-if-empty', '--verbose', '--exit'],
    valued: 'nPdLsEI',
    longValued: ['--max-args', '--max-procs', '--delimiter', '--max-lines', '--max-chars'],
    appends: true,
    transparent: true,
  },
  strace: { flags: 'fFqvtTycC', valued: 'eosPpu', transparent: false },
  ltrace: { flags: 'fSiCtTr', valued: 'elonspu', transparent: false },
  chroot: { operands: 1, transparent: false },
  flock: { flags: 'nsxeu', valued: 'wE', operands: 1, transparent: false },
  unshare: { flags: 'muinpUCTrfc', transparent: false },
  caffeinate: { flags: 'dimsu', valued: 'tw', transparent: true },
};
/** They start what their arguments say, in ways that are not read here. */
const OPAQUE = new Set(
  'su runuser pkexec parallel script unbuffer systemd-run nsenter setpriv taskset chrt setarch'.split(' '),
);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash']);
const COMPUTED: Word = { raw: '…', text: null, single: false };

/** @returns null where it is no wrapper, a sentence where what it starts can't be known */
export function unwrap(name: string, words: readonly Word[]): Unwrapped | string | null {
  const program = name.slice(name.lastIndexOf('/') + 1);
  if (SHELLS.has(program)) return unwrapShell(program, words);
  if (program === 'eval') return unwrapEval(words);
  if (program === 'watch') return unwrapWatch(words);
  if (program === 'find') return unwrapFind(words);
  if (program === 'command' && /^-p?[vV]+$/.test(words[0]?.text ?? '')) return null;
  if (OPAQUE.has(program) && words.length > 0) return `what ${program} starts is not known`;
  const wrapper = lookup(WRAPPERS, program);
  if (!wrapper || words.length === 0) return null;
  return unwrapPlain(program, wrapper, words);
}

function unwrapPlain(program: string, wrapper: Wrapper, words: readonly Word[]): Unwrapped | string | null {
  const unknown = `what ${program} starts with these options is not known`;
  const options = readOptions(wrapper, words);
  if (!options) return unknown;
  let { at } = options;
  const assignments: Word[] = [];
  while (wrapper.assignments && /^[A-Za-z_]\w*=/.test(words[at]?.raw ?? '')) assignments.push(words[at++] ?? COMPUTED);
  const inner = words.slice(at + (wrapper.operands ?? 0));
  // An option behind the operands (`flock FILE -c SCRIPT`), or a value that becomes several words.
  if (inner[0]?.text?.startsWith('-') || assignments.some(({ single }) => !single)) return unknown;
  if (inner.length === 0) return null;
  const { transparent } = wrapper;
  return { inner: [{ words: wrapper.appends ? fill(inner, options.values) : inner, assignments }], transparent };
}

/** `xargs` puts its input behind the words, and with `-I NAME` wherever the name stands in them. */
function fill(words: readonly Word[], values: ReadonlyMap<string, Word>): readonly Word[] {
  const name = values.get('I');
  // Some let `-n` and `-L` take back what `-I` said.
  const behind = !name || values.has('n') || values.has('L') ? [COMPUTED] : [];
  const holds = ({ text, pattern }: Word) => name && (!name.text || (text ?? pattern)?.includes(name.text));
  return [...words.map((word) => (holds(word) ? COMPUTED : word)), ...behind];
}

type Given = { readonly at: number; readonly values: ReadonlyMap<string, Word> };

/** @returns where the operands begin, and the values of the options; null where an option is not known */
function readOptions(
  { flags = '', valued = '', long = [], longValued = [] }: Wrapper,
  words: readonly Word[],
): Given | null {
  const values = new Map<string, Word>();
  let at = 0;
  const take = (name: string, text?: string): boolean => {
    const word = text === undefined ? words[++at] : { raw: text, text, single: true };
    if (word) values.set(name, word);
    return word?.single === true;
  };
  const readShort = (text: string): boolean => {
    for (let index = 1; index < text.length; index++) {
      const letter = text[index] ?? '';
      if (valued.includes(letter)) return take(letter, text.slice(index + 1) || undefined);
      if (!flags.includes(letter)) return false;
    }
    return true;
  };
  for (; at < words.length; at++) {
    const text = words[at]?.text;
    if (text === null || text === undefined) return null;
    if (text === '--') return { at: at + 1, values };
    if (!text.startsWith('-') || text === '-') return { at, values };
    const [key = '', value] = text.split(/=([\s\S]*)/);
    if (!text.startsWith('--')) {
      if (!readShort(text)) return null;
    } else if (longValued.includes(key) ? !take(key, value) : !long.includes(text)) return null;
  }
  return { at, values };
}

/** Not POSIX: in `sh` these words mean something else, or nothing. zsh has code even in file-name patterns. */
const BASHISM = /\$['"[]|\[\[|\(\(|<<|&>|>&\s*[^\d\s-]|\|&|[<>]\(|\bfunction\b|\{[^{}]*?(?:,|\.\.)/;

function unwrapShell(program: string, words: readonly Word[]): Unwrapped | string | null {
  let at = 0;
  let script = false;
  for (; at < words.length; at++) {
    const text = words[at]?.text;
    if (text === null || text === undefined) return 'the shell options are computed';
    if (!/^[-+]/.test(text)) break;
    if (!/^-[ceuxlo]+$/.test(text)) return words.length === 1 ? null : `what ${program} does with ${text} is not known`;
    script ||= text.includes('c');
    // Each `o` of a bundle takes one of the words that follow.
    for (const _ of text.matchAll(/o/g)) if (words[++at]?.single !== true) return 'the shell options are computed';
  }
  if (!script) return null;
  const source = words[at]?.text;
  if (source === null || source === undefined) return 'the script of the shell is computed';
  if (program !== 'bash' && (program === 'zsh' || BASHISM.test(source)))
    return `${program} may read this script otherwise`;
  return { inner: [{ script: source }], transparent: true };
}

function unwrapEval(words: readonly Word[]): Unwrapped | string {
  const texts = words.map(({ text }) => text);
  if (texts.includes(null)) return 'the text for eval is computed';
  return { inner: [{ script: texts.join(' ') }], transparent: true };
}

const WATCH: Wrapper = { flags: 'bcdegptwx', valued: 'n', longValued: ['--interval'], transparent: false };

function unwrapWatch(words: readonly Word[]): Unwrapped | string {
  const options = readOptions(WATCH, words);
  const texts = words.slice(options?.at).map(({ text }) => text);
  if (!options || texts.includes(null)) return 'what watch starts is computed';
  const script = texts.join(' ');
  return BASHISM.test(script) ? 'sh may read this script otherwise' : { inner: [{ script }], transparent: false };
}

/** @returns where the command of `-exec` ends, -1 where that can't be known: `+` ends it right after `{}` alone */
export function endOfExec(words: readonly Word[], from: number): number {
  for (let at = from + 1; at < words.length; at++) {
    const { text, pattern = '' } = words[at] ?? COMPUTED;
    // A pattern with a letter in it becomes no such sign.
    if (text === null && !/[\w/.]/.test(pattern.replace(/\[.*/s, ''))) return -1;
    if (text === ';') return at;
    // `-ok` is read in two ways.
    if (text === '+' && words[at - 1]?.text === '{}') return words[from]?.text?.startsWith('-exec') ? at : -1;
  }
  return -1;
}

function unwrapFind(words: readonly Word[]): Unwrapped | string | null {
  const roots = words.slice(
    0,
    words.findIndex(({ raw }) => /^[-(!\\]/.test(raw)),
  );
  const inner: Inner[] = [];
  for (let at = 0; at < words.length; at++) {
    const action = words[at]?.text ?? '';
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(action)) continue;
    const end = endOfExec(words, at);
    if (end < 0) return 'the end of -exec is not clear';
    const command = words.slice(at + 1, end).map((word) => place(word, roots, nameBefore(words.slice(0, at))));
    inner.push(action.endsWith('dir') ? { words: command, elsewhere: true } : { words: command });
    at = end;
  }
  return inner.length > 0 ? { inner, transparent: false } : null;
}

/** The name that whatever reaches the end of these tests has; `*` where they may let others through. */
function nameBefore(words: readonly Word[]): string {
  const texts = words.map(({ text }) => text);
  const tests = texts.slice(texts.findLastIndex((text) => /^(?:-o|-or|,)$/.test(text ?? '')) + 1);
  const at = tests.findLastIndex((text) => text === '-name' || text === '-iname');
  const sure = at >= 0 && !texts.includes('(') && !/^(?:!|-not|-i?name)$/.test(tests[at - 1] ?? '');
  const name = tests[at + 1] ?? '';
  // Where `-name` itself is the value of a test, what follows is another one.
  return sure && !/^(?:-.*|[!(),]|)$/.test(name) ? name : '*';
}

/** `{}` becomes a path below where find starts, of that name. */
function place(word: Word, roots: readonly Word[], name: string): Word {
  if (!word.text?.includes('{}')) return word;
  const [root] = roots;
  if (word.text !== '{}' || roots.length > 1) return COMPUTED;
  const from = root ? root.text : '.';
  if (from === null || /^-|[\\*?[]/.test(from) || name.includes('/')) return COMPUTED;
  return { raw: '{}', text: null, pattern: `${from.replace(/\/+$/, '')}/**/${name}`, single: false };
}
