/**
 * Instruction files below the working folder come in when something there is first touched: as a message at the end, so
 * that what the provider has cached stays good.
 */

import { dirname } from 'node:path';
import { aroundRun } from '../core/decorate.ts';
import { toldByRein } from '../core/messages.ts';
import type { Access, Event, Message, Tool } from '../core/types.ts';
import { isInside } from '../env/inside.ts';
import type { Instructions } from './instructions.ts';

export type NestedOptions = {
  /** The working folder, absolute and real. */
  readonly root: string;
  readonly find: (folder: string) => Promise<readonly Instructions[]>;
  /** The sentence ahead of them. */
  readonly intro: string;
  /** What the model has been told: the system text, and what it is shown at this moment. */
  readonly system: string;
  readonly shown: () => readonly Message[];
};

/** Packages bring instructions for their own authors. */
const FOREIGN = /\/(node_modules|\.git)(\/|$)/;

export function withNested(tools: readonly Tool[], options: NestedOptions): readonly Tool[] {
  const files = new Map<string, Promise<readonly Instructions[]>>();
  /** On their way: several calls of one reply may touch one folder. */
  const coming = new Set<string>();
  const find = (folder: string) => {
    const found = files.get(folder) ?? options.find(folder);
    files.set(folder, found);
    return found;
  };
  const isKnown = (text: string): boolean =>
    coming.has(text) || options.system.includes(text) || options.shown().some((message) => tells(message, text));

  async function* bring(access: Access): AsyncGenerator<Event, void> {
    for (const folder of foldersOf(access, options.root)) {
      for (const { path, text } of await find(folder)) {
        if (isKnown(text)) continue;
        coming.add(text);
        yield { type: 'message', message: toldByRein(`${options.intro.trim()}\n\n# ${path}\n\n${text}`) };
        coming.delete(text);
      }
    }
  }
  return tools.map((tool) =>
    aroundRun(tool, async function* (prepared, context) {
      const output = yield* prepared.run(context);
      if (!context.signal.aborted) yield* bring(prepared.access);
      return output;
    }),
  );
}

/** Not a summary that quotes it, and not a person's own words: only what was brought in like this. */
const tells = (message: Message, text: string): boolean =>
  message.role === 'user' &&
  message.origin === 'harness' &&
  message.content.some((part) => part.type === 'text' && part.text.endsWith(`\n\n${text}`));

/** Below the root, outermost first: the folders on the way to each path, and the path itself, which may be one. */
function foldersOf({ reads = [], writes = [], cwd }: Access, root: string): readonly string[] {
  const folders = new Set<string>();
  for (const path of [...reads, ...writes, ...(cwd === undefined ? [] : [cwd])]) {
    if (!isInside(root, path) || FOREIGN.test(path.slice(root.length))) continue;
    const way: string[] = [];
    for (let folder = path; folder !== root && folder !== dirname(folder); folder = dirname(folder)) way.push(folder);
    for (const folder of way.toReversed()) folders.add(folder);
  }
  return [...folders];
}
