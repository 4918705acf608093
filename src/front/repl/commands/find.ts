import type { Command } from '../types.ts';

/** The command that a line names, or what is wrong with it; undefined where the line is no command but a prompt. */
export const findCommand = (
  commands: readonly Command[],
  line: string,
): { readonly command: Command; readonly args: string } | { readonly unknown: string } | undefined => {
  // A path is no command: `/etc/hosts looks odd` goes to the model.
  const match = /^\/([a-zA-Z][\w-]*)(?:\s+(.*))?$/s.exec(line.trim());
  if (!match) return undefined;
  const [, name = '', args = ''] = match;
  const wanted = name.toLowerCase();
  const command = commands.find((one) => one.name === wanted || one.aliases?.includes(wanted));
  return command ? { command, args: args.trim() } : { unknown: name };
};

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
