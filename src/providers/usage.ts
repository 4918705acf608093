import type { Usage } from '../core/types.ts';

/** US dollars per million tokens. Where a cache price is unknown, and such tokens were used, so is the cost. */
export type Price = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
};

/** What can be counted and added up. A server's own sum below nothing would lift every cap. */
const isAmount = (value: number | undefined): value is number =>
  value !== undefined && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

/** Of what a server says, whichever the dialect, only amounts count: else no tokens, and no price. */
export const sound = ({ input, output, cacheRead, cacheWrite, cost }: Usage): Usage => ({
  input: isAmount(input) ? input : 0,
  output: isAmount(output) ? output : 0,
  cacheRead: isAmount(cacheRead) ? cacheRead : 0,
  cacheWrite: isAmount(cacheWrite) ? cacheWrite : 0,
  ...(isAmount(cost) ? { cost } : {}),
});

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
