import { gitFolders } from '../parts.ts';
import { isInsideRoots, resolve } from '../paths.ts';
import { judgeAssignment } from '../programs/index.ts';
import type { OrderRule, Part, Query } from '../types.ts';

/** Looking at the workspace is free: file tools, and the programs known to do no more. */
export const readOnly: OrderRule = (part, query) => {
  const allow = (why: string) => ({ verdict: 'allow' as const, rule: 'read-only', why });
  if (part.kind === 'command' && isHarmless(part, query)) {
    return allow(
      part.command.wrapper ? 'it only starts what is judged by itself' : 'with these arguments it only reads',
    );
  }
  if (part.kind === 'assignment' && isHarmless(part, query)) return allow('the variable changes nothing that runs');
  if (part.kind !== 'read' || part.path === null || !isInsideRoots(query, part.path)) return null;
  return allow('it reads inside the workspace');
};

/** A command that only reads here, or a variable that changes nothing. */
export const isHarmless = (part: Part, query: Query): boolean =>
  part.kind === 'command'
    ? part.harmless === null && !isArmed(part, query)
    : part.kind === 'assignment' && judgeAssignment(part.assignment) === null;

/** rustup starts the compiler that such a file names, in this folder or above. */
const TOOLCHAIN = /^rust-toolchain(?:\.toml)?$/;

/** Even `git status` runs what a hostile repository's configuration names; a sandbox walls that in. */
function isArmed({ command }: Part & { readonly kind: 'command' }, query: Query): boolean {
  const program = command.name?.split('/').at(-1) ?? '';
  if (query.sandboxed || !/^(?:git|cargo|rustc)$/.test(program)) return false;
  const { disk } = query;
  const arms = (folder: string): boolean =>
    disk.names(folder).some((name) => TOOLCHAIN.test(name)) || (folder !== '/' && arms(resolve(folder, '..')));
  const folders = gitFolders(command, query);
  return (
    folders === null || folders.some((folder) => (program === 'git' ? disk.arms?.(folder) : arms(folder)) ?? false)
  );
}
