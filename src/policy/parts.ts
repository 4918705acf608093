/** What a call would do, taken apart: one part for each command, path, host, and each thing that can't be known. */
import { isInside } from '../env/inside.ts';
import { expandPattern } from './glob.ts';
import { isBuildOutput, isHarmlessDevice, isInsideRoots, realPath, resolve } from './paths.ts';
import { judgeCommand, type Read, type Spot, subcommandOf } from './programs/index.ts';
import type { Analysis, Command, Redirect, Word } from './shell/index.ts';
import type { Disk, Part, Place, Query } from './types.ts';

export function partsOf(query: Query): readonly Part[] {
  const { access, analysis } = query;
  if (access.command !== undefined && analysis) return shellParts(analysis, query);
  const parts: Part[] = [];
  const how = query.tool === 'search_files' ? 'visible' : query.tool === 'list_files' ? 'names' : 'file';
  for (const path of access.reads ?? []) parts.push({ kind: 'read', path, how, text: path });
  for (const path of access.writes ?? []) parts.push({ kind: 'write', path, text: path });
  for (const host of access.hosts ?? []) parts.push({ kind: 'host', host, text: host });
  if (access.command !== undefined) {
    parts.push({ kind: 'unknown', why: 'the command was not analysed', text: access.command });
  }
  if (access.anything) parts.push({ kind: 'anything', text: access.show });
  return parts;
}

function shellParts(analysis: Analysis, query: Query): Part[] {
  const folders = foldersOf(analysis, query);
  const parts: Part[] = [];
  for (const command of analysis.commands) parts.push(...commandParts(command, folders, query));
  for (const redirect of analysis.redirects) parts.push(...redirectParts(redirect, folders, query));
  for (const assignment of analysis.assignments) parts.push({ kind: 'assignment', assignment, text: assignment.text });
  for (const { why, text } of analysis.unknown) {
    parts.push({ kind: 'unknown', why, text }, ...networkParts(text, query));
  }
  return parts;
}

/** Where the commands of a line may find themselves; null where `cd` makes that unknowable. */
function foldersOf(analysis: Analysis, { cwd, disk }: Pick<Query, 'cwd' | 'disk'>): readonly string[] | null {
  const moves = analysis.commands.filter(({ name }) => name === 'cd' || name === 'pushd' || name === 'popd');
  const [move] = moves;
  if (!move) return [cwd];
  const target = move.words[0]?.text;
  if (moves.length > 1 || analysis.loops || move.words.length !== 1 || target === undefined || target === null)
    return null;
  return target.startsWith('-') ? null : [cwd, ...aims(target, cwd, disk)];
}

/** Where `cd` may lead: bash takes `..` out of the words first, and follows links after that or, with `-P`, before. */
const aims = (target: string, cwd: string, disk: Disk): readonly string[] => [
  ...new Set([realPath(disk, cwd, target), disk.real(resolve(cwd, target))]),
];

function commandParts(command: Command, folders: readonly string[] | null, query: Query): Part[] {
  const judged = judgeCommand(command);
  const text = command.text;
  // git names paths from the top of the repository, too.
  const tops = command.name?.split('/').at(-1) === 'git' ? query.roots : [];
  const where = command.elsewhere || !folders ? null : [...folders, ...tops];
  if (typeof judged === 'string') {
    const paths = command.words.flatMap((word) => locate(pathIn(word), where, query) ?? []);
    return [{ kind: 'command', command, harmless: judged, paths, text }, ...networkParts(text, query, command)];
  }
  return [
    { kind: 'command', command, harmless: null, paths: [], text },
    ...judged.reads.flatMap((read) => readParts(read, command, where, query)),
  ];
}

/** Without a sandbox every command has the network, and is asked for what it is. */
const networkParts = (text: string, { access, sandboxed }: Query, of?: Command): Part[] =>
  access.network && sandboxed ? [{ kind: 'host', host: 'the network', text, ...(of ? { of } : {}) }] : [];

function readParts({ word, how }: Read, command: Command, folders: readonly string[] | null, query: Query): Part[] {
  if (word.text === '-') return [];
  const logical = command.name === 'cd' && word.text !== null ? aims(word.text, query.cwd, query.disk) : [];
  const paths = locate(word, folders, query);
  if (!paths) return [{ kind: 'read', path: null, how, of: command, text: word.raw }];
  return [...new Set([...paths, ...logical])]
    .filter((path) => !isHarmlessDevice(path))
    .map((path): Part => ({ kind: 'read', path, how, of: command, text: word.raw }));
}

function redirectParts({ access, target }: Redirect, folders: readonly string[] | null, query: Query): Part[] {
  const paths = locate(target, folders, query);
  if (!paths) return [partOfRedirect(access, null, target.raw)];
  return paths.filter((path) => !isHarmlessDevice(path)).map((path) => partOfRedirect(access, path, target.raw));
}

const partOfRedirect = (access: 'read' | 'write', path: string | null, text: string): Part =>
  access === 'write' ? { kind: 'write', path, text } : { kind: 'read', path, how: 'file', text };

/** In `--file=x` and `of=x` the path is what follows the sign. */
function pathIn(word: Word): Word {
  const value = /^-{0,2}[\w-]+=([\s\S]+)$/.exec(word.text ?? '')?.[1];
  return value === undefined ? word : { raw: word.raw, text: value, single: true };
}

/** The real paths that a word may mean, from wherever the line may stand; null where that can't be known. */
function locate(word: Word, folders: readonly string[] | null, { disk }: Place): readonly string[] | null {
  const value = word.text ?? word.pattern;
  if (value === undefined) return null;
  const bases = value.startsWith('/') ? ['/'] : folders;
  if (!bases) return null;
  const found: string[] = [];
  for (const base of bases) {
    if (word.text !== null) {
      // The name of a device is what counts, wherever it links to at the moment.
      found.push(isHarmlessDevice(word.text) ? word.text : realPath(disk, base, word.text));
      continue;
    }
    const paths = expandPattern(value, base, disk);
    if (!paths) return null;
    found.push(...paths);
  }
  return [...new Set(found)];
}

/** Where git would look for its repository; null where that can't be known. */
export function gitFolders({ words, elsewhere }: Command, query: Query): readonly string[] | null {
  const folders = elsewhere || !query.analysis ? null : foldersOf(query.analysis, query);
  const { folder } = subcommandOf(words);
  return folder ? locate(folder, folders, query) : folders;
}

/** Whether there is something of that name where git would look. */
export function isThere(word: Word, command: Command, query: Query): boolean {
  const paths = locate(word, gitFolders(command, query), query);
  return (
    paths?.some((path) => query.disk.names(resolve(path, '..')).includes(path.slice(path.lastIndexOf('/') + 1))) ?? true
  );
}

/** For the last check on deletes: where a word leads at worst. */
export function spotOf(word: Word, query: Query): Spot {
  const folders = query.analysis ? foldersOf(query.analysis, query) : [query.cwd];
  const paths = locate(word, folders, query);
  if (!paths) return 'unknown';
  const roots = query.roots.map((root) => query.disk.real(root));
  if (paths.some((path) => roots.some((root) => isInside(path, root)))) return 'root';
  if (!paths.every((path) => isInsideRoots(query, path))) return 'outside';
  return paths.every((path) => isBuildOutput(query, path)) ? 'build' : 'inside';
}
