/**
 * Bounds on requests, money and time. They decorate the model, so nothing gets past them; what a sub-agent may use is
 * reserved before it starts, so several together can't either.
 */
import type { Failure, Model } from '../core/types.ts';

/** `turns`: model requests for one prompt. `cost`: US dollars for the session. `time`: milliseconds for one prompt. */
export type Limits = { readonly turns: number; readonly cost?: number; readonly time?: number };

export type Reservation = { readonly limits: Limits; readonly release: (spent: { readonly turns: number }) => void };

export type Caps = {
  /** A new prompt: requests and time count from here. */
  readonly begin: () => void;
  readonly guard: (model: Model) => Model;
  /** A part of what is left, or a sentence where nothing is. */
  readonly reserve: (wanted: Partial<Limits>) => Reservation | string;
  /** Milliseconds left for this prompt. */
  readonly timeLeft: () => number | undefined;
};

export type CapsOptions = {
  readonly limits: Limits;
  /** US dollars spent so far, by this session and its descendants. */
  readonly cost: () => number;
  readonly now: () => number;
  /** Asks the person whether to go on past a cap; absent where nobody is there. */
  readonly goOn?: ((question: string, signal: AbortSignal) => Promise<boolean>) | undefined;
};

type Cap = NonNullable<Failure['cap']>;

/** What a sub-agent gets of what is left, unless it asks for less: a part, so that something is left for the next one. */
const SHARE = 1 / 4;
const MAX_TURNS = 50;

export function createCaps({ limits, cost, now, goOn }: CapsOptions): Caps {
  const reserved = { turns: 0, cost: 0 };
  let allowed = limits;
  let turns = 0;
  let began = now();

  const left = () => ({
    turns: allowed.turns - turns - reserved.turns,
    cost: allowed.cost === undefined ? undefined : allowed.cost - cost() - reserved.cost,
    time: allowed.time === undefined ? undefined : allowed.time - (now() - began),
  });
  const reached = (): Cap | undefined => {
    const rest = left();
    const caps: readonly Cap[] = ['turns', 'cost', 'time'];
    return caps.find((cap) => (rest[cap] ?? 1) <= 0);
  };
  const raise = (cap: Cap) => {
    allowed = { ...allowed, [cap]: (allowed[cap] ?? 0) + (limits[cap] ?? 0) };
  };

  const guard = (model: Model): Model =>
    async function* (request, signal) {
      for (let cap = reached(); cap; cap = reached()) {
        if (!(await goOn?.(`${describe(cap, allowed)} Go on for as much again?`, signal))) return capped(cap, allowed);
        raise(cap);
      }
      turns++;
      return yield* model(request, signal);
    };

  const reserve = (wanted: Partial<Limits>): Reservation | string => {
    const cap = reached();
    if (cap) return describe(cap, allowed);
    const rest = left();
    const share: Limits = {
      turns: Math.min(wanted.turns ?? Math.min(MAX_TURNS, Math.ceil(rest.turns * SHARE)), rest.turns),
      ...(rest.cost === undefined
        ? pick('cost', wanted.cost)
        : { cost: Math.min(wanted.cost ?? rest.cost * SHARE, rest.cost) }),
      ...(rest.time === undefined
        ? pick('time', wanted.time)
        : { time: Math.min(wanted.time ?? rest.time, rest.time) }),
    };
    reserved.turns += share.turns;
    reserved.cost += share.cost ?? 0;
    const release = (spent: { readonly turns: number }) => {
      reserved.turns -= share.turns;
      reserved.cost -= share.cost ?? 0;
      turns += spent.turns;
    };
    return { limits: share, release };
  };

  const begin = () => {
    turns = 0;
    began = now();
    allowed = { ...limits, ...pick('cost', allowed.cost) };
  };
  return { begin, guard, reserve, timeLeft: () => left().time };
}

const pick = (key: 'cost' | 'time', value: number | undefined) => (value === undefined ? {} : { [key]: value });

function describe(cap: Cap, limits: Limits): string {
  if (cap === 'turns') return `The cap of ${limits.turns} model requests for one prompt is reached (--max-turns).`;
  if (cap === 'cost') return `The cap of $${limits.cost} is reached (--max-cost).`;
  return `The time of ${Math.round((limits.time ?? 0) / 1000)} s for one prompt is over (--max-time).`;
}

const capped = (cap: Cap, limits: Limits) => ({
  role: 'assistant' as const,
  content: [],
  stop: 'error' as const,
  model: '',
  failure: { kind: 'budget' as const, cap, message: describe(cap, limits) },
});
