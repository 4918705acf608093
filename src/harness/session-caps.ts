/** The caps of one session: what settings and the leash say, whichever is less. */
import type { Call, Clock } from '../core/types.ts';
import { type Caps, type CapsOptions, createCaps } from './caps.ts';
import type { Choice } from './choice.ts';
import type { HarnessOptions } from './harness.ts';
import { noPrice } from './models.ts';
import { DEFAULT_TURNS } from './project-settings.ts';
import type { Ask } from './types.ts';

/** A cap on money that nobody can count would be a promise without cover. */
export function createSessionCaps(
  options: HarnessOptions,
  choice: Choice,
  cost: () => number,
  clock: Clock,
): Caps | string {
  const { settings, leash, ask } = options;
  const maxCost = least(settings.maxCost, leash?.limits.cost);
  const { name, price } = choice.current().spec;
  if (maxCost !== undefined && price === undefined) return noPrice(name);
  const time = least(settings.maxTime && settings.maxTime * 1000, leash?.limits.time);
  return createCaps({
    limits: {
      turns: least(settings.maxTurns ?? DEFAULT_TURNS, leash?.limits.turns) ?? DEFAULT_TURNS,
      ...(maxCost === undefined ? {} : { cost: maxCost }),
      ...(time === undefined ? {} : { time }),
    },
    cost,
    now: clock.now,
    goOn: goOnBy(ask),
  });
}

/** A cap is a question too: one without a call. */
export const goOnBy = (ask: Ask | undefined): CapsOptions['goOn'] =>
  ask &&
  (async (show, signal) => {
    const call: Call = { type: 'call', id: '', vendorId: '', name: '', input: null };
    return (await ask({ call, access: { show }, why: '', from: [] }, signal)).allow;
  });

function least(...values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}
