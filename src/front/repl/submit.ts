import { findCommand, messageOf } from './commands/find.ts';
import type { CommandContext } from './types.ts';

/** What running a line needs of a front end, whatever it looks like. */
export type Desk = CommandContext & {
  /** One line that something is wrong. */
  readonly warn: (text: string) => void;
};

/** Runs a line that names a command: `ran`, `unknown` where there is no such one, `prompt` where it is none. */
export const runCommand = async (desk: Desk, line: string): Promise<'ran' | 'unknown' | 'prompt'> => {
  const found = findCommand(desk.commands, line);
  if (found === undefined) return 'prompt';
  if ('unknown' in found) {
    desk.warn(`/${found.unknown} is not a command; /help lists them`);
    return 'unknown';
  }
  try {
    await found.command.run(desk, found.args);
  } catch (error) {
    desk.warn(messageOf(error));
  }
  return 'ran';
};
