/** The log as a person sees it: prompts, and what was tried after each of them. */
import type { Logged } from '../core/types.ts';
import { textOfPrompt } from './fold.ts';
import { parentsOf, pathTo } from './path.ts';

/** A prompt, with everything up to the next ones. */
export type Branch = {
  /** The entry of the prompt. */
  readonly entry: string;
  readonly text: string;
  readonly time: number;
  /** The newest entry that came of it: where one goes on from. */
  readonly end: string;
  /** Part of the conversation as it stands. */
  readonly current: boolean;
  /** What was asked next, in the order in which it was tried. */
  readonly next: readonly Branch[];
};

type Prompt = Omit<Branch, 'end'> & { readonly next: Branch[]; readonly above: Prompt | undefined; last: number };

/** The first prompts of a session, each with those that followed it. */
export function foldTree(entries: readonly Logged[]): readonly Branch[] {
  const parents = parentsOf(entries);
  const current = new Set(pathTo(entries).map(({ id }) => id));
  const prompts: Prompt[] = [];
  /** For each entry the nearest prompt above. */
  const owners: (Prompt | undefined)[] = [];
  entries.forEach((entry, last) => {
    const above = owners[parents[last] ?? -1];
    const text = textOfPrompt(entry);
    const { id, time } = entry;
    const own = text === undefined ? above : { entry: id, text, time, current: current.has(id), next: [], above, last };
    if (own && own !== above) prompts.push(own);
    if (own) own.last = last;
    owners.push(own);
  });
  const roots: Branch[] = [];
  // A prompt stands behind those above it, so backwards each is whole when its turn comes.
  for (const { above, last, ...prompt } of prompts.reverse()) {
    if (above) above.last = Math.max(above.last, last);
    (above?.next ?? roots).unshift({ ...prompt, end: entries[last]?.id ?? prompt.entry });
  }
  return roots;
}
