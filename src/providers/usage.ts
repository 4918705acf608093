import type { Usage } from '../core/types.ts';

/** US dollars per million tokens. Where a cache price is unknown, and such tokens were used, so is the cost. */
export type Price = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
};

/** Adds the cost, unless the server told it or the price is unknown. */
export function priced(usage: Usage, price: Price | undefined): Usage {
  if (usage.cost !== undefined || !price) return usage;
  if (usage.cacheRead > 0 && price.cacheRead === undefined) return usage;
  const cost =
    usage.input * price.input +
    usage.output * price.output +
    usage.cacheRead * (price.cacheRead ?? 0) +
    // Vendors without a price for it bill what they write to the cache as input.
    usage.cacheWrite * (price.cacheWrite ?? price.input);
  return { ...usage, cost: cost / 1_000_000 };
}
