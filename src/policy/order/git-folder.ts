import { isGitFolder } from '../paths.ts';
import type { OrderRule } from '../types.ts';

/** git's own files are changed by git, never by hand: a hook or a setting there runs later, unseen. */
export const gitFolder: OrderRule = (part, { tool }) =>
  part.kind === 'write' && tool !== 'bash' && part.path !== null && isGitFolder(part.path)
    ? { verdict: 'deny', rule: 'git folder', why: `${part.path} belongs to git and is never written by file tools` }
    : null;
