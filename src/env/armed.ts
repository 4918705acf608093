/** Whether a repository would have git start programs or fetch from addresses when somebody only looks at it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Keys of a repository's configuration, by section, that neither name a program, a server that reading asks, nor a place
 * elsewhere. `*`: all of the section. What is not here arms the repository, so that a key of a later git is no gap.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  core:
    'repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf quotepath ' +
    'abbrev compression loosecompression bigfilethreshold protectntfs protecthfs trustctime checkstat preloadindex untrackedcache ' +
    'splitindex sharedrepository whitespace longpaths fscache commitgraph multipackindex sparsecheckout sparsecheckoutcone',
  extensions: 'objectformat compatobjectformat refstorage worktreeconfig preciousobjects relativeworktrees',
  remote: 'url fetch push pushurl tagopt prune prunetags mirror skipdefaultupdate skipfetchall gh-resolved',
  submodule: 'active url branch',
  diff:
    'algorithm renames renamelimit mnemonicprefix noprefix colormoved colormovedws context interhunkcontext indentheuristic ' +
    'wserrorhighlight wordregex binary funcname xfuncname',
  merge: 'conflictstyle ff renames renamelimit log stat autostash directoryrenames renormalize',
  log: 'date decorate abbrevcommit follow showroot',
  status: 'branch short showstash showuntrackedfiles aheadbehind relativepaths displaycommentprefix renames',
  lfs: 'repositoryformatversion access locksverify',
  ...Object.fromEntries(
    [
      ...[
        'user',
        'author',
        'committer',
        'branch',
        'color',
        'advice',
        'i18n',
        'column',
        'init',
        'feature',
        'index',
        'pack',
      ],
      ...['gc', 'maintenance', 'commit', 'tag', 'push', 'pull', 'fetch', 'rebase', 'rerere', 'stash', 'http', 'https'],
      ...['receive', 'transfer', 'worktree', 'versionsort', 'gitflow', 'oh-my-zsh'],
    ].map((section) => [section, '*']),
  ),
};
/** Hooks that a command which only looks can run: `git status` and `git diff` bring the index up to date. */
const HOOKS = ['post-index-change', 'reference-transaction'];

/** The repository that `folder` is in, or is. */
export function isArmed(folder: string): boolean {
  const dot = join(folder, '.git');
  if (existsSync(join(folder, 'HEAD')) && isArmedAt(folder, folder)) return true;
  if (!existsSync(dot)) return dirname(folder) !== folder && isArmed(dirname(folder));
  const [, named = '.git'] = /^gitdir: (.+?)\n?$/s.exec(read(dot)) ?? [];
  const repository = resolve(folder, named);
  // git looks into repositories inside of this one.
  const links = linksIn(repository);
  return isArmedAt(repository, folder) || !links || links.some((path) => holdsArmed(join(folder, path)));
}

const holdsArmed = (folder: string): boolean => existsSync(join(folder, '.git')) && isArmed(folder);

/** `commondir` moves the configuration and the hooks of a repository elsewhere. */
function isArmedAt(repository: string, folder: string): boolean {
  const common = resolve(repository, read(join(repository, 'commondir')).trim());
  const configs = [join(common, 'config'), join(repository, 'config'), join(repository, 'config.worktree')];
  // A submodule's says where it stands.
  const leadsBack = (worktree: string) => resolve(repository, worktree) === folder;
  return (
    configs.some((path) => !isHarmless(read(path), leadsBack)) ||
    HOOKS.some((name) => existsSync(join(common, 'hooks', name)))
  );
}

/** Heads of sections, as many as stand in one line, then a key, a comment, or nothing. */
const LINE = /^\s*(?:\[([^\]".\s]*)(?:[.\s][^\]"]*)?(?:"(?:[^"\\]|\\.)*"\s*)?\]\s*)*([a-z][a-z\d-]*|[#;].*)?/i;

/** Each key must be known; what is not read for sure counts as a key that is not. */
function isHarmless(config: string, leadsBack: (worktree: string) => boolean): boolean {
  let section = '';
  return config.split(/\r?\n/).every((line) => {
    // The line goes on in the next one.
    if (line.endsWith('\\')) return false;
    const [whole = '', head, key = ''] = LINE.exec(line) ?? [];
    section = head?.toLowerCase() ?? section;
    const value = line.slice(whole.length);
    if (key === '' || /^[#;]/.test(key)) return value.trim() === '';
    const name = key.toLowerCase();
    if (section === 'core' && name === 'worktree') return leadsBack(value.replace(/^\s*=\s*/, '').trimEnd());
    const keys = Object.hasOwn(HARMLESS, section) ? (HARMLESS[section] ?? '') : '';
    return keys === '*' || keys.split(' ').includes(name);
  });
}

const MODE_OF_LINK = Buffer.from([0, 0, 0xe0, 0]);

/** The folders that the index takes for other repositories; null where it is of a form that is not read here. */
function linksIn(repository: string): readonly string[] | null {
  const index = join(repository, 'index');
  if (!existsSync(index)) return [];
  const bytes = readFileSync(index);
  if (readdirSync(repository).some((name) => name.startsWith('sharedindex.'))) return null;
  const found: string[] = [];
  for (let at = bytes.indexOf(MODE_OF_LINK); at >= 0; at = bytes.indexOf(MODE_OF_LINK, at + 1)) {
    // Version 4 shortens names.
    if (bytes[7] === 4) return null;
    // An entry has its mode at 24 and its name at 62, later where its hash is longer or it has more flags.
    for (const start of [38, 40, 50, 52].map((more) => at + more))
      found.push(bytes.subarray(start, bytes.indexOf(0, start)).toString('utf8'));
  }
  return found.filter((path) => path !== '' && !/(?:^|\/)\.{0,2}(?:\/|$)/.test(path));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
