import type { Session } from '../../harness/types.ts';
import { findCommand, messageOf } from './commands.ts';
import type { Choice, Command, Host } from './types.ts';

/** What running a line needs of a front end, whatever it looks like. */
export type Desk = {
  readonly host: Host;
  readonly commands: readonly Command[];
  readonly send: (text: string) => void;
  readonly say: (markdown: string) => void;
  /** One line that something is wrong. */
  readonly warn: (text: string) => void;
  readonly choose: (title: string, choices: readonly Choice[]) => Promise<string | undefined>;
  readonly show: (session: Session) => void;
  readonly time: () => number;
  readonly leave: () => void;
};

/** Runs a line: a command, or else a prompt. False where it names a command that isn't there. */
export const runLine = async (desk: Desk, line: string): Promise<boolean> => {
  const found = findCommand(desk.commands, line);
  if (found === undefined) {
    desk.send(line);
    return true;
  }
  if ('unknown' in found) {
    desk.warn(`/${found.unknown} is not a command; /help lists them`);
    return false;
  }
  try {
    await found.command.run(desk, found.args);
  } catch (error) {
    desk.warn(messageOf(error));
  }
  return true;
};
