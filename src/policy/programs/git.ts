/** git: read-only sub-commands with the options that keep them so. */
import { lookup } from '../lookup.ts';
import type { Word } from '../shell/index.ts';
import { type Options, splitOptions } from './options.ts';
import type { Judgement, Program, Read } from './types.ts';

const LOG_LONG =
  'oneline graph decorate decorate= no-decorate all branches tags remotes stat stat= shortstat numstat name-only name-status ' +
  'summary patch no-patch raw reverse merges no-merges first-parent follow abbrev-commit no-abbrev-commit abbrev abbrev= date= pretty= pretty format= ' +
  'author= committer= grep= since= after= until= before= max-count= skip= topo-order date-order author-date-order ' +
  'diff-filter= no-color color color= no-renames find-renames relative-date left-right cherry-pick cherry-mark ' +
  'cached staged word-diff word-diff= color-words unified unified= ignore-all-space ignore-space-change ignore-blank-lines ' +
  'check exit-code quiet no-ext-diff no-textconv text binary full-index minimal patience histogram diff-algorithm= ' +
  'merge-base no-prefix src-prefix= dst-prefix= compact-summary dirstat invert-grep regexp-ignore-case all-match ' +
  'extended-regexp fixed-strings perl-regexp walk-reflogs no-walk  no-notes notes source use-mailmap ' +
  'full-history simplify-merges ancestry-path parents children cc dense-combined-diff function-context inter-hunk-context= ' +
  'pickaxe-regex pickaxe-all no-merge-base submodule submodule= no-patch cherry boundary root';
/** `-L START,END:FILE` reads a file. */
const LOG: Options = {
  flags: 'pqusmciwbaEFPzRWrt',
  valued: 'nGS',
  attached: 'MCBU',
  files: 'L',
  numbers: true,
  long: LOG_LONG,
};

/** By sub-command: what may be given. `operands: false` allows options only. */
const READERS: Readonly<Record<string, Options & { readonly operands?: false }>> = {
  status: {
    flags: 'sbvz',
    attached: 'u',
    long: 'short branch porcelain porcelain= long verbose untracked-files untracked-files= ignored ignored= show-stash ahead-behind no-ahead-behind',
  },
  log: LOG,
  diff: LOG,
  show: LOG,
  shortlog: { ...LOG, flags: 'snecp', valued: '', attached: '', files: '' },
  whatchanged: LOG,
  'diff-tree': LOG,
  'diff-index': LOG,
  'diff-files': LOG,
  blame: {
    flags: 'lstfnewbcp',
    attached: 'MC',
    valued: 'L',
    long: 'porcelain line-porcelain incremental root date= since= show-email show-name show-number',
  },
  annotate: { flags: 'lt', valued: 'L' },
  grep: {
    flags: 'niIlLcowvEFGPWphHqz',
    valued: 'eABCm',
    numbers: true,
    long: 'line-number ignore-case files-with-matches files-without-match name-only count word-regexp invert-match extended-regexp fixed-strings perl-regexp cached untracked heading break show-function function-context max-depth= only-matching quiet color color= no-color and or not all-match',
  },
  'ls-files': {
    flags: 'cdmosukvtfz',
    valued: 'x',
    long: 'cached deleted modified others ignored stage exclude-standard exclude= directory error-unmatch full-name others-only unmerged killed deduplicate eol',
  },
  'ls-tree': { flags: 'drtlz', long: 'name-only name-status full-name full-tree long abbrev format=' },
  'rev-parse': {
    flags: 'q',
    long: 'verify short short= abbrev-ref abbrev-ref= symbolic symbolic-full-name show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository all branches tags remotes revs-only no-revs flags no-flags default= show-superproject-working-tree quiet',
  },
  'rev-list': { ...LOG, long: `${LOG_LONG} count objects` },
  describe: {
    long: 'tags all long always dirty dirty= abbrev abbrev= match= exclude= exact-match first-parent contains candidates=',
  },
  'merge-base': { flags: 'a', long: 'all octopus independent is-ancestor fork-point' },
  'cat-file': { flags: 'tspe' },
  'name-rev': { long: 'name-only tags refs= all always no-undefined' },
  'for-each-ref': { long: 'format= sort= count= points-at= merged merged= no-merged contains contains= no-contains' },
  'show-ref': { flags: 'dsq', long: 'tags heads branches head hash hash= verify abbrev dereference quiet' },
  'check-ignore': { flags: 'qvn', long: 'verbose quiet non-matching no-index' },
  'count-objects': { flags: 'vH', long: 'verbose human-readable' },
  version: { long: 'build-options' },
  var: {},
};

/** Bare, or with these options, they list; with operands they change. */
const LISTERS: Readonly<Record<string, Options>> = {
  branch: {
    flags: 'avrqil',
    long: 'list all remotes verbose show-current color color= no-color sort= format= contains= merged= no-merged= no-contains= points-at= contains merged no-merged column no-column ignore-case',
  },
  tag: {
    flags: 'lin',
    long: 'list sort= format= contains= merged= no-merged= points-at= contains merged no-merged column no-column color color= ignore-case',
  },
  remote: { flags: 'v', long: 'verbose' },
};
const LISTING = /^(?:-l|--list|--contains|--merged|--no-merged|--no-contains|--points-at|--show-current)$/;

/** Two words that read, and whether operands may follow. */
const PAIRS: Readonly<Record<string, Options>> = {
  'stash list': LOG,
  'stash show': LOG,
  'remote get-url': { long: 'all push' },
  'worktree list': { flags: 'vz', long: 'porcelain verbose' },
  'submodule status': { long: 'recursive cached' },
  'reflog show': LOG,
  'config --list': { flags: 'z', long: 'local global system worktree show-origin show-scope name-only null' },
  'config -l': { flags: 'z', long: 'local global system worktree show-origin show-scope name-only null' },
  'config --get': { long: 'local global system worktree show-origin show-scope null' },
  'config --get-all': { long: 'local global system worktree' },
  'config --get-regexp': { long: 'local global system worktree name-only' },
  'config get': { long: 'all local global system worktree' },
  'config list': { long: 'local global system worktree show-origin show-scope name-only' },
  'notes list': {},
  'notes show': {},
  'bisect log': {},
  'bundle verify': {},
};

const QUIET = new Set(
  (
    '--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs ' +
    '--no-replace-objects --no-lazy-fetch --no-advice'
  ).split(' '),
);
const ODD = new Set(['-p', '--paginate', '--bare']);
const ODD_VALUED = new Set(
  '-c --git-dir --work-tree --namespace --super-prefix --shallow-file --attr-source'.split(' '),
);
/** These print and end. */
const ENDING = new Set('--exec-path --html-path --man-path --info-path'.split(' '));

/**
 * The sub-command and its arguments, global options left out; null where there is none (`rest` is empty then), or where an
 * option or an alias may decide which it is. `odd` is a global option that may change what runs.
 */
export function subcommandOf(words: readonly Word[]): {
  name: string | null;
  rest: readonly Word[];
  odd: string | null;
  folder: Word | null;
} {
  let folder: Word | null = null;
  let odd: string | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const text = word?.text ?? null;
    const unknown = { name: null, rest: words.slice(at), odd: odd ?? word?.raw ?? '', folder };
    if (text === null) return unknown;
    if (!text.startsWith('-')) return { name: text, rest: words.slice(at + 1), odd, folder };
    if (QUIET.has(text)) continue;
    if (ENDING.has(text)) return { name: null, rest: [], odd: text, folder };
    if (/^(?:--version|-v|--help|-h)$/.test(text)) {
      return {
        name: at === words.length - 1 ? 'version' : text.replace(/^-+/, ''),
        rest: words.slice(at + 1),
        odd,
        folder,
      };
    }
    const [key = '', value] = text.split(/=([\s\S]*)/);
    const valued = text === '-C' || ODD_VALUED.has(text);
    const next = valued ? words[++at] : undefined;
    if (text === '-C' && !folder) folder = next ?? null;
    else odd ??= text;
    const known = valued || ODD.has(text) || (value !== undefined && (ODD_VALUED.has(key) || key === '--exec-path'));
    if (!known || (valued && !next?.single) || (text === '-c' && !/^(?!alias|include)[^$]/i.test(next?.text ?? '$'))) {
      return { ...unknown, odd };
    }
  }
  return { name: null, rest: [], odd, folder };
}

export const git: Program = (words) => {
  const { name, rest, odd, folder } = subcommandOf(words);
  if (odd !== null) return `the option ${odd} of git may run programs`;
  if (name === null) return words.length === 0 ? { reads: [] } : 'the sub-command of git is computed';
  const judged = judge(name, rest);
  if (typeof judged === 'string' || !folder) return judged;
  if (folder.text === null) return 'the folder of git -C is computed';
  return { reads: [{ word: folder, how: 'names' }, ...judged.reads.map((read) => below(folder.text ?? '', read))] };
};

function judge(name: string, rest: readonly Word[]): Judgement {
  const pair = lookup(PAIRS, `${name} ${rest[0]?.text ?? ''}`);
  if (pair) return judgeReader(name, rest.slice(1), pair);
  const lister = lookup(LISTERS, name);
  if (lister) {
    const split = splitOptions(rest, lister);
    if (typeof split === 'string') return split;
    const lists = split.operands.length === 0 || split.given.some((option) => LISTING.test(option));
    return lists ? { reads: [] } : `git ${name} with a name changes the repository`;
  }
  if (name === 'reflog' && rest.length === 0) return { reads: [] };
  const options = lookup(READERS, name);
  return options ? judgeReader(name, rest, options) : `git ${name} is not known to be harmless`;
}

const HERE: Word = { raw: '.', text: '.', single: true };

function judgeReader(name: string, words: readonly Word[], options: Options): Judgement {
  const split = splitOptions(words, options);
  if (typeof split === 'string') return split;
  const operands =
    name === 'grep' && !split.given.includes('-e')
      ? split.operands.filter(({ single }, index) => index > 0 || !single)
      : split.operands;
  if (name === 'config' || name === 'stash') return { reads: [] };
  const reads = [...operands, ...split.files].filter(({ raw }) => raw !== '--').flatMap(readsOfOperand);
  return { reads: name === 'grep' && reads.length === 0 ? [{ word: HERE, how: 'visible' }] : reads };
}

/** A revision, a path, or both around a colon, of which there may be more: `:0:path`, `:(top)path`, `:!path`. */
function readsOfOperand(word: Word): Read[] {
  const value = word.text ?? word.pattern;
  if (value === undefined) return [{ word, how: 'file' }];
  const parts = value.split(':');
  const tails = parts.map((_, index) => parts.slice(index).join(':')).slice(parts.length > 1 ? 1 : 0);
  const paths = tails.flatMap((tail) => [tail, parts.length > 1 ? tail.replace(/^(?:\([^)]*\)|[!^/]+)/, '') : tail]);
  return [...new Set(paths)]
    .filter((path) => path !== '')
    .flatMap((path) => readsOfPath({ ...word, text: path }, word));
}

/** To git a path is a pattern too, in which a star stands for a dot as well. */
function readsOfPath(path: Word & { readonly text: string }, written: Word): Read[] {
  const { raw, text } = path;
  if (written.text !== null && !/[*?[\\]/.test(text)) return [{ word: { raw, text, single: true }, how: 'file' }];
  const hidden = text.replace(/(?<=^|\/)(?=[*?[][^/]*$)/, '.');
  return [...new Set([text, hidden])].map((pattern) => ({
    word: { raw, text: null, pattern, single: false },
    how: 'file',
  }));
}

function below(folder: string, read: Read): Read {
  const { text, pattern } = read.word;
  if ((text ?? pattern ?? '/').startsWith('/')) return read;
  const moved =
    text === null
      ? { text, pattern: `${folder.replace(/[*?[\\\]]/g, '\\$&')}/${pattern}` }
      : { text: `${folder}/${text}` };
  return { ...read, word: { ...read.word, ...moved } };
}
