/** AGENTS.md and its kin: what a project and its user want every agent to know. */

import { dirname, join, resolve } from 'node:path';
import { findRoot, foldersBetween } from '../env/config-files.ts';
import { isInside } from '../env/inside.ts';
import { importsOf } from './imports.ts';
import { readSource, type Source, type Sources } from './sources.ts';

export type Instructions = { readonly path: string; readonly text: string };

/** In a folder the first of these that is a file counts. */
const NAMES = ['AGENTS.override.md', 'AGENTS.md', 'CLAUDE.md'];

/** Characters of all of them together; and of one that a folder below adds later. */
const BUDGET = { all: 32_000, nested: 8_000 };

/** How many imports may lie between an instruction file and what it imports. */
const MAX_DEPTH = 4;

/**
 * From the user's own down to the working folder, nearest last, each followed by what it imports. A file that two names
 * lead to counts once, and so does a text that two files hold. Where they are too long, the nearest has the first claim.
 */
export async function findInstructions(
  sources: Sources,
  { cwd, userFolder }: { readonly cwd: string; readonly userFolder: string },
): Promise<readonly Instructions[]> {
  const root = findRoot(cwd);
  const found: Source[] = [];
  const once = createOnce();
  for (const folder of foldersBetween(root, cwd).toReversed())
    found.unshift(...(await at(sources, folder, root, once)));
  // The user's own may be a link to wherever they keep such files.
  found.unshift(...(await at(sources, userFolder, null, once)));
  return withinBudget(found, BUDGET.all, sources.warn);
}

/** Those of one folder of the project below `root`. */
export async function instructionsIn(sources: Sources, folder: string, root: string): Promise<readonly Instructions[]> {
  return withinBudget(await at(sources, folder, root, createOnce()), BUDGET.nested, sources.warn);
}

type Once = (source: Source) => boolean;

/** True for a file, and for a text, that was not there before. */
function createOnce(): Once {
  const known = new Set<string>();
  return ({ real, text }) => {
    const fresh = !known.has(`path ${real}`) && !known.has(`text ${text.trim()}`) && text.trim() !== '';
    known.add(`path ${real}`).add(`text ${text.trim()}`);
    return fresh;
  };
}

async function at(sources: Sources, folder: string, bound: string | null, once: Once): Promise<Source[]> {
  for (const name of NAMES) {
    const source = await readSource(sources, join(folder, name), bound);
    if (source) return once(source) ? [source, ...(await importsFrom(sources, source, bound ?? folder, once, 1))] : [];
  }
  return [];
}

async function importsFrom(
  sources: Sources,
  source: Source,
  bound: string,
  once: Once,
  depth: number,
): Promise<Source[]> {
  const found: Source[] = [];
  for (const named of importsOf(source.text)) {
    const path = resolve(dirname(source.real), named.replace(/^~(?=\/)/, '/~'));
    if (!isInside(bound, path)) {
      sources.warn(`${source.path}: @${named} was left out: it lies outside ${bound}.`);
      continue;
    }
    const imported = await readSource(sources, path, bound);
    if (!imported || !once(imported)) continue;
    if (depth > MAX_DEPTH) {
      sources.warn(`${source.path}: @${named} was left out: imports nest deeper than ${MAX_DEPTH}.`);
      continue;
    }
    found.push(imported, ...(await importsFrom(sources, imported, bound, once, depth + 1)));
  }
  return found;
}

/** The last has the first claim on the room. What does not fit is cut, and the text says so. */
function withinBudget(found: readonly Source[], budget: number, warn: Sources['warn']): readonly Instructions[] {
  let left = budget;
  const fitted: Instructions[] = [];
  for (const { path, text } of found.toReversed()) {
    const whole = text.trim();
    const kept = whole.length <= left ? whole : cut(whole, left);
    left = Math.max(0, left - whole.length);
    if (kept !== whole) warn(`${path} is too long: ${whole.length} characters, ${budget} for all; the rest was cut.`);
    fitted.unshift({ path, text: kept });
  }
  return fitted;
}

const cut = (text: string, most: number): string => {
  const kept = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  const note = `[cut: ${kept.length} of ${text.length} characters; read_file has the rest]`;
  return kept === '' ? note : `${kept}\n${note}`;
};
