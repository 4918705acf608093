/** The door in the agent's shell, opened when the first command runs. */
import { type Door, openDoor } from '../../env/door.ts';
import type { Crew } from './crew.ts';

export type ShellDoorOptions = {
  readonly folder: string;
  readonly client: readonly string[];
  readonly path: string;
  readonly crew: Crew;
  readonly warn: (text: string) => void;
};

export type ShellDoor = ReturnType<typeof createShellDoor>;

export function createShellDoor({ folder, client, path, crew, warn }: ShellDoorOptions) {
  let door: Door | undefined;
  let opening: Promise<void> | undefined;
  const make = async () => {
    try {
      door = await openDoor(folder, client, (visit, output, signal) => crew.spawn({ ...visit, ...output }, signal));
    } catch (error) {
      warn(`there are no sub-agents in the shell: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  /** Once; resolves with its folder, and what a shell needs to find it. */
  const open = async () => {
    opening ??= make();
    await opening;
    return { home: door?.home, variables: door ? { PATH: `${door.bin}:${path}` } : {} };
  };
  return { open, close: () => door?.close() };
}
