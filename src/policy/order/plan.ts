import type { OrderRule } from '../types.ts';
import { isHarmless } from './read-only.ts';
import { isEffectless } from './task.ts';

/** In plan mode nothing runs that writes, or is not known to leave all as it is; the read-only sandbox is the second wall. */
export const plan: OrderRule = (part, query) => {
  if (query.mode !== 'plan') return null;
  const deny = (why: string) => ({ verdict: 'deny' as const, rule: 'plan mode', why });
  if (part.kind === 'write') return deny('nothing is written in plan mode');
  const looks = part.kind === 'read' || part.kind === 'host' || isHarmless(part, query) || isEffectless(query.tool);
  return looks ? null : deny('it is not known to only read, and nothing is written in plan mode');
};
