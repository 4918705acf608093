/** Programs that print files, or parts of them. */
import { mayNameHidden } from '../glob.ts';
import type { Word } from '../shell/index.ts';
import { type Options, reader, readsOf, type Split, splitOptions, unlessFollowing } from './options.ts';
import type { Judgement, Program, Programs, Read } from './types.ts';

const ANY: Options = { flags: '*' };

const GREP: Options = {
  flags: 'EFGPivwxcLlqsohHnbTUzZarIy',
  valued: 'emABCdDf',
  files: 'f file= exclude-from=',
  numbers: true,
  long:
    'extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp ' +
    'count files-without-match files-with-matches quiet silent no-messages only-matching no-filename with-filename ' +
    'line-number byte-offset null text recursive color color= colour colour= regexp= max-count= after-context= ' +
    'before-context= context= include= exclude= exclude-dir= binary-files= line-buffered initial-tab null-data label= directories=',
};
const grep: Program = (words) => {
  const split = splitOptions(words, GREP);
  if (typeof split === 'string') return split;
  const given = (...names: string[]) => names.some((name) => split.given.includes(name));
  const deep = given('-r', '--recursive', '--directories', '-d');
  const patterned = given('-e', '-f', '--regexp', '--file');
  const reads = readsOf(split, deep ? 'deep' : 'file', patterned ? 0 : 1);
  const pathless = split.operands.length <= (patterned ? 0 : 1);
  return deep && pathless ? withFolder(reads, 'deep') : reads;
};

const HERE: Word = { raw: '.', text: '.', single: true };
const withFolder = (judged: Judgement, how: Read['how']): Judgement =>
  typeof judged === 'string' ? judged : { reads: [...judged.reads, { word: HERE, how }] };

/** `--pre`, `--search-zip` and `--hostname-bin` start programs. */
const RG: Options = {
  flags: 'iSsvwxcloqnNHIUPFpaub0.',
  valued: 'eABCmtTgjMrEf',
  files: 'f file= ignore-file=',
  long:
    'ignore-case smart-case case-sensitive invert-match word-regexp line-regexp count count-matches files files-with-matches ' +
    'files-without-match only-matching quiet line-number no-line-number with-filename no-filename no-heading heading multiline ' +
    'multiline-dotall pcre2 fixed-strings hidden no-ignore no-ignore-vcs unrestricted null vimgrep json stats trim pretty text ' +
    'column no-messages type-list passthru one-file-system regexp= after-context= before-context= context= max-count= type= type-not= ' +
    'glob= iglob= threads= max-columns= max-depth= max-filesize= replace= encoding= color= colors= sort= sortr= path-separator=',
};
const rg: Program = (words) => {
  const split = splitOptions(words, RG);
  if (typeof split === 'string') return split;
  const patterned = ['-e', '-f', '--regexp', '--file', '--files', '--type-list'].some((one) =>
    split.given.includes(one),
  );
  const skip = patterned ? 0 : 1;
  // Hidden files, `.env` among them, are left out unless asked for, and a pattern that they match asks for them.
  const globs = split.given.some((one) => /^(?:-g|--i?glob)$/.test(one));
  const all =
    split.given.some((one) => ['-u', '-.', '--hidden', '--unrestricted'].includes(one)) ||
    (globs && words.some(({ text }) => mayNameHidden(text?.replace(/^(?:-\w*g|--i?glob=)/, '') ?? '*')));
  const how = all ? 'deep' : 'visible';
  const reads = readsOf(split, how, skip);
  return split.operands.length <= skip ? withFolder(reads, how) : reads;
};

/** Up to a delimiter, so that every sed divides it alike: some end it inside `[…]`, some read a backslash there. */
const SED_TEXT = (end: string) => `(?:[^${end}\\\\\\n]|\\\\[^\\n])*`;
const SED_REGEX = (end: string) =>
  `(?:[^${end}[\\\\\\n]|\\\\[^\\n]|\\[\\^?(?!\\^)(?:\\[:[a-z]+:\\]|[^\\][${end}\\\\\\n]|\\\\[^\\]\\n])+\\])*`;
const SED_PLACE = `(?:\\d+|\\$|/${SED_REGEX('/')}/)`;
const SED_REPLACE = ['/', '|', '#'].map(
  (end) => `s\\${end}${SED_REGEX(end)}\\${end}${SED_TEXT(end)}\\${end}[gpiI\\d]*`,
);
/** `e` and `w` run and write, so the script must be made of harmless commands alone. */
const SED_SCRIPT = new RegExp(
  `^[\\s;]*(?:(?:${SED_PLACE}(?:[ \\t]*,[ \\t]*(?:${SED_PLACE}|[+~]\\d+))?[ \\t]*)?(?:![ \\t]*)?` +
    `(?:[pdDPNnGgHhxl=]|q\\d*|${SED_REPLACE.join('|')})[ \\t]*(?:[;\\n][\\s;]*|$))*$`,
);
const sed: Program = (words) => {
  const split = splitOptions(words, {
    flags: 'nErsuz',
    files: 'e expression=',
    long: 'quiet silent regexp-extended separate unbuffered null-data',
  });
  if (typeof split === 'string') return split;
  // Where the first operand ends the options, it is the script, whatever `-e` says behind it.
  const scripts =
    split.files.length > split.late.length ? split.files : [...split.operands.slice(0, 1), ...split.files];
  const odd = scripts.find(({ text }) => text === null || text.length > 200 || !SED_SCRIPT.test(text));
  if (odd || scripts.length === 0) return 'a sed script may write files and run commands';
  return readsOf({ ...split, files: [], late: [] }, 'file', split.files.length > 0 ? 0 : 1);
};

/** No output to files or programs, no input but the operands, nothing looked up by a computed name. */
const AWK_DANGER = /[>|@`]|\b(?:system|getline|close|fflush|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB)\b|\\\n/;
const awk: Program = (words) => {
  const split = splitOptions(words, { valued: 'Fv', long: 'field-separator= assign=', ordered: true });
  if (typeof split === 'string') return split;
  const script = split.operands[0]?.text;
  if (script === undefined || script === null || AWK_DANGER.test(script)) {
    return 'an awk script may write files and run commands';
  }
  return readsOf(split, 'file', 1);
};

const sort: Program = reader({
  flags: 'bdfgiMhnRrVcCmsuz',
  valued: 'ktS',
  long:
    'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort month-sort human-numeric-sort numeric-sort ' +
    'random-sort reverse version-sort check unique stable merge zero-terminated key= field-separator= buffer-size= parallel= sort=',
});

const hasSecond = ({ operands }: Pick<Split, 'operands'>) =>
  operands.length > 1 || operands.some(({ single }) => !single);

/** A second operand is written. */
const uniq: Program = (words) => {
  const split = splitOptions(words, {
    flags: 'cdDiuz',
    valued: 'fsw',
    long: 'count repeated unique ignore-case zero-terminated skip-fields= skip-chars= check-chars=',
    ordered: true,
  });
  if (typeof split === 'string') return split;
  return hasSecond(split) ? 'the second operand of uniq is written' : readsOf(split, 'file');
};

/** Each word is one option, known by its first letter; the first operand ends them, and a second one is written. */
const xxd: Program = (words) => {
  let at = 0;
  for (; words[at]?.text?.startsWith('-') && words[at]?.text !== '-'; at++) {
    const text = words[at]?.text ?? '';
    if (!/^-(?:[abeEiupC]|ps|[closgn]|[closg][+-]?\d[\da-fx]*)$/.test(text))
      return `the option ${text} is not known to be harmless`;
    if (/^-[closgn]$/.test(text) && words[++at]?.single !== true) return `what follows ${text} may be an option`;
  }
  const operands = words.slice(at);
  if (hasSecond({ operands })) return 'the second operand of xxd is written';
  return { reads: operands.map((word) => ({ word, how: 'file' })) };
};

const cat: Program = reader({ ...ANY });
const lines: Program = reader({
  flags: 'qvzf',
  valued: 'nc',
  numbers: true,
  long: 'lines= bytes= quiet verbose follow',
});
const compare: Program = reader(
  {
    flags: 'abBcdeEHinNpqrstTuwyZ',
    valued: 'CUWIFxX',
    numbers: true,
    files: 'X exclude-from=',
    long:
      'brief unified unified= context context= side-by-side recursive ignore-case ignore-all-space ignore-space-change ' +
      'ignore-blank-lines minimal text color color= width= exclude= new-file report-identical-files suppress-common-lines strip-trailing-cr',
  },
  'deep',
);
const diff = unlessFollowing(compare, [['r', 'recursive']]);
// Not `--check`: the file that it is given names others.
const hash: Program = reader({ flags: 'btwz', long: 'binary text tag' });

/** Its programs can load files of their own naming; one that stands in a file is not seen. */
const jq: Program = (words) => {
  const split = splitOptions(words, {
    flags: 'nrRcCMSseaj',
    long:
      'null-input raw-output raw-input compact-output color-output monochrome-output sort-keys slurp exit-status ' +
      'ascii-output join-output tab',
  });
  if (typeof split === 'string') return split;
  const [script] = split.operands;
  const loads = script && /\b(?:import|include|modulemeta|input_filename)\b/.test(script.text ?? 'import');
  return loads ? 'a jq program may read files that it names' : readsOf(split, 'file', 1);
};

const hexdump: Program = reader({
  flags: 'bcCdovxX',
  valued: 'nse',
  files: 'f format-file=',
  long: 'canonical no-squeezing one-byte-octal one-byte-char two-bytes-decimal two-bytes-octal two-bytes-hex length= skip= format=',
});

/** `@FILE` stands for the words in that file. */
const strings: Program = (words) =>
  words.some(({ text, pattern }) => (text ?? pattern)?.startsWith('@'))
    ? 'it reads options from a file'
    : reader({ flags: 'afowd', valued: 'nte', numbers: true })(words);

export const text: Programs = {
  cat,
  tac: cat,
  nl: cat,
  rev: cat,
  head: lines,
  tail: lines,
  wc: reader({ flags: 'clmLw', long: 'bytes chars lines words max-line-length total=' }),
  cut: reader({
    flags: 'nsz',
    valued: 'bcdf',
    long: 'bytes= characters= delimiter= fields= only-delimited complement output-delimiter=',
  }),
  tr: () => ({ reads: [] }),
  paste: reader({ flags: 'sz', valued: 'd', long: 'serial delimiters=' }),
  join: cat,
  comm: cat,
  fold: cat,
  fmt: cat,
  expand: cat,
  unexpand: cat,
  column: cat,
  strings,
  od: cat,
  hexdump,
  hd: hexdump,
  xxd,
  base64: reader({ flags: 'di', valued: 'w', long: 'decode ignore-garbage wrap=' }),
  md5sum: hash,
  sha1sum: hash,
  sha256sum: hash,
  sha512sum: hash,
  cksum: hash,
  cmp: reader({ flags: 'bls', valued: 'in', long: 'print-bytes verbose silent quiet bytes= ignore-initial=' }),
  diff,
  grep,
  egrep: grep,
  fgrep: grep,
  rg,
  sed,
  awk,
  gawk: awk,
  mawk: awk,
  sort,
  uniq,
  jq,
};
