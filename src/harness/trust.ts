/**
 * Trust: what a repository brings along for its agents has no effect before a person said yes to these very bytes. The
 * answer is kept for the real path and a hash of the files, so that a change is asked about anew.
 */
import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { isObject, tryJson } from '../core/json.ts';
import { type ConfigFile, findRoot, foldersBetween, readAll } from '../env/config-files.ts';
import { changePrivate, readPrivate } from '../env/private-file.ts';

export type Project = {
  /** The repository's root, absolute and real; the working folder where there is no repository. */
  readonly root: string;
  /** Of the root and of all that is listed in `files`; undefined where that is too much to be vouched for. */
  readonly hash: string | undefined;
  /** Absolute paths, in order. */
  readonly files: readonly ConfigFile[];
};

/** In the root; the later one wins. */
export const PROJECT_SETTINGS = ['.rein/settings.json', '.rein/settings.local.json'] as const;

const KINDS = ['commands', 'skills', 'agents'] as const;
const HOMES = ['.rein', '.agents', '.claude'] as const;

/** In each folder from the root down to the working folder. */
const CONFIG = ['.mcp.json', ...HOMES.flatMap((home) => KINDS.map((kind) => `${home}/${kind}`))];

/** What the folder would like to set, enable or add; undefined where it has no wishes. An empty folder is none. */
export function findProject(cwd: string): Project | undefined {
  const root = findRoot(cwd);
  const paths = [
    ...PROJECT_SETTINGS.map((name) => join(root, name)),
    ...foldersBetween(root, cwd).flatMap((folder) => CONFIG.map((name) => join(folder, name))),
  ];
  const files = readAll(paths);
  if (files?.length === 0) return undefined;
  return { root, hash: files && hashOf(root, files), files: files ?? [] };
}

function hashOf(root: string, files: readonly ConfigFile[]): string {
  const hash = createHash('sha256');
  for (const part of [root, ...files.flatMap(({ path, bytes }) => [path, bytes])]) {
    hash.update(`${Buffer.byteLength(part)}\n`).update(part);
  }
  return hash.digest('hex');
}

/** What would be in effect, one line each, for the question. */
export function describeProject({ root, files, hash }: Project): readonly string[] {
  if (hash === undefined) return ['more files than anybody could look at'];
  const lines = new Map<string, Set<string>>();
  for (const { path } of files) {
    const [, kind = '', name = ''] = /\/(commands|skills|agents)\/([^/]+)/.exec(path) ?? [];
    const line = kind === '' ? 'settings' : kind;
    lines.set(line, (lines.get(line) ?? new Set()).add(kind === '' ? relative(root, path) : name.replace(/\.md$/, '')));
  }
  return [...lines].map(([kind, names]) => `${kind}: ${[...names].join(', ')}`);
}

const storeOf = (stateFolder: string): string => join(stateFolder, 'trust.json');

/** What was trusted, where it is still that and belongs to this folder: a child or a resumed session may work elsewhere. */
export const trustedIn = (cwd: string, trusted: string | undefined): string | undefined =>
  trusted !== undefined && findProject(cwd)?.hash === trusted ? trusted : undefined;

/** A person said yes to it, and nothing has changed since. */
export const isTrusted = ({ root, hash }: Project, stateFolder: string): boolean =>
  hash !== undefined && answers(readPrivate(storeOf(stateFolder)))[root] === hash;

/** A person said no to it, and nothing has changed since: it is not asked again. */
export const isDeclined = ({ root, hash }: Project, stateFolder: string): boolean =>
  hash !== undefined && answers(readPrivate(storeOf(stateFolder)))[root] === `no ${hash}`;

export const keepAnswer = async ({ root, hash }: Project, stateFolder: string, trusted: boolean): Promise<void> =>
  changePrivate(storeOf(stateFolder), (before) =>
    JSON.stringify({ ...answers(before), [root]: `${trusted ? '' : 'no '}${hash}` }, null, 2),
  );

/** A file that can't be read vouches for nothing. */
function answers(text: string | undefined): Readonly<Record<string, unknown>> {
  const value = tryJson(text ?? '{}');
  return isObject(value) ? value : {};
}
