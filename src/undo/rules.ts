/** What a snapshot holds, and what it says about the rest. docs/undo.md tells it to people. */
import type { Item, Limits } from './types.ts';

export const LIMITS: Limits = { file: 10 * 2 ** 20, entries: 100_000, bytes: 2 ** 30, store: 4 * 2 ** 30 };

/** A repository's own folder (or file, in a worktree): neither stored nor touched, and no part of a tree. */
const REPOSITORIES = new Set(['.git', '.hg', '.jj', '.svn']);

/** Half-written files of ours and of the file tools. */
export const TEMPORARY = /^\.rein-[0-9a-z]+-(\d+)-[0-9a-f]+\.tmp$/;

/** What the sandbox's self-test writes and takes away again. */
const PROBE = /^\.rein-probe-[0-9a-f]+$/;

/** A repository's own folder by another name: bare, or renamed. What is in it belongs to nobody's undo. */
export const isRepository = (names: readonly string[]): boolean =>
  ['HEAD', 'objects', 'refs'].every((name) => names.includes(name));

export const isOutside = (name: string): boolean =>
  REPOSITORIES.has(name.toLowerCase()) || TEMPORARY.test(name) || PROBE.test(name);

/** Folders that a program fills and can fill again. Ignore files are not asked: what they hide is often what nobody has twice. */
const GENERATED = new Set(
  '__pycache__ node_modules bower_components .gradle .next .nox .nuxt .parcel-cache .svelte-kit .terraform .tox .turbo'.split(
    ' ',
  ),
);

/** A build folder is known by the file beside it. */
const BESIDE: ReadonlyMap<string, readonly string[]> = new Map([
  ['target', ['Cargo.toml', 'pom.xml']],
  ['build', ['build.gradle', 'build.gradle.kts']],
]);

export const isGenerated = (name: string, beside: readonly string[]): boolean =>
  GENERATED.has(name) || (BESIDE.get(name)?.some((file) => beside.includes(file)) ?? false);

/** Folders that say so themselves: caches (https://bford.info/cachedir/) and Python environments. */
export const saysGenerated = (names: readonly string[]): boolean =>
  names.includes('CACHEDIR.TAG') || names.includes('pyvenv.cfg');

/**
 * What is there and not stored stands in a tree as a link to another repository, which git never follows. The number is
 * the reason.
 */
const uncovered = (reason: number): Item => ({ mode: 0o160000, id: String(reason).padStart(40, '0') });

export const UNCOVERED = {
  large: uncovered(1),
  special: uncovered(2),
  unreadable: uncovered(3),
  generated: uncovered(4),
  repository: uncovered(5),
};

export type Reason = keyof typeof UNCOVERED;

const WORDS: Readonly<Record<string, string>> = {
  [UNCOVERED.large.id]: 'too large to be stored',
  [UNCOVERED.special.id]: 'no regular file',
  [UNCOVERED.unreadable.id]: 'could not be read',
  [UNCOVERED.generated.id]: 'generated folders are not stored',
  [UNCOVERED.repository.id]: 'repositories are not stored',
};

export const whyUncovered = ({ id }: Item): string => WORDS[id] ?? 'not stored';
