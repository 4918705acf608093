import { isUtf8 } from 'node:buffer';
import * as z from 'zod/mini';
import type { Tool } from '../core/types.ts';
import { nameOf, type Place, refusal, visible } from '../env/files/index.ts';
import type { Searched } from '../env/ripgrep.ts';
import { defineTool, failure, text } from './define.ts';
import { globArguments } from './glob.ts';
import description from './list_files.md';
import { outline } from './outline.ts';
import { fileRun, locate, mustExist, relocate, showPath } from './paths.ts';
import {
  literally,
  mustBeText,
  prefixOf,
  splitNames,
  type WalkPorts,
  walkFiles,
  walkNotes,
  walkProblem,
} from './walk.ts';

const Input = z.strictObject({
  path: z.optional(z.string()),
  pattern: z.optional(z.string()),
  start: z.optional(z.int().check(z.minimum(1))),
});

/** Bytes of paths; some millions of files. */
const MEMORY = 128 << 20;
const OUTLINE = 400;
const PAGE = 1000;
const PAGE_CHARS = 32_000;

export const listFiles = (ports: WalkPorts): Tool =>
  defineTool({
    name: 'list_files',
    description,
    input: Input,
    access: async ({ path = '.', pattern }) => {
      const place = await locate(ports, path, 'read');
      if (typeof place === 'string') return place;
      const shown = showPath(place.path, ports.root);
      return { show: `List ${shown}${pattern ? ` ${visible(pattern)}` : ''}`, reads: [place.path] };
    },
    run: fileRun(async ({ path = '.', pattern, start = 1 }, { signal }, access) => {
      const place = await relocate(ports, path, 'read', access);
      const shown = showPath(place.path, ports.root);
      mustExist(place, shown);
      if (!place.stat?.isDirectory()) throw refusal(`${shown} is not a folder. Use read_file for a file.`);
      mustBeText(place);
      const wanted = await literally(ports, place, pattern);
      const glob = globArguments(wanted, place.path);
      let found = await walk(ports, place, glob, signal);
      // An ignored folder that is named is wanted.
      const opened = found.paths.length === 0 && found.end === 'done' && place.path !== ports.root;
      if (opened) found = await walk(ports, place, [...glob, '--no-ignore'], signal);
      const problem = walkProblem(found);
      if (problem !== undefined) return failure(problem);
      const prefix = prefixOf(place, ports.root);
      const lines = pattern === undefined ? outline(found.paths, OUTLINE) : found.paths;
      const notes = [
        `${found.paths.length.toLocaleString('en')} files${opened ? ', ignored ones too' : '; ignored ones are not listed'}`,
        ...(found.end === 'enough' ? ['there are more: name a smaller folder'] : []),
        ...walkNotes(found),
        ...(pattern === undefined ? await unlisted(ports, place, found.paths) : []),
      ];
      return text(makeList(lines, prefix, start, notes));
    }),
  });

type Walked = Searched & { readonly paths: readonly string[] };

const walk = async (ports: WalkPorts, place: Place, glob: readonly string[], signal: AbortSignal): Promise<Walked> => {
  const args = ['--sort', 'path', ...glob];
  const { names, ...searched } = await walkFiles(ports.ripgrep, { cwd: place.path, args, most: MEMORY }, signal);
  return { ...searched, paths: pathsIn(names) };
};

const pathsIn = (names: Buffer): readonly string[] =>
  isUtf8(names)
    ? splitNames(names, 'utf8')
    : splitNames(names, 'latin1').map((path) => nameOf(Buffer.from(path, 'latin1')));

const makeList = (lines: readonly string[], prefix: string, start: number, notes: readonly string[]): string => {
  if (start > lines.length && lines.length > 0) return `[only ${lines.length} lines; ${notes.join('; ')}]`;
  const shown: string[] = [];
  let size = 0;
  for (const line of lines.slice(start - 1, start - 1 + PAGE)) {
    const row = visible(prefix + line);
    size += row.length + 1;
    if (size > PAGE_CHARS) break;
    shown.push(row);
  }
  const to = start - 1 + shown.length;
  const more = to < lines.length ? [`lines ${start}–${to} of ${lines.length}; go on with start: ${to + 1}`] : [];
  return [...shown, `[${[...more, ...notes].join('; ')}]`].join('\n');
};

/** What is in the folder and not in the list. */
const unlisted = async ({ files }: WalkPorts, place: Place, paths: readonly string[]): Promise<readonly string[]> => {
  const listed = new Set(paths.map((path) => visible(path.slice(0, path.indexOf('/') + 1 || path.length))));
  const rest = (await files.list(place)).filter((entry) => !listed.has(entry));
  if (rest.length === 0) return [];
  const names = rest.slice(0, 20).join(' ');
  return [`also there, ignored, empty or special: ${names}${rest.length > 20 ? ` and ${rest.length - 20} more` : ''}`];
};
