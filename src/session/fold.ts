/** State that lives nowhere but in the log: each of these is a fold over the entries. */
import { isPersons } from '../core/messages.ts';
import type { Assistant, Entry, Logged, Usage } from '../core/types.ts';

export type Totals = {
  readonly usage: Usage;
  /** By `vendor/model`. */
  readonly models: Readonly<Record<string, Usage>>;
  /** Some request had no known price: `usage.cost` is a lower bound. */
  readonly unpriced: boolean;
  /** Model requests that were answered. */
  readonly turns: number;
};

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Without the dust of binary fractions. */
const exact = (dollars: number): number => Number(dollars.toFixed(12));

export const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  ...(a.cost === undefined && b.cost === undefined ? {} : { cost: exact((a.cost ?? 0) + (b.cost ?? 0)) }),
});

/** What all requests took, also those on branches that were left: they were paid for. */
export const foldTotals = (entries: readonly Logged[]): Totals => createTally(() => entries)();

/** `foldTotals` of a list that only grows: each reading costs what is new. */
export function createTally(entries: () => readonly Logged[]): () => Totals {
  const models: Record<string, Usage> = {};
  let usage = NO_USAGE;
  let unpriced = false;
  let turns = 0;
  let read = 0;
  return () => {
    for (const entry of entries().slice(read)) {
      read++;
      const spent = spendingOf(entry);
      if (entry.type === 'message' && entry.message.role === 'assistant' && !unasked(entry.message)) turns++;
      if (!spent) continue;
      usage = addUsage(usage, spent.usage);
      models[spent.model] = addUsage(models[spent.model] ?? NO_USAGE, spent.usage);
      unpriced ||= spent.usage.cost === undefined;
    }
    return { usage, models: { ...models }, unpriced, turns };
  };
}

/** A cap was reached: nothing was asked. */
const unasked = ({ failure }: Assistant): boolean => failure?.kind === 'budget';

type Spending = { readonly model: string; readonly usage: Usage };

/** What an entry says was spent, if anything. */
export function spendingOf(entry: Entry): Spending | undefined {
  if (entry.type === 'usage') return entry;
  if (entry.type !== 'message' || entry.message.role !== 'assistant' || !entry.message.usage) return undefined;
  return { model: entry.message.model, usage: entry.message.usage };
}

/** Rules that hold here: granted on the way, and not taken back since. */
export function foldGrants(path: readonly Logged[]): readonly string[] {
  const rules = new Set<string>();
  for (const entry of path) {
    if (entry.type !== 'grant') continue;
    if (entry.revoked) rules.delete(entry.rule);
    else rules.add(entry.rule);
  }
  return [...rules];
}

/** The model that answers at this place, as it was last chosen on the way here. */
export const foldModel = (path: readonly Logged[]): { readonly model: string; readonly effort?: string } | undefined =>
  path.findLast((entry) => entry.type === 'opened' || entry.type === 'model');

/** Undefined where none was chosen on the way here: settings decide. */
export const foldMode = (path: readonly Logged[]): string | undefined =>
  path.findLast((entry) => entry.type === 'mode')?.mode;

/** What a person asked with this entry; undefined where it is something else. */
export function textOfPrompt(entry: Logged): string | undefined {
  if (entry.type !== 'message' || entry.message.role !== 'user' || !isPersons(entry.message)) return undefined;
  return entry.message.content.map((part) => (part.type === 'text' ? part.text : '[image]')).join(' ');
}

/** The first thing a person asked, as a title. */
export function foldTitle(entries: readonly Logged[]): string {
  for (const entry of entries) {
    const text = textOfPrompt(entry);
    if (text !== undefined) return text.replace(/\s+/g, ' ').trim();
  }
  return '';
}
