/** git: read-only sub-commands with the options that keep them so. */
import { lookup } from '../lookup.ts';
import type { Word } from '../shell/index.ts';
import { type Options, splitOptions } from './options.ts';
import type { Judgement, Program, Read } from './types.ts';

const LOG_LONG =
  'oneline graph decorate decorate= no-decorate all branches tags remotes stat stat= shortstat numstat name-only name-status ' +
  'summary patch no-patch raw reverse merges no-merges first-parent follow abbrev-commit no-abbrev-commit abbrev= date= pretty= pretty format= ' +
  'author= committer= grep= since= after= until= before= max-count= skip= topo-order date-order author-date-order ' +
  'diff-filter= no-color color color= no-renames find-renames relative-date left-right cherry-pick cherry-mark ' +
  'cached staged word-diff word-diff= color-words unified= ignore-all-space ignore-space-change ignore-blank-lines ' +
  'check exit-code quiet no-ext-diff no-textconv text binary full-index minimal patience histogram diff-algorithm= ' +
  'merge-base no-prefix src-prefix= dst-prefix= compact-summary dirstat invert-grep regexp-ignore-case all-match ' +
  'extended-regexp fixed-strings perl-regexp walk-reflogs no-walk  no-notes notes source use-mailmap ' +
  'full-history simplify-merges ancestry-path parents children cc dense-combined-diff function-context inter-hunk-context= ' +
  'pickaxe-regex pickaxe-all no-merge-base submodule submodule= no-patch cherry boundary root';
const LOG: Options = { flags: 'pqusmciwbaEFPzRWrtMCB', valued: 'nGSLU', numbers: true, long: LOG_LONG };

/** By sub-command: what may be given. `operands: false` allows options only. */
const READERS: Readonly<Record<string, Options & { readonly operands?: false }>> = {
  status: {
    flags: 'sbvzu',
    long: 'short branch porcelain porcelain= long verbose untracked-files untracked-files= ignored ignored= show-stash ahead-behind no-ahead-behind',
  },
  log: LOG,
  diff: LOG,
  show: LOG,
  shortlog: { ...LOG, flags: 'snecp', valued: '' },
  whatchanged: LOG,
  'diff-tree': LOG,
  'diff-index': LOG,
  'diff-files': LOG,
  blame: {
    flags: 'lstfnewbcpMC',
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
    long: 'tags all long always dirty dirty= abbrev= match= exclude= exact-match first-parent contains candidates=',
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

/** The sub-command and its arguments, global options left out. `odd` are global options that may change what runs. */
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
    if (text === null) return { name: null, rest: words.slice(at), odd: word?.raw ?? '', folder };
    if (!text.startsWith('-')) return { name: text, rest: words.slice(at + 1), odd, folder };
    if (/^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs|--no-replace-objects)$/.test(text)) continue;
    if (text === '--version' || text === '--help') return { name: 'version', rest: [], odd, folder };
    if (text === '-C') {
      if (folder) odd = text;
      folder = words[++at] ?? null;
      continue;
    }
    odd ??= text;
    if (/^(?:-c|--git-dir|--work-tree|--exec-path|--namespace|--config-env|--super-prefix)$/.test(text)) at++;
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
  const reads = operands.filter(({ raw }) => raw !== '--').flatMap(readsOfOperand);
  return { reads: name === 'grep' && reads.length === 0 ? [{ word: HERE, how: 'visible' }] : reads };
}

/** A revision, a path, or `revision:path`: the path is judged wherever it stands. */
function readsOfOperand(word: Word): Read[] {
  const colon = word.text?.indexOf(':') ?? -1;
  const path = word.text?.slice(colon + 1);
  if (colon < 0 || !path) return [{ word, how: 'file' }];
  return [{ word: { raw: word.raw, text: path, single: true }, how: 'file' }];
}

function below(folder: string, read: Read): Read {
  const { text } = read.word;
  if (text === null || text.startsWith('/')) return read;
  return { ...read, word: { raw: read.word.raw, text: `${folder}/${text}`, single: true } };
}
