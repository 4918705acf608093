import { posix } from 'node:path';
import * as z from 'zod/mini';
import type { Output, Tool } from '../core/types.ts';
import { type Place, visible } from '../env/files/index.ts';
import type { Searched } from '../env/ripgrep.ts';
import { defineTool, failure, text } from './define.ts';
import { globArguments } from './glob.ts';
import { collectMatches, type Match, printMatches } from './matches.ts';
import { fileRun, locate, mustExist, relocate, showPath } from './paths.ts';
import description from './search_files.md';
import { DEADLINE, literally, mustBeText, prefixOf, WALK, type WalkPorts, walkNotes, walkProblem } from './walk.ts';

const Count = z.optional(z.int().check(z.minimum(1)));
const Input = z.strictObject({
  pattern: z.string(),
  path: z.optional(z.string()),
  glob: z.optional(z.string()),
  start: Count,
  context: z.optional(z.int().check(z.minimum(0))),
});

/** Matches that are collected and counted; where there are more, files are taken in order until the page is full. */
const COUNTED = 2000;
const PAGE = 200;
const CONTEXT = 20;

/** `isHidden`: what is in this file is shown only where the search names it, and with that was allowed. */
type Ports = WalkPorts & { readonly isHidden?: (path: string) => boolean };

export const searchFiles = (ports: Ports): Tool =>
  defineTool({
    name: 'search_files',
    description,
    input: Input,
    access: async ({ pattern, path = '.', glob }) => {
      if (pattern === '') return 'the pattern is empty. list_files lists files.';
      const place = await locate(ports, path, 'read');
      if (typeof place === 'string') return place;
      const where = `${showPath(place.path, ports.root)}${glob ? ` ${visible(glob)}` : ''}`;
      return { show: `Search ${JSON.stringify(pattern)} in ${where}`, reads: [place.path] };
    },
    run: fileRun(async ({ pattern, path = '.', glob, start = 1, context = 0 }, { signal }, access) => {
      const place = await relocate(ports, path, 'read', access);
      mustExist(place, showPath(place.path, ports.root));
      const args = ['--json', '--context', String(Math.min(context, CONTEXT)), '--regexp', pattern];
      if (!place.stat?.isDirectory()) return searchFile(ports, place, args, start, signal);
      mustBeText(place);
      const wanted = globArguments(await literally(ports, place, glob), place.path);
      const walk = (extra: readonly string[]) =>
        searchFolder(ports, place, [...WALK, ...args, ...wanted, ...extra], start, signal);
      const found = await walk([]);
      if (found.count > 0 || found.end !== 'done' || place.path === ports.root) {
        return show(found, start, ['ignored files are not searched', ...walkNotes(found)]);
      }
      // An ignored folder that is named is wanted.
      const opened = await walk(['--no-ignore']);
      return show(opened, start, ['ignored files are searched, too', ...walkNotes(opened)]);
    }),
  });

type Found = Searched & {
  readonly matches: readonly Match[];
  readonly count: number;
  /** Files with matches that are kept back. */
  readonly hidden?: readonly string[];
};

/** All matches, by path; or, where they are very many, those up to the page's end out of an ordered walk. */
const searchFolder = async (
  ports: Ports,
  place: Place,
  args: readonly string[],
  start: number,
  signal: AbortSignal,
): Promise<Found> => {
  const prefix = prefixOf(place, ports.root);
  const search = async (extra: readonly string[], limit: number): Promise<Found> => {
    // Rows come file by file, and judging a name costs more than reading a row.
    const judged = new Map<string, boolean>();
    const isHidden = (name: string): boolean => {
      const hides = judged.get(name) ?? ports.isHidden?.(posix.join(place.path, name)) ?? false;
      judged.set(name, hides);
      return hides;
    };
    const collected = collectMatches(limit, (name) => (isHidden(name) ? undefined : prefix + name));
    const run = { args: [...args, ...extra, './'], cwd: place.path, signal, within: DEADLINE, take: collected.take };
    const searched = await ports.ripgrep(run);
    return {
      ...searched,
      ...collected.result(),
      hidden: [...judged].flatMap(([name, hides]) => (hides ? [prefix + name] : [])),
    };
  };
  const all = await search([], COUNTED);
  return all.end === 'enough' ? search(['--sort', 'path'], start + PAGE) : all;
};

/** One file is read through a descriptor: no name to quote, no pipe to wait for. */
const searchFile = async (
  { files, ripgrep, root }: WalkPorts,
  place: Place,
  args: readonly string[],
  start: number,
  signal: AbortSignal,
): Promise<Output> => {
  const collected = collectMatches(start + PAGE, () => showPath(place.path, root));
  const searched = await files.withDescriptor(place, (stdin) =>
    ripgrep({ args: [...args, '-'], cwd: '/', stdin, signal, within: DEADLINE, take: collected.take }),
  );
  return show({ ...searched, ...collected.result() }, start, walkNotes(searched));
};

const show = (found: Found, start: number, said: readonly string[]): Output => {
  const { hidden = [] } = found;
  const kept = `not shown, because they may hold keys or are denied: ${hidden.slice(0, 10).map(visible).join(' ')}`;
  const notes = hidden.length === 0 ? said : [...said, kept];
  const problem = walkProblem(found);
  if (problem !== undefined) return failure(problem);
  if (found.count === 0) return text(`[nothing found${notes.map((note) => `; ${note}`).join('')}]`);
  if (start > found.count) return failure(`there are only ${found.count} matches. Use a smaller start.`);
  const page = printMatches(found.matches, start, PAGE);
  const of = found.end === 'enough' ? 'more than ' : '';
  const total = `${page.to < found.count || start > 1 || of ? `${start}–${page.to} of ` : ''}${of}${found.count} matches`;
  const more = page.to < found.count ? [`go on with start: ${page.to + 1}`] : [];
  return text(`${page.text}\n[${[total, ...more, ...notes].join('; ')}]`);
};
