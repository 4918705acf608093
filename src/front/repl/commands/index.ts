import type { Command } from '../types.ts';
import { crewCommands } from './crew.ts';
import { historyCommands } from './history.ts';
import { lookCommands } from './looking.ts';
import { modelCommands } from './model.ts';
import { sessionCommands } from './session.ts';

const builtins: readonly Command[] = [
  ...modelCommands,
  ...sessionCommands,
  ...historyCommands,
  ...crewCommands,
  ...lookCommands,
];

/** All of them, in the order of the alphabet. A name of ours stays ours. */
export const commandsOf = (own: readonly Command[]): readonly Command[] =>
  [...builtins, ...own.filter(({ name }) => !isTaken(name))].toSorted((a, b) => (a.name < b.name ? -1 : 1));

const isTaken = (name: string): boolean =>
  builtins.some((command) => command.name === name || command.aliases?.includes(name));
