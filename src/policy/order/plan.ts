import type { OrderRule } from '../types.ts';

/** In plan mode nothing is written. A command that may write runs only where the sandbox makes that impossible. */
export const plan: OrderRule = (part, query) => {
  if (query.mode !== 'plan') return null;
  const deny = (why: string) => ({ verdict: 'deny' as const, rule: 'plan mode', why });
  if (part.kind === 'write') return deny('nothing is written in plan mode');
  const may =
    part.kind === 'unknown' || part.kind === 'anything' || (part.kind === 'command' && part.harmless !== null);
  return may && !query.sandboxed && query.tool !== 'task'
    ? deny('it may write, and no sandbox keeps it from that; nothing is written in plan mode')
    : null;
};
