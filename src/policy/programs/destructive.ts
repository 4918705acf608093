/** What loses work that nobody can bring back: asked in every mode but bypass. */
import { lookup } from '../lookup.ts';
import type { Command, Word } from '../shell/index.ts';
import { subcommandOf } from './git.ts';
import { isLong } from './options.ts';

/** Where a word leads. `outside`: not below a workspace root; `root`: a root itself, or above one. */
export type Spot = 'build' | 'inside' | 'root' | 'outside' | 'unknown';
export type Locate = (word: Word) => Spot;

/** @returns what would be lost, or null */
export function destroys(command: Command, locate: Locate, isThere: IsThere): string | null {
  const { name, words } = command;
  if (name === null) return null;
  const judge = lookup(JUDGES, name.slice(name.lastIndexOf('/') + 1));
  return judge?.(words, locate, isThere) ?? null;
}

/** Whether something of that name is, or may be, in the folder where the command runs. */
export type IsThere = (word: Word) => boolean;
type Judge = (words: readonly Word[], locate: Locate, isThere: IsThere) => string | null;

/** Options are read generously: a letter anywhere in a bundle counts, and any beginning of a long name. */
function given(words: readonly Word[], letters: RegExp, ...long: readonly string[]): boolean {
  return words.some(
    ({ text }) => isLong(text, ...long) || (/^-[A-Za-z]+$/.test(text ?? '') && letters.test(text ?? '')),
  );
}
const NONE = /^$/;
const operandsOf = (words: readonly Word[]) => {
  const end = words.findIndex(({ text }) => text === '--');
  return words.filter(({ text }, index) => index !== end && (index > end && end >= 0 ? true : !text?.startsWith('-')));
};

const remove: Judge = (words, locate) => {
  const recursive = given(words, /[rR]/, 'recursive');
  for (const word of operandsOf(words)) {
    const spot = locate(word);
    if (spot === 'build') continue;
    if (spot !== 'inside')
      return `it deletes ${word.raw}, ${spot === 'unknown' ? 'which the shell computes' : 'outside the workspace'}`;
    if (recursive) return `it deletes ${word.raw} and everything below`;
    if (word.pattern) return `it deletes everything that matches ${word.raw}`;
  }
  return null;
};

const move: Judge = (words, locate) => {
  const sources = operandsOf(words).slice(0, -1);
  const lost = sources.find((word) => !['build', 'inside'].includes(locate(word)));
  return lost ? `it moves ${lost.raw} away` : null;
};

const cut: Judge = (words, locate) => {
  const files = operandsOf(words).filter((word) => !/^-[a-z]*[sr]$/.test(words[words.indexOf(word) - 1]?.text ?? ''));
  return files.every((word) => locate(word) === 'build') ? null : 'it cuts files';
};

const find: Judge = (words, locate) => {
  if (!words.some(({ text }) => text === '-delete')) return null;
  const first = words.findIndex(({ raw }) => /^[-(!\\]/.test(raw));
  const roots = words.slice(0, Math.max(first, 0));
  return roots.length > 0 && roots.every((word) => locate(word) === 'build') ? null : 'it deletes what find finds';
};

const recursively =
  (what: string): Judge =>
  (words) =>
    given(words, /R/, 'recursive') ? what : null;
const always =
  (what: string): Judge =>
  () =>
    what;
const sub =
  (pattern: RegExp, what: string): Judge =>
  (words) =>
    pattern.test(words.map(({ text }) => text ?? '$').join(' ')) ? what : null;

const CHANGES = 'it overwrites files of the working tree';
const GIT: Readonly<Record<string, (words: readonly Word[], isThere: IsThere) => string | null>> = {
  reset: (words) => (given(words, NONE, 'hard', 'merge', 'keep') ? 'it throws away changes of the working tree' : null),
  clean: (words) => {
    const dry = words.some(({ text }) => isLong(text, 'dry-run') || /^-[dfqxX]*n[dfnqxX]*$/.test(text ?? ''));
    return dry && !given(words, /e/, 'exclude') ? null : 'it deletes files that git does not know';
  },
  // A name is a branch or a file; a second one is a file.
  checkout: (words, isThere) => {
    const names = operandsOf(words);
    const files = names.length > 1 || names.some((word) => /^:|[*?[]/.test(word.text ?? ':') || isThere(word));
    const forced =
      given(words, /[fB]/, 'force', 'ours', 'theirs', 'pathspec-from-file') ||
      words.some(({ text }) => text === '--' || text === null);
    return forced || (files && !given(words, /[bt]/, 'orphan', 'track')) ? CHANGES : null;
  },
  switch: (words) =>
    given(words, /[fC]/, 'force', 'discard-changes', 'force-create') ? 'it throws away changes' : null,
  restore: (words) => {
    const staged = words.some(({ text }) => text === '-S' || isLong(text, 'staged'));
    return staged && !given(words, /W/, 'worktree') ? null : CHANGES;
  },
  'checkout-index': () => CHANGES,
  'read-tree': (words) => (given(words, /u/, 'reset') ? CHANGES : null),
  push: (words) =>
    given(words, /[fd]/, 'force', 'force-with-lease', 'force-if-includes', 'mirror', 'delete', 'prune') ||
    words.some(({ text, single }) => !single || /^(?:\+|:.)/.test(text ?? ''))
      ? 'it overwrites or deletes what others see'
      : null,
  branch: (words) => (given(words, /[DMCf]/, 'delete', 'force') ? 'it deletes or moves a branch' : null),
  tag: (words) => (given(words, /[df]/, 'delete', 'force') ? 'it deletes or moves a tag' : null),
  stash: (words) => (/^(?:drop|clear)$/.test(words[0]?.text ?? '') ? 'it deletes stashed work' : null),
  reflog: (words) => (/^(?:expire|delete)$/.test(words[0]?.text ?? '') ? 'it deletes the way back' : null),
  gc: (words) => (given(words, NONE, 'prune', 'aggressive') ? 'it deletes unreachable objects' : null),
  prune: () => 'it deletes unreachable objects',
  'filter-branch': () => 'it rewrites history',
  'filter-repo': () => 'it rewrites history',
  'update-ref': (words) => (given(words, /d/, 'stdin') ? 'it deletes a reference' : null),
  worktree: (words) => (words[0]?.text === 'remove' && given(words, /f/, 'force') ? 'it deletes a working tree' : null),
  rm: (words) => (given(words, /[rf]/, 'force') && !given(words, NONE, 'cached') ? 'it deletes files' : null),
};
const git: Judge = (words, _, isThere) => {
  const { name, rest } = subcommandOf(words);
  if (name === null) return rest.length > 0 ? "which command of git runs can't be known" : null;
  return lookup(GIT, name)?.(rest, isThere) ?? null;
};

const DISK = always('it overwrites a disk or a file');
const POWER = always('it stops the machine');
const JUDGES: Readonly<Record<string, Judge>> = {
  rm: remove,
  rmdir: (words, locate, isThere) =>
    operandsOf(words).some((word) => locate(word) !== 'inside') ? remove(words, locate, isThere) : null,
  unlink: remove,
  mv: move,
  find,
  git,
  dd: (words) =>
    words.some(({ text }) => text === null || text.startsWith('of=')) ? 'it overwrites a disk or a file' : null,
  truncate: cut,
  shred: DISK,
  wipefs: DISK,
  fdisk: DISK,
  parted: DISK,
  mkswap: DISK,
  ...Object.fromEntries(
    ['', '.ext2', '.ext3', '.ext4', '.xfs', '.btrfs', '.vfat', '.ntfs'].map((kind) => [`mkfs${kind}`, DISK]),
  ),
  chmod: recursively('it changes the modes of everything below'),
  chown: recursively('it changes the owner of everything below'),
  chgrp: recursively('it changes the group of everything below'),
  rsync: sub(/(?:^| )--(?:del|remove-source)/, 'it deletes files'),
  crontab: sub(/(?:^| )-r/, 'it deletes the schedule'),
  shutdown: POWER,
  reboot: POWER,
  poweroff: POWER,
  halt: POWER,
  docker: sub(
    /\bprune\b|^(?:volume|image|container|network) rm\b|^rm\b|^rmi\b|\bdown\b.* (?:-v|--volumes)/,
    'it deletes containers, images or volumes',
  ),
  kubectl: sub(/^(?:delete|drain)\b/, 'it deletes what runs in the cluster'),
  terraform: sub(/^(?:destroy|apply)\b/, 'it changes or deletes infrastructure'),
  dropdb: always('it deletes a database'),
  killall: always('it stops programs by name'),
  pkill: always('it stops programs by name'),
};

/** In a line that could not be read, the names that make it worth a question even inside a sandbox. */
export const DANGEROUS_TEXT =
  /\b(?:rm|rmdir|unlink|mv|find|git|dd|mkfs|truncate|shred|chmod|chown|rsync|docker|kubectl|terraform|eval)\b/;
