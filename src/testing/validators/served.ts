import type { Served } from '../turn.ts';

/** The replies that each call id came with; a vendor may use an id more than once. */
export const originsByCall = (served: readonly Served[]): ReadonlyMap<string, readonly Served[]> => {
  const origins = new Map<string, Served[]>();
  for (const reply of served) {
    for (const { id } of reply.calls) {
      const same = origins.get(id);
      if (same) same.push(reply);
      else origins.set(id, [reply]);
    }
  }
  return origins;
};
