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
  sudo: { flags: 'AbEHnPSikKls', valued: 'ughpCTrtU', assignments: true, transparent: false },
  doas: { flags: 'nsL', valued: 'uC', transparent: false },
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
    valued: 'nPdLsE',
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
  const wrapper = lookup(WRAPPERS, program);
  if (!wrapper || words.length === 0) return null;
  return program === 'xargs' ? unwrapXargs(wrapper, words) : unwrapPlain(program, wrapper, words);
}

function unwrapPlain(program: string, wrapper: Wrapper, words: readonly Word[]): Unwrapped | string | null {
  let at = skipOptions(wrapper, words);
  if (at < 0) return `what ${program} starts with these options is not known`;
  const assignments: Word[] = [];
  while (wrapper.assignments && /^[A-Za-z_]\w*=/.test(words[at]?.raw ?? '')) assignments.push(words[at++] ?? COMPUTED);
  const inner = words.slice(at + (wrapper.operands ?? 0));
  if (inner.length === 0) return null;
  const { transparent } = wrapper;
  return { inner: [{ words: wrapper.appends ? [...inner, COMPUTED] : inner, assignments }], transparent };
}

/** `xargs -I NAME` puts the input wherever the name stands in the words that follow. */
function unwrapXargs(wrapper: Wrapper, words: readonly Word[]): Unwrapped | string | null {
  const index = words.findIndex(({ text }) => text?.startsWith('-I'));
  if (index < 0 || words.slice(0, index).some(({ text }) => !text?.startsWith('-'))) {
    return unwrapPlain('xargs', wrapper, words);
  }
  const attached = words[index]?.text?.slice(2);
  const name = attached || words[index + 1]?.text;
  const rest = words.toSpliced(index, attached ? 1 : 2);
  const at = skipOptions(wrapper, rest);
  if (!name || at < 0) return 'what xargs starts with these options is not known';
  const inner = rest.slice(at).map((word) => (word.text?.includes(name) ? COMPUTED : word));
  return inner.length === 0 ? null : { inner: [{ words: inner }], transparent: true };
}

/** @returns the index of the first operand, -1 where an option is not known */
function skipOptions(wrapper: Wrapper, words: readonly Word[]): number {
  const { flags = '', valued = '', long = [], longValued = [] } = wrapper;
  for (let at = 0; at < words.length; at++) {
    const text = words[at]?.text;
    if (text === null || text === undefined) return -1;
    if (text === '--') return at + 1;
    if (!text.startsWith('-') || text === '-') return at;
    const [key = ''] = text.split('=');
    if (long.includes(text) || (text.includes('=') && longValued.includes(key))) continue;
    if (longValued.includes(text)) {
      at++;
      continue;
    }
    const letters = text.slice(1);
    const index = [...letters].findIndex((letter) => !flags.includes(letter));
    if (index < 0) continue;
    if (text.startsWith('--') || !valued.includes(letters[index] ?? '-')) return -1;
    if (index === letters.length - 1) at++;
  }
  return words.length;
}

/** Not POSIX: in `sh` these words mean something else, or nothing. zsh has code even in file-name patterns. */
const BASHISM = /\$['"[]|\[\[|\(\(|<<|&>|>&\s*[^\d\s-]|\|&|[<>]\(|\bfunction\b|\{[^}]*(?:,|\.\.)/;

function unwrapShell(program: string, words: readonly Word[]): Unwrapped | string | null {
  let at = 0;
  let script = false;
  for (; at < words.length; at++) {
    const text = words[at]?.text;
    if (text === null || text === undefined) return 'the shell options are computed';
    if (!/^[-+]/.test(text)) break;
    if (!/^-[ceuxlo]+$/.test(text)) return words.length === 1 ? null : `what ${program} does with ${text} is not known`;
    script ||= text.includes('c');
    if (text.includes('o')) at++;
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

function unwrapWatch(words: readonly Word[]): Unwrapped | string {
  const at = skipOptions({ flags: 'bcdegptwx', valued: 'n', longValued: ['--interval'], transparent: false }, words);
  const texts = words.slice(at).map(({ text }) => text);
  if (at < 0 || texts.includes(null)) return 'what watch starts is computed';
  const script = texts.join(' ');
  return BASHISM.test(script) ? 'sh may read this script otherwise' : { inner: [{ script }], transparent: false };
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
    const end = words.findIndex(({ text }, index) => index > at && (text === ';' || text === '+'));
    if (end < 0) return 'the end of -exec is not clear';
    const command = words.slice(at + 1, end).map((word) => place(word, roots));
    inner.push(action.endsWith('dir') ? { words: command, elsewhere: true } : { words: command });
    at = end;
  }
  return inner.length > 0 ? { inner, transparent: false } : null;
}

/** `{}` becomes a path below where find starts. */
function place(word: Word, roots: readonly Word[]): Word {
  if (!word.text?.includes('{}')) return word;
  const [root] = roots;
  if (word.text !== '{}' || roots.length > 1) return COMPUTED;
  const from = root ? root.text : '.';
  if (from === null || /^-|[\\*?[]/.test(from)) return COMPUTED;
  return { raw: '{}', text: null, pattern: `${from.replace(/\/+$/, '') || '/'}/**`, single: false };
}
