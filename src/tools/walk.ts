/** What list_files and search_files share: how ripgrep walks a folder, and what it says when it could not. */
import { type Place, refusal, visible } from '../env/files/index.ts';
import type { Ripgrep, Searched } from '../env/ripgrep.ts';
import { hasWildcards, literalGlob } from './glob.ts';
import { type FilePorts, locate, showPath } from './paths.ts';

export type WalkPorts = FilePorts & { readonly ripgrep: Ripgrep };

/** Milliseconds. */
export const DEADLINE = 20_000;

/** Hidden files are walked, `.git` isn't, ignore files count without a repository, links are not followed. */
export const WALK = ['--hidden', '--no-require-git', '--glob', '!.git', '--color', 'never'] as const;

/** Every file below a folder. `names` are bytes with a NUL behind each; it ends where there are more than `most` bytes of them. */
export const walkFiles = async (
  ripgrep: Ripgrep,
  { cwd, args = [], most }: { readonly cwd: string; readonly args?: readonly string[]; readonly most: number },
  signal: AbortSignal,
): Promise<Searched & { readonly names: Buffer }> => {
  const chunks: Buffer[] = [];
  let size = 0;
  const searched = await ripgrep({
    args: [...WALK, '--files', '--null', ...args],
    cwd,
    signal,
    within: DEADLINE,
    take: (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      return size < most;
    },
  });
  const names = Buffer.concat(chunks);
  // What stands behind the last NUL was cut off.
  return { ...searched, names: names.subarray(0, names.lastIndexOf(0) + 1) };
};

/** The names that `walkFiles` found. */
export const splitNames = (names: Buffer, encoding: 'utf8' | 'latin1'): string[] =>
  names.toString(encoding).split('\0').slice(0, -1);

/** A working folder is handed over as text, so its name has to be text. */
export const mustBeText = ({ path, disk }: Place): void => {
  if (Buffer.from(path).equals(disk)) return;
  throw refusal(`the name of ${visible(path)} is not UTF-8. Look with read_file, which lists a folder.`);
};

/** A pattern that is the exact name of a file means that file. */
export const literally = async (ports: FilePorts, place: Place, pattern?: string): Promise<string | undefined> => {
  if (pattern === undefined || !hasWildcards(pattern)) return pattern;
  const named = await locate({ ...ports, root: place.path }, pattern, 'read');
  return typeof named !== 'string' && named.stat ? literalGlob(pattern) : pattern;
};

/** What stands before the paths that ripgrep prints, so that the model can use them as they are. */
export const prefixOf = (place: Place, root: string): string => {
  const shown = showPath(place.path, root);
  return shown === '.' ? '' : shown.endsWith('/') ? shown : `${shown}/`;
};

/** What has to be said about the walk. */
export const walkNotes = ({ end, errors }: Searched): readonly string[] => {
  const unread = errors.split('\n').filter((line) => line.startsWith('rg: '));
  const notes: string[] = [];
  if (end === 'time') notes.push(`stopped after ${DEADLINE / 1000} s: name a smaller folder`);
  if (unread.length > 0) notes.push(`${unread.length} could not be read: ${visible(unread[0]?.slice(4, 200) ?? '')}`);
  return notes;
};

/** Why there is no result: no ripgrep, a bad pattern, the user. */
export const walkProblem = ({ end, code, errors }: Searched): string | undefined => {
  if (end === 'missing') return 'ripgrep is missing here. Use bash: find, grep -rn.';
  if (end === 'stopped') return 'stopped by the user.';
  // A bad pattern is found before anything is opened.
  const isFatal = code === 2 && !/\(os error \d+\)$/m.test(errors);
  return isFatal ? `${errors.trim().slice(0, 600)}\nNothing was found. Correct the pattern.` : undefined;
};
