/** Programs that print files, or parts of them. */
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
  // Hidden files, `.env` among them, are left out unless asked for.
  const all = split.given.some((one) => ['-u', '-.', '--hidden', '--unrestricted'].includes(one));
  const how = all ? 'deep' : 'visible';
  const reads = readsOf(split, how, skip);
  return split.operands.length <= skip ? withFolder(reads, how) : reads;
};

/** `e` and `w` run and write, so the script must be made of harmless commands alone. */
const SED_SCRIPT = new RegExp(
  '^(?:\\s*(?:(?:\\d+|\\$|/(?:[^/\\\\\\n]|\\\\.)*/)(?:\\s*,\\s*[+~]?(?:\\d+|\\$|/(?:[^/\\\\\\n]|\\\\.)*/))?\\s*!?\\s*)?' +
    '(?:[pdqDPNnGgHhxl=]|q\\d*|s/(?:[^/\\\\\\n]|\\\\.)*/(?:[^/\\\\\\n]|\\\\.)*/[gpiI\\d]*|s\\|(?:[^|\\\\\\n]|\\\\.)*\\|(?:[^|\\\\\\n]|\\\\.)*\\|[gpiI\\d]*|' +
    's#(?:[^#\\\\\\n]|\\\\.)*#(?:[^#\\\\\\n]|\\\\.)*#[gpiI\\d]*)?\\s*(?:;|\\n|$))+$',
);
/** A delimiter inside `[…]` ends nothing, so the parts would be divided otherwise. */
const SET = /\[[^\]]*[/|#]/;
const sed: Program = (words) => {
  const split = splitOptions(words, {
    flags: 'nErsuz',
    files: 'e expression=',
    long: 'quiet silent regexp-extended separate unbuffered null-data',
  });
  if (typeof split === 'string') return split;
  const scripts = split.files.length > 0 ? split.files : split.operands.slice(0, 1);
  const odd = scripts.find(
    ({ text }) => text === null || text.length > 200 || SET.test(text) || !SED_SCRIPT.test(text),
  );
  if (odd || scripts.length === 0) return 'a sed script may write files and run commands';
  return readsOf({ ...split, files: [] }, 'file', split.files.length > 0 ? 0 : 1);
};

/** No output to files or programs, no input but the operands, nothing looked up by a computed name. */
const AWK_DANGER = /[>|@`]|\b(?:system|getline|close|fflush|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB)\b|\\\n/;
const awk: Program = (words) => {
  const split = splitOptions(words, { valued: 'Fv', long: 'field-separator= assign=' });
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

const hasSecond = ({ operands }: Split) => operands.length > 1 || operands.some(({ single }) => !single);

/** A second operand is written. */
const uniq: Program = (words) => {
  const split = splitOptions(words, {
    flags: 'cdDiuz',
    valued: 'fsw',
    long: 'count repeated unique ignore-case zero-terminated skip-fields= skip-chars= check-chars=',
  });
  if (typeof split === 'string') return split;
  return hasSecond(split) ? 'the second operand of uniq is written' : readsOf(split, 'file');
};

const xxd: Program = (words) => {
  const split = splitOptions(words, { flags: 'abeEiupC', valued: 'closgRn' });
  if (typeof split === 'string') return split;
  return hasSecond(split) ? 'the second operand of xxd is written' : readsOf(split, 'file');
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
const diff = unlessFollowing(compare, [/^-\w*r|^--rec/]);
// Not `--check`: the file that it is given names others.
const hash: Program = reader({ flags: 'btwz', long: 'binary text tag' });

const jq: Program = (words) => {
  const split = splitOptions(words, {
    flags: 'nrRcCMSseaj',
    files: 'f from-file=',
    long:
      'null-input raw-output raw-input compact-output color-output monochrome-output sort-keys slurp exit-status ' +
      'ascii-output join-output tab',
  });
  return typeof split === 'string' ? split : readsOf(split, 'file', split.files.length > 0 ? 0 : 1);
};

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
  strings: reader({ flags: 'afowd', valued: 'nte', numbers: true }),
  od: cat,
  hexdump: cat,
  hd: cat,
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
