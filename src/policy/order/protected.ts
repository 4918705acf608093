import { isProtected } from '../paths.ts';
import type { OrderRule } from '../types.ts';

/** Hooks, start files, editor tasks, CI: what is written there runs later, outside every question. */
export const protectedPaths: OrderRule = (part) => {
  const ask = (path: string) => ({
    verdict: 'ask' as const,
    rule: 'protected path',
    why: `${path} is read or run later by other programs`,
  });
  if (part.kind === 'write' && part.path !== null && isProtected(part.path)) return ask(part.path);
  if (part.kind !== 'command' || part.harmless === null || part.command.name === 'git') return null;
  const path = part.paths.find(isProtected);
  return path === undefined ? null : ask(path);
};
