import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDisk } from '../../src/env/disk.ts';
import { has } from '../support/has.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'rein-disk-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const CORE = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n';

test.each([
  [
    `${CORE}[remote "origin"]\n\turl = https://example.com/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`,
    false,
  ],
  [`${CORE}[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n\tvscode-merge-base = origin/main\n`, false],
  [`${CORE}[user] name = a\n; a comment\n[diff "png"]\n\tbinary = true\n[color "diff"] # x\n\tmeta = bold\n`, false],
  ['', false],
  ['[core]\n\tfsmonitor = touch pwned\n', true],
  ['[core]\n\tfsmonitor\n', true],
  ['[CORE]\n\tFSMonitor=touch pwned\n', true],
  ['[core] fsmonitor = touch pwned\n', true],
  ['[user] [core] fsmonitor = touch pwned\n', true],
  ['[core]\r\n\tbare = false\r\n\tfsmonitor = touch pwned\r\n', true],
  // What git reads as the middle of a value or a name is no head of a section.
  ['[core]\n\tabbrev = 7 \\\n[user]\n\tfsmonitor = touch pwned\n', true],
  ['[core]\n\tabbrev = 7 \\\r\n[user]\r\n\tfsmonitor = touch pwned\r\n', true],
  ['[filter "x[user"]\n\tclean = touch pwned\n', true],
  ['[filter "x\\"] [user"]\n\tclean = touch pwned\n', true],
  ['[filter.user]\n\tclean = touch pwned\n', true],
  ['[ user]\n\tname = x\n', true],
  ...[
    'core.worktree = /',
    'core.hooksPath = x',
    'core.sshCommand = x',
    'core.gitProxy = x',
    'core.askPass = x',
    'core.editor = x',
    'core.pager = x',
    'core.alternateRefsCommand = x',
    'core.attributesFile = .env',
    'core.excludesFile = .env',
    'include.path = ../evil',
    'includeIf "gitdir:/".path = ../evil',
    'alias.log = !x',
    'pager.log = x',
    'diff.external = x',
    'diff.submodule = log',
    'diff "x".textconv = x',
    'diff "x".command = x',
    'diff "x".cachetextconv = true',
    'filter "x".clean = x',
    'filter "x".smudge = x',
    'filter "x".process = x',
    'merge "x".driver = x',
    'difftool "x".cmd = x',
    'mergetool "x".path = x',
    'man.viewer = x',
    'man "x".cmd = x',
    'man "x".path = x',
    'browser "x".cmd = x',
    'help.format = web',
    'web.browser = x',
    'gpg.program = x',
    'gpg "ssh".program = x',
    'gpg "ssh".defaultKeyCommand = x',
    'log.showSignature = true',
    'credential.helper = x',
    'credential "https://x".helper = x',
    'sequence.editor = x',
    'ssh.variant = x',
    'remote "origin".promisor = true',
    'remote "origin".partialclonefilter = blob:none',
    'remote "origin".uploadpack = x',
    'remote "origin".receivepack = x',
    'remote "origin".vcs = x',
    'remote "origin".proxy = x',
    'extensions.partialClone = origin',
    'url "ext::x".insteadOf = https://x',
    'protocol "ext".allow = always',
    'uploadpack.packObjectsHook = x',
    'submodule.recurse = true',
    'submodule "x".update = !x',
    'status.submoduleSummary = true',
    'trailer "x".command = x',
    'interactive.diffFilter = x',
    'imap.tunnel = x',
    'sendemail.smtpServer = x',
    'guitool "x".cmd = x',
    'tar "x".command = x',
    'blame.ignoreRevsFile = .env',
    'mailmap.file = .env',
    'lfs "customtransfer.x".path = x',
    'lfs "extension.x".clean = x',
    'hook "x".command = x',
    'section.of.tomorrow = x',
  ].map((key): [string, boolean] => [key.replace(/^([^.]+|\w+ ".*?")\.([\w-]+) = /, '[$1]\n\t$2 = '), true]),
])(
  'E28 a repository configuration is known not to name programs and addresses, or counts as armed: %j',
  (config, armed) => {
    const root = folder();
    mkdirSync(join(root, '.git'));
    mkdirSync(join(root, 'src'));
    writeFileSync(join(root, '.git', 'config'), config);
    expect(createDisk().arms(root)).toBe(armed);
    expect(createDisk().arms(join(root, 'src'))).toBe(armed);
  },
);

test('E28 a huge line of configuration is read in time', () => {
  const root = folder();
  mkdirSync(join(root, '.git'));
  const started = performance.now();
  for (const line of ['['.repeat(2e5), `[${'a'.repeat(2e5)}`, `[a${' '.repeat(2e5)}`, `[a "${'\\'.repeat(2e5)}`]) {
    writeFileSync(join(root, '.git', 'config'), line);
    expect(createDisk().arms(root)).toBe(true);
  }
  expect(performance.now() - started).toBeLessThan(1_000);
});

test('E28 a hook that a reading command would run arms a repository', () => {
  const root = folder();
  mkdirSync(join(root, '.git/hooks'), { recursive: true });
  writeFileSync(join(root, '.git/hooks/pre-commit'), '');
  writeFileSync(join(root, '.git/hooks/post-index-change.sample'), '');
  expect(createDisk().arms(root)).toBe(false);
  writeFileSync(join(root, '.git/hooks/post-index-change'), '');
  expect(createDisk().arms(root)).toBe(true);
});

test.skipIf(!has('git'))('E28 repositories inside of one are looked at as git does, and harmless ones stay so', () => {
  const root = folder();
  const git = (at: string, ...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', at, ...args], { stdio: 'pipe' });
  for (const name of ['', 'inner']) {
    git(root, 'init', '-q', name === '' ? root : join(root, name));
    git(join(root, name), 'commit', '-qm', 'x', '--allow-empty');
  }
  git(root, 'add', 'inner');
  const arms = () => createDisk().arms(root);
  expect(arms()).toBe(false);
  git(join(root, 'inner'), 'config', 'core.fsmonitor', 'touch pwned');
  expect(arms()).toBe(true);
  git(join(root, 'inner'), 'config', '--unset', 'core.fsmonitor');
  git(root, 'config', '-f', '.gitmodules', 'submodule.inner.path', 'inner');
  git(root, 'submodule', 'absorbgitdirs');
  expect(arms()).toBe(false);
  git(root, 'config', '-f', '.git/modules/inner/config', 'core.worktree', '../../../../elsewhere');
  expect(arms()).toBe(true);
  git(root, 'config', '-f', '.git/modules/inner/config', 'core.worktree', '../../../inner');
  git(root, 'worktree', 'add', '-q', 'tree');
  expect(createDisk().arms(join(root, 'tree'))).toBe(false);
  git(root, 'update-index', '--index-version', '4');
  expect(arms()).toBe(true);
});

test('a link leads where it says, whether something is there or not', () => {
  const root = realpathSync(folder());
  const { real } = createDisk();
  mkdirSync(join(root, 'a/b'), { recursive: true });
  const links = { out: '/nowhere/x', twice: 'out', up: 'a/b/../new', 'a/side': '../new/y', ring: 'ring', down: 'a' };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  expect(real(join(root, 'out'))).toBe('/nowhere/x');
  expect(real(join(root, 'twice/below'))).toBe('/nowhere/x/below');
  expect(real(join(root, 'up'))).toBe(join(root, 'a/new'));
  expect(real(join(root, 'down/side'))).toBe(join(root, 'new/y'));
  expect(real(join(root, 'ring'))).toBe(join(root, 'ring'));
  expect(real(join(root, 'not/there'))).toBe(join(root, 'not/there'));
});

test('E28 a folder that is shaped like a bare repository is looked at too', () => {
  const root = folder();
  writeFileSync(join(root, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(root, 'config'), '[core]\n\tfsmonitor = touch pwned\n');
  expect(createDisk().arms(root)).toBe(true);
});

test('E28 a configuration that stands elsewhere is looked at too', () => {
  const evil = '[core]\n\tfsmonitor = touch pwned\n';
  const linked = folder();
  mkdirSync(join(linked, 'evil'));
  writeFileSync(join(linked, 'evil', 'config'), evil);
  writeFileSync(join(linked, '.git'), 'gitdir: evil\n');
  expect(createDisk().arms(linked)).toBe(true);
  const common = folder();
  mkdirSync(join(common, '.git'));
  mkdirSync(join(common, 'evil'));
  writeFileSync(join(common, 'evil', 'config'), evil);
  writeFileSync(join(common, '.git', 'commondir'), '../evil\n');
  expect(createDisk().arms(common)).toBe(true);
});
