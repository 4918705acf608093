/** A user's own commands, and skills by name, as slash commands of the interactive mode. */
import type { Command } from '../front/repl/types.ts';
import { expandCommand, findOwnCommands } from '../harness/index.ts';
import type { Base } from './load.ts';

export async function ownCommands(base: Base, warn: (text: string) => void): Promise<readonly Command[]> {
  const own = await findOwnCommands({ ...base, warn });
  return own.map(({ name, description, args, text }) => ({
    name,
    help: description.replace(/\s+/g, ' ').slice(0, 100),
    ...(args === undefined ? {} : { args }),
    run: ({ send }, given) => send(expandCommand(text, given)),
  }));
}
