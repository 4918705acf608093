/** A session in this process, in a world's folders; its sub-agents are the real program. */
import { join } from 'node:path';
import { createHarness, type HarnessOptions, type Session } from '../../src/harness/index.ts';
import { BIN, type World } from './rein.ts';

type Opening = { readonly settings?: HarnessOptions['settings']; readonly ephemeral?: boolean };

export async function openSession(world: World, { settings = {}, ephemeral = false }: Opening = {}): Promise<Session> {
  const harness = createHarness({
    cwd: world.work,
    settings: { permissionMode: 'bypass', ...settings },
    home: world.home,
    configFolder: join(world.home, 'rein'),
    stateFolder: join(world.home, 'rein'),
    variables: world.variables,
    offline: true,
    warn: () => {},
    program: [process.execPath, BIN],
    client: [],
  });
  const session = await harness.open({ ephemeral });
  if (typeof session === 'string') throw new Error(session);
  return session;
}
