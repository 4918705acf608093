/** Programs that look at the file system. */
import { endOfExec } from '../shell/index.ts';
import { type Options, reader, readsOf, silent, splitOptions, unlessFollowing } from './options.ts';
import type { Program, Programs } from './types.ts';

const ANY: Options = { flags: '*' };

const FIND_TESTS = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin ' +
    '-maxdepth -mindepth -perm -user -group -uid -gid -links -inum -regextype -lname -ilname -fstype -used -printf -newermt'
  ).split(' '),
);
const FIND_FLAGS = new Set(
  (
    '-print -print0 -ls -prune -depth -d -xdev -mount -empty -readable -writable -executable -true -false -quit -not ! -a -and -o -or , ' +
    '( ) -daystart -noleaf -nouser -nogroup -H -P'
  ).split(' '),
);

const find: Program = (words) => {
  const reads = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const text = word?.text;
    if (!word) break;
    if (text === null || text === undefined) {
      const path = at === reads.length && word.pattern && !/^[-(!,*?[]/.test(word.pattern);
      if (!path) return `${word.raw} may become an action of find`;
      reads.push({ word, how: 'names' as const });
    } else if (/^-(?:exec|execdir|ok|okdir)$/.test(text)) {
      // What it starts stands in the list of commands and is judged there.
      at = endOfExec(words, at);
      if (at < 0) return 'the end of -exec is not clear';
    } else if (FIND_TESTS.has(text)) {
      if (words[++at]?.text == null) return `what follows ${text} is computed`;
    } else if (/^-(?:newer|samefile|anewer|cnewer)$/.test(text)) {
      const other = words[++at];
      if (other) reads.push({ word: other, how: 'names' as const });
    } else if (/^[-(!,)]/.test(text)) {
      if (!FIND_FLAGS.has(text)) return `find ${text} is not known to be harmless`;
    } else reads.push({ word, how: 'names' as const });
  }
  return { reads };
};

const fd: Program = reader(
  {
    flags: 'HIusigap0l1F',
    valued: 'tedEcSj',
    long:
      'hidden no-ignore unrestricted case-sensitive ignore-case glob absolute-path full-path print0 list-details fixed-strings ' +
      'type= extension= max-depth= min-depth= exclude= color= size= max-results= changed-within= changed-before=',
  },
  'names',
  1,
);

const FOLLOW = ['L', 'dereference'] as const;

const look: Program = reader(ANY, 'names');
const ls = unlessFollowing(look, [FOLLOW, ['R', 'recursive']]);
/** Neither `-L` nor `--files0-from`, whose file names others. */
const du: Program = reader(
  {
    flags: 'abcDHhklmPsSx0',
    valued: 'dtB',
    files: 'X exclude-from=',
    long:
      'all apparent-size bytes total dereference-args human-readable si inodes count-links no-dereference null separate-dirs ' +
      'summarize one-file-system time time= time-style= max-depth= threshold= block-size= exclude=',
  },
  'names',
);
const tree: Program = reader(
  {
    flags: 'adfipsughDFqNQrtcUvCnxSAJX',
    apart: 'LPI',
    long: 'dirsfirst noreport gitignore du prune filelimit= charset= sort=',
  },
  'names',
);
const date: Program = (words) => {
  const split = splitOptions(words, {
    flags: 'uR',
    valued: 'd',
    attached: 'I',
    files: 'r reference=',
    long: 'utc universal date= iso-8601 iso-8601= rfc-3339= rfc-email',
  });
  if (typeof split === 'string') return split;
  const odd = split.operands.some(({ text }) => !text?.startsWith('+'));
  return odd ? 'date may set the clock' : readsOf({ ...split, operands: [] }, 'names');
};

export const files: Programs = {
  ls,
  dir: ls,
  stat: look,
  du,
  df: look,
  readlink: look,
  realpath: look,
  basename: silent,
  dirname: silent,
  file: reader(
    {
      flags: 'bhiLNkprs0',
      valued: 'eFP',
      long: 'brief mime mime-type mime-encoding dereference no-dereference',
    },
    'names',
  ),
  find,
  fd,
  fdfind: fd,
  tree,
  cd: (words) => {
    const [target] = words;
    if (words.length !== 1 || !target) return 'only cd with one folder is known to be harmless';
    return target.text?.startsWith('-')
      ? 'it goes to a folder that the line does not tell'
      : { reads: [{ word: target, how: 'names' }] };
  },
  date,
};
