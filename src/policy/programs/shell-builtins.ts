/** Built-ins of the shell, and small programs that only print. */
import type { Word } from '../shell/index.ts';
import { exactly, never, reader, silent, splitOptions } from './options.ts';
import type { Program, Programs } from './types.ts';

const POISON = 'it changes what later commands of the line do';
/** bash computes its value, and runs what stands in a subscript there. */
const EVALUATES = 'bash may evaluate this as code';
const NAME = /^[a-z_][a-z0-9_]*$/;
/** Lower-case names that bash or programs look at. */
export const LOUD_NAMES = /proxy|^histchars$|^auto_resume$|^npm_/i;
const isQuietName = (word: Word) => word.text !== null && NAME.test(word.text) && !LOUD_NAMES.test(word.text);

const UNARY = new Set('! -a -b -c -d -e -f -g -h -k -n -p -r -s -t -u -w -x -z -G -L -N -O -S ('.split(' '));
const BINARY = new Set('= == != < > =~ -eq -ne -lt -le -gt -ge -ef -nt -ot -a -o && || )'.split(' '));
const ARITHMETIC = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** `test`, `[` and `[[`: harmless unless a word that is computed could become `-v`, or a number an expression. */
const testing =
  (double: boolean): Program =>
  (words) => {
    if (words.some(({ text }) => text === '-v' || text === '-R')) return EVALUATES;
    for (const [index, word] of words.entries()) {
      const next = words[index + 1]?.text ?? null;
      const last = index === words.length - 1 || next === ']';
      if (double && (ARITHMETIC.test(next ?? '') || ARITHMETIC.test(words[index - 1]?.text ?? ''))) {
        if (!/^-?\d+$/.test(word.text ?? '')) return EVALUATES;
      }
      if (double || word.text !== null) continue;
      if (!word.single) return EVALUATES;
      if (!last && !(next !== null && BINARY.has(next))) return EVALUATES;
      const before = words[index - 1]?.text;
      if (before !== undefined && !(before !== null && (UNARY.has(before) || BINARY.has(before)))) return EVALUATES;
    }
    const paths = words.filter((word) => word.text?.startsWith('/') || word.text?.startsWith('..'));
    return { reads: paths.map((word) => ({ word, how: 'names' as const })) };
  };

/** `-v NAME` assigns, and its name may be an expression. */
const printf: Program = ([format]) =>
  format?.text == null || (format.text.startsWith('-') && format.text !== '--') ? EVALUATES : { reads: [] };

const read: Program = (words) => {
  const split = splitOptions(words, { flags: 'rs', valued: 'dnNtp' });
  if (typeof split === 'string') return split;
  return split.operands.every(isQuietName) ? { reads: [] } : POISON;
};

const set: Program = (words) => {
  const texts = words.map(({ text }) => text);
  const harmless = texts.every(
    (text, index) =>
      text !== null &&
      (/^[-+][eufx]*o?$/.test(text) || (index > 0 && /^(?:pipefail|errexit|nounset|noglob)$/.test(text))),
  );
  return harmless && texts.length > 0 ? { reads: [] } : POISON;
};

const unset: Program = (words) => (words.every(isQuietName) ? { reads: [] } : POISON);
const command: Program = (words) =>
  /^-[vV]$/.test(words[0]?.text ?? '') ? { reads: [] } : 'it starts what its arguments say';

const env: Program = (words) =>
  words.every(({ text }) => text !== null && /^(?:-0|-i|--null|[A-Za-z_]\w*=.*)$/s.test(text))
    ? { reads: [] }
    : 'an option is not known';

/** `export NAME=value`: the values are judged as assignments. */
const declaration: Program = (words) => {
  const plain = words.every((word) => /^(?:[A-Za-z_]\w*=|-[xr]$)/.test(word.raw) || isQuietName(word));
  return plain && words.length > 0 ? { reads: [] } : POISON;
};

const quiet = (
  'echo true false : pwd type which seq sleep expr nproc uname whoami id groups uptime free ps tty ' +
  'printenv locale getconf cal exit return break continue shift lscpu factor numfmt dirs'
).split(' ');
const poisonous = (
  'alias unalias trap source . enable shopt typeset declare let eval mapfile readarray hash pushd popd bind ' +
  'complete ulimit umask unsetenv getopts readonly local'
).split(' ');

export const builtins: Programs = {
  ...Object.fromEntries(quiet.map((name) => [name, silent])),
  ...Object.fromEntries(poisonous.map((name) => [name, never(POISON)])),
  test: testing(false),
  '[': testing(false),
  '[[': testing(true),
  // `jobs -x` runs its arguments, `wait -p` assigns.
  jobs: exactly('', '-l', '-p'),
  wait: (words) =>
    words.every(({ text, raw }) => /^[%\d]/.test(text ?? '') || /^"?\$!"?$/.test(raw)) ? { reads: [] } : POISON,
  printf,
  read,
  set,
  unset,
  command,
  env,
  export: declaration,
  hostname: exactly('', '-f', '-s', '-i', '-I'),
  // On a Mac `arch` starts programs; `tput init` runs what the terminal's description says.
  arch: exactly(''),
  tput: exactly('cols', 'lines', 'colors', 'sgr0', 'bold'),
  exec: (words) => (words.length === 0 ? { reads: [] } : POISON),
  tee: never('tee writes its operands'),
  dmesg: never('it may clear the log of the kernel'),
  lsof: reader({ flags: 'nPatiU' }),
};
