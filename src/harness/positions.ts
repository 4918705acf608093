/** Where a session stands: a leaf of its log. Going somewhere else appends a fact and removes nothing. */
import type { Entry, Logged } from '../core/types.ts';
import { type Branch, foldTree, pathTo, textOfPrompt } from '../session/index.ts';
import type { Record } from './record.ts';

export type { Branch } from '../session/index.ts';

/** From the root to where a session stands. */
export const pathOf = (entries: readonly Logged[]): readonly Logged[] => pathTo(entries);

/** What a position needs of a record. */
export type Positioned = Pick<Record, 'path' | 'all' | 'commit'>;

/** `entry` names it for `rewindTo`, and `before` is where a fork without it ends (null: at nothing). */
export type Prompt = {
  readonly entry: string;
  readonly before: string | null;
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
};

/** What a person asked on the way to here, oldest first. */
export const prompts = ({ path }: Pick<Positioned, 'path'>): readonly Prompt[] =>
  path().flatMap((entry, index, all) => {
    const text = textOfPrompt(entry);
    return text === undefined ? [] : [{ entry: entry.id, before: all[index - 1]?.id ?? null, text, time: entry.time }];
  });

/** All prompts, those of branches that were left too. */
export const tree = ({ all }: Pick<Positioned, 'all'>): readonly Branch[] => foldTree(all());

/** Goes back to before a prompt, on this branch or another. Returns the prompt, to be changed and sent again. */
export async function rewindTo(
  record: Positioned,
  entry: string,
  how: Omit<Extract<Entry, { type: 'rewind' }>, 'type'> = {},
): Promise<Prompt | string> {
  const prompt = prompts({ path: () => pathTo(record.all(), entry) }).at(-1);
  if (prompt?.entry !== entry) return `there is no prompt ${entry} in this session.`;
  await record.commit({ type: 'rewind', ...how }, prompt.before);
  return prompt;
}

/** Goes to an entry, wherever it is: `Branch.end` is where another branch goes on, `Session.entries` has the others. */
export async function goTo(record: Positioned, entry: string): Promise<Logged | string> {
  const found = record.all().some(({ id }) => id === entry);
  return found ? record.commit({ type: 'rewind' }, entry) : `there is no entry ${entry} in this session.`;
}
