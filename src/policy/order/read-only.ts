import { gitFolders } from '../parts.ts';
import { isInsideRoots } from '../paths.ts';
import { judgeAssignment } from '../programs/index.ts';
import type { OrderRule, Part, Query } from '../types.ts';

/** Looking at the workspace is free: file tools, and the programs known to do no more. */
export const readOnly: OrderRule = (part, query) => {
  const allow = (why: string) => ({ verdict: 'allow' as const, rule: 'read-only', why });
  if (part.kind === 'command' && part.harmless === null && !isArmed(part, query)) {
    return allow(
      part.command.wrapper ? 'it only starts what is judged by itself' : 'with these arguments it only reads',
    );
  }
  if (part.kind === 'assignment' && judgeAssignment(part.assignment) === null)
    return allow('the variable changes nothing that runs');
  if (part.kind !== 'read' || part.path === null || !isInsideRoots(query, part.path)) return null;
  return allow('it reads inside the workspace');
};

/** Even `git status` runs what a hostile repository's configuration names; a sandbox walls that in. */
function isArmed({ command }: Part & { readonly kind: 'command' }, query: Query): boolean {
  if (query.sandboxed || command.name?.split('/').at(-1) !== 'git') return false;
  const folders = gitFolders(command, query);
  return folders === null || folders.some((folder) => query.disk.arms?.(folder) ?? false);
}
