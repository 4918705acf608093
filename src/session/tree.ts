/** The log as a person sees it: prompts, and what was tried after each of them. */
import type { Logged } from '../core/types.ts';
import { textOfPrompt } from './fold.ts';
import { parentsOf, pathTo } from './path.ts';

/** A prompt with everything up to the next ones. */
export type Branch = {
  /** The entry of the prompt. */
  readonly entry: string;
  readonly text: string;
  readonly time: number;
  /** The newest entry that came of it: where one goes on from. */
  readonly end: string;
  /** Part of the conversation as it stands. */
  readonly current: boolean;
  /** In the order in which they were tried. */
  readonly next: readonly Branch[];
};

type Growing = { -readonly [key in keyof Branch]: key extends 'next' ? Growing[] : Branch[key] };

/** The first prompts of the session, each with those that followed it. */
export function foldTree(entries: readonly Logged[]): readonly Branch[] {
  const parents = parentsOf(entries);
  const current = new Set(pathTo(entries).map(({ id }) => id));
  const roots: Growing[] = [];
  /** For each entry the prompts above it, the nearest last. */
  const owners: (Owner | undefined)[] = [];
  entries.forEach((entry, index) => {
    const above = owners[parents[index] ?? -1];
    const text = textOfPrompt(entry);
    if (text === undefined) {
      owners.push(above);
    } else {
      const { id, time } = entry;
      const branch: Growing = { entry: id, text, time, end: id, current: current.has(id), next: [] };
      (above?.branch.next ?? roots).push(branch);
      owners.push({ branch, above });
    }
    for (let owner = owners[index]; owner; owner = owner.above) owner.branch.end = entry.id;
  });
  return roots;
}

type Owner = { readonly branch: Growing; readonly above: Owner | undefined };
