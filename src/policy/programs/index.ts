import { lookup } from '../lookup.ts';
import type { Command } from '../shell/index.ts';
import { files } from './files.ts';
import { git } from './git.ts';
import { builtins } from './shell-builtins.ts';
import { text } from './text.ts';
import type { Judgement, Programs } from './types.ts';
import { versions } from './versions.ts';

export { DANGEROUS_TEXT, destroys, type Spot } from './destructive.ts';
export { judgeAssignment } from './environment.ts';
export { subcommandOf } from './git.ts';
export type { Judgement, Read } from './types.ts';

const PROGRAMS: Programs = { ...versions, ...builtins, ...files, ...text, git };

/** @returns what a command would read, or why it may do more than read */
export function judgeCommand({ name, words, wrapper }: Command): Judgement {
  if (wrapper) return { reads: [] };
  if (name === null) return 'the shell computes which command runs';
  const bare = /^(?:\/usr)?\/bin\/([^/]+)$/.exec(name)?.[1] ?? name;
  const program = lookup(PROGRAMS, bare);
  return program ? program(words) : `${name} is not known to only read`;
}
