import { isHarmlessAssignment, isHarmlessCommand } from '../harmless.ts';
import { isInsideRoots } from '../paths.ts';
import type { OrderRule, Part, Query } from '../types.ts';

/** Looking at the workspace is free: file tools, and the programs known to do no more. */
export const readOnly: OrderRule = (part, query) => {
  const allow = (why: string) => ({ verdict: 'allow' as const, rule: 'read-only', why });
  if (part.kind === 'command' && isHarmlessCommand(part) && !isArmed(part, query)) {
    return allow(
      part.command.wrapper ? 'it only starts what is judged by itself' : 'with these arguments it only reads',
    );
  }
  if (part.kind === 'assignment' && isHarmlessAssignment(part)) return allow('the variable changes nothing that runs');
  if (part.kind !== 'read' || part.path === null || !isInsideRoots(query, part.path)) return null;
  return allow('it reads inside the workspace');
};

/** Even `git status` runs what a hostile repository's configuration names; a sandbox walls that in. */
const isArmed = ({ command }: Part & { readonly kind: 'command' }, { sandboxed, disk, cwd }: Query): boolean =>
  !sandboxed && command.name?.split('/').at(-1) === 'git' && (disk.arms?.(cwd) ?? false);
