/** State that lives nowhere but in the log: each of these is a fold over the entries. */
import type { Assistant, Logged, Usage } from '../core/types.ts';

export type Totals = {
  readonly usage: Usage;
  /** By `vendor/model`. */
  readonly models: Readonly<Record<string, Usage>>;
  /** Some request had no known price: `usage.cost` is a lower bound. */
  readonly unpriced: boolean;
  /** Model requests that were answered. */
  readonly turns: number;
};

const NOTHING: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  ...(a.cost === undefined && b.cost === undefined ? {} : { cost: (a.cost ?? 0) + (b.cost ?? 0) }),
});

/** What all requests took, also those on branches that were left: they were paid for. */
export function foldTotals(entries: readonly Logged[]): Totals {
  const models: Record<string, Usage> = {};
  let usage = NOTHING;
  let unpriced = false;
  let turns = 0;
  for (const entry of entries) {
    const spent = spending(entry);
    if (entry.type === 'message' && entry.message.role === 'assistant' && !unasked(entry.message)) turns++;
    if (!spent) continue;
    usage = addUsage(usage, spent.usage);
    models[spent.model] = addUsage(models[spent.model] ?? NOTHING, spent.usage);
    unpriced ||= spent.usage.cost === undefined;
  }
  return { usage, models, unpriced, turns };
}

/** A cap was reached: nothing was asked. */
const unasked = ({ failure }: Assistant): boolean => failure?.kind === 'budget';

function spending(entry: Logged): { model: string; usage: Usage } | undefined {
  if (entry.type === 'usage') return entry;
  if (entry.type !== 'message' || entry.message.role !== 'assistant' || !entry.message.usage) return undefined;
  return { model: entry.message.model, usage: entry.message.usage };
}

export const foldGrants = (path: readonly Logged[]): readonly string[] =>
  path.filter((entry) => entry.type === 'grant').map((entry) => entry.rule);

/** The first thing a person asked, as a title. */
export function foldTitle(entries: readonly Logged[]): string {
  for (const entry of entries) {
    if (entry.type !== 'message' || entry.message.role !== 'user' || entry.message.origin === 'harness') continue;
    const text = entry.message.content.map((part) => (part.type === 'text' ? part.text : '[image]')).join(' ');
    return text.replace(/\s+/g, ' ').trim();
  }
  return '';
}
