/** The door in the agent's shell, opened when the first command runs. */
import { type Door, openDoor } from '../../env/door.ts';
import type { Crew } from './crew.ts';

export type ShellDoorOptions = {
  readonly folder: string;
  readonly client: readonly string[];
  readonly path: string;
  readonly crew: Crew;
};

export function createShellDoor({ folder, client, path, crew }: ShellDoorOptions) {
  let door: Door | undefined;
  const open = async () => {
    door = await openDoor(folder, client, (visit, output, signal) => crew.spawn({ ...visit, ...output }, signal));
    return { variables: { PATH: `${door.bin}:${path}` } };
  };
  return { open, close: () => door?.close() };
}
