import type { Command, Host } from '../types.ts';
import { historyCommands } from './history.ts';
import { lookCommands } from './looking.ts';
import { modelCommands } from './model.ts';
import { sessionCommands } from './session.ts';

const builtins: readonly Command[] = [...modelCommands, ...sessionCommands, ...historyCommands, ...lookCommands];

/** Those that this host can run, in the order of the alphabet. */
export const commandsOf = (host: Host, own: readonly Command[]): readonly Command[] =>
  [...builtins, ...own]
    .filter(({ where }) => where === undefined || where(host))
    .toSorted((a, b) => a.name.localeCompare(b.name));
