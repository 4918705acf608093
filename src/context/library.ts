/** What a project and its user keep beside their instructions: skills, commands and agents, each a Markdown file. */
import { basename, join } from 'node:path';
import { type Document, readDocument } from './front-matter.ts';
import { readSource, type Sources } from './sources.ts';

/** Where they lie. The first folder that has a name wins; `bound` as in `readSource`. */
export type Shelf = { readonly folder: string; readonly bound: string | null };

export type Item = {
  /** The name of the file without its ending, or of its folder. */
  readonly name: string;
  readonly path: string;
  readonly head: Record<string, unknown>;
  readonly body: string;
};

/** The homes of agents in a project that rein reads. */
const HOMES = { skills: ['.rein', '.agents', '.claude'], commands: ['.rein', '.claude'], agents: ['.rein', '.claude'] };

/** Nearest first, the user's own last. `project` goes from the root of the repository to the working folder. */
export const shelvesOf = (
  kind: keyof typeof HOMES,
  project: readonly string[],
  userFolder: string | undefined,
): readonly Shelf[] => [
  ...project
    .toReversed()
    .flatMap((folder) =>
      HOMES[kind].map((home) => ({ folder: join(folder, home, kind), bound: project[0] ?? folder })),
    ),
  ...(userFolder === undefined ? [] : [{ folder: join(userFolder, kind), bound: null }]),
];

/** More than anybody keeps in one folder. */
const MAX_ITEMS = 500;

/** The `.md` files of a shelf, or its folders that hold a file `inner`. What can't be read is named in a warning. */
export async function readShelf(sources: Sources, { folder, bound }: Shelf, inner?: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (const name of (await list(sources, folder)).slice(0, MAX_ITEMS)) {
    const plain = name.replace(/[/@]$/, '');
    if (plain.startsWith('.') || (inner === undefined && !plain.endsWith('.md'))) continue;
    const path = inner === undefined ? join(folder, plain) : join(folder, plain, inner);
    const source = await readSource(sources, path, bound);
    if (!source) continue;
    const document: Document = await readDocument(source.text);
    if ('problem' in document) sources.warn(`${path} was left out: ${document.problem}.`);
    else items.push({ name: basename(plain, '.md'), path: source.real, ...document });
  }
  return items;
}

/** Folders end in `/`, links in `@`. */
async function list({ files }: Sources, folder: string): Promise<readonly string[]> {
  try {
    const place = await files.find(folder, '/', 'read');
    return place.stat?.isDirectory() ? await files.list(place) : [];
  } catch {
    return [];
  }
}

/** The first of each name. */
export const firstOfEach = <T extends { readonly name: string }>(items: readonly T[]): readonly T[] => {
  const names = new Set<string>();
  return items.filter(({ name }) => !names.has(name) && names.add(name));
};
