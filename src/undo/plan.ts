/**
 * Who changed what. A path goes back only where the agent changed it; where somebody else changed it as well, between the
 * agent's steps or after them, that is a conflict.
 */
import { compare, type ReadTree } from './compare.ts';
import { isFolder, isUncovered } from './objects.ts';
import { UNCOVERED } from './rules.ts';
import type { Scan } from './scan.ts';
import type { Difference, Item, Step } from './types.ts';

export type Sorted = {
  readonly restore: readonly Difference[];
  readonly conflicts: readonly Difference[];
  readonly blocked: readonly Difference[];
};

type Verdict = 'leave' | 'restore' | 'conflict' | 'blocked';

type Case = Difference & { verdict: Verdict };

/** From what was found now to what was before the first step. */
export const sortOut = async (
  read: ReadTree,
  steps: readonly Step[],
  { tree, holding }: Pick<Scan, 'tree' | 'holding'>,
): Promise<Sorted> => {
  const present = tree.id;
  const { agent, others } = await attribute(read, steps, present);
  const wanted = await compare(read, present, steps[0]?.before ?? present);
  const cases = new Map<string, Case>(
    wanted.map((each) => [each.path, { ...each, verdict: judge(each, agent, others) }]),
  );
  for (const each of cases.values()) if (each.verdict !== 'leave') follow(each, ancestorsOf(each.path, cases));
  for (const each of cases.values()) if (isReplacedFolder(each)) clear(each, cases);
  for (const each of cases.values()) if (mayBeTheLast(each, cases, holding)) each.verdict = 'conflict';
  const select = (verdict: Verdict) => [...cases.values()].filter((each) => each.verdict === verdict);
  return { restore: select('restore'), conflicts: select('conflict'), blocked: select('blocked') };
};

/** The paths that the agent changed, and those that others did. Where a step's end is missing nobody knows: both. */
const attribute = async (read: ReadTree, steps: readonly Step[], present: string) => {
  const agent = new Set<string>();
  const others = new Set<string>();
  for (const [index, { before, after }] of steps.entries()) {
    const next = steps[index + 1]?.before ?? present;
    for (const { path } of await compare(read, before, after ?? next)) agent.add(path);
    for (const { path } of await compare(read, after ?? before, next)) others.add(path);
  }
  return { agent, others };
};

const judge = (each: Difference, agent: ReadonlySet<string>, others: ReadonlySet<string>): Verdict => {
  if (!agent.has(each.path)) return 'leave';
  // What is there now can't be kept, so it is asked about.
  if (each.before?.id === UNCOVERED.large.id && isStored(each.after)) return 'conflict';
  if (isUncovered(each.before) || isUncovered(each.after)) return 'blocked';
  return others.has(each.path) ? 'conflict' : 'restore';
};

/** What is to come back needs its folders; what stands in their place is somebody else's. */
const follow = (each: Case, ancestors: readonly Case[]): void => {
  for (const above of ancestors) {
    if (isUncovered(above.before) || isUncovered(above.after)) {
      each.verdict = 'blocked';
      return;
    }
    if (each.after === null || isFolder(above.before)) continue;
    if (above.verdict === 'leave') above.verdict = above.before === null ? 'restore' : 'conflict';
    if (above.verdict !== 'restore') each.verdict = above.verdict;
  }
};

const isReplacedFolder = ({ before, after, verdict }: Case): boolean =>
  verdict !== 'leave' && isFolder(before) && after !== null && !isFolder(after);

/** A folder gives way to a file only with all that is in it. */
const clear = (each: Case, cases: ReadonlyMap<string, Case>): void => {
  for (const below of cases.values()) {
    if (!below.path.startsWith(`${each.path}/`)) continue;
    if (isUncovered(below.before)) below.verdict = 'blocked';
    if (below.verdict === 'leave') below.verdict = 'conflict';
    if (below.verdict === 'blocked' || each.verdict === 'restore') each.verdict = below.verdict;
  }
};

const isStored = (item: Item | null): boolean => item !== null && !isFolder(item) && !isUncovered(item);

/**
 * What the agent made may be all that is left of something that can't be brought back: a repository that was moved with
 * its folder, the archive of a file that was too large to be stored.
 */
const mayBeTheLast = (
  { path, after, verdict }: Case,
  cases: ReadonlyMap<string, Case>,
  holding: readonly string[],
): boolean => {
  if (verdict !== 'restore' || after !== null) return false;
  const isMoved = holding.some((folder) => folder !== '' && isBelow(folder, path) && cases.get(folder)?.after === null);
  return isMoved || [...cases.values()].some((each) => each.verdict === 'blocked' && isPrecious(each.after));
};

/** Nobody makes it again, as generated folders are. */
const isPrecious = (item: Item | null): boolean =>
  item !== null && [UNCOVERED.large.id, UNCOVERED.repository.id].includes(item.id);

const isBelow = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

const ancestorsOf = (path: string, cases: ReadonlyMap<string, Case>): readonly Case[] => {
  const found: Case[] = [];
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    const above = cases.get(path.slice(0, end));
    if (above) found.push(above);
  }
  return found;
};
