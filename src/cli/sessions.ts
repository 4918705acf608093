/** `rein sessions list | show ID`. */
import { join } from 'node:path';
import { transcript } from '../front/transcript.ts';
import { createStore } from '../harness/index.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './flags.ts';

export async function runSessions(words: readonly string[], environment: Environment): Promise<number> {
  const [verb = 'list', id, ...more] = words;
  const store = createStore(join(environment.stateFolder, 'sessions'), Date.now);
  if (verb === 'list' && id === undefined) {
    for (const { id: session, cwd, changed, title } of store.list()) {
      process.stdout.write(
        `${session}  ${new Date(changed).toISOString().slice(0, 16)}  ${cwd}  ${title.slice(0, 80)}\n`,
      );
    }
    return 0;
  }
  if (verb === 'show' && id !== undefined && more.length === 0) {
    const found = store.find(process.cwd(), id);
    if (typeof found === 'string') throw new UsageError(found);
    process.stdout.write(transcript(store.read(found.path).entries));
    return 0;
  }
  throw new UsageError(`rein sessions ${words.join(' ')}: write rein sessions list, or rein sessions show ID.`);
}
