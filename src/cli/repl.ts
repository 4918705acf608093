/** `rein` at a terminal: the interactive mode. */
import { join } from 'node:path';
import { createRepl } from '../front/repl/repl.ts';
import type { Host } from '../front/repl/types.ts';
import { createHarness, type Session } from '../harness/index.ts';
import type { Environment } from './environment.ts';
import { type Flags, UsageError } from './flags.ts';
import { loadBase } from './load.ts';
import { openSession } from './prompt.ts';
import { onSignals } from './signals.ts';
import { readVersion } from './version.ts';

export async function runRepl(flags: Flags, words: readonly string[], environment: Environment): Promise<number> {
  const base = await loadBase(flags, environment);
  const repl = createRepl({
    stdin: process.stdin,
    stdout: process.stdout,
    color: environment.color(process.stdout.isTTY === true),
    plain: flags.plain === true || ['', 'dumb'].includes(environment.variables['TERM'] ?? ''),
    version: readVersion(),
    historyFile: join(base.stateFolder, 'history.jsonl'),
    home: environment.home,
    now: () => performance.now(),
    time: () => Date.now(),
  });
  const harness = createHarness({ ...base, ask: repl.ask, warn: repl.warn });
  let session = await openSession(harness, flags, base.cwd);
  const replace = async (next: Session): Promise<Session> => {
    const old = session;
    session = next;
    await old.close();
    return next;
  };
  const host: Host = {
    session: () => session,
    newSession: async () => replace(await must(harness.open({ ephemeral: !flags.session }))),
    resume: async (id) => {
      const found = harness.store.find(base.cwd, id);
      if (typeof found === 'string') throw new Error(found);
      return replace(await must(harness.open({ resume: found.path })));
    },
    listSessions: async () =>
      harness.store.list(base.cwd).map(({ id, title, changed }) => ({ id, title, time: changed })),
    models: async () => harness.models.list(),
  };
  const signals = onSignals(() => ({
    close: async (signal) => {
      repl.dispose();
      await session.close(signal);
    },
    kill: () => {
      repl.dispose();
      session.kill();
    },
  }));
  const code = await repl.run(host, words.length > 0 ? words.join(' ') : undefined);
  await session.close();
  signals.unhook();
  return signals.code() ?? code;
}

async function must(opened: Promise<Session | string>): Promise<Session> {
  const session = await opened;
  if (typeof session === 'string') throw new UsageError(session);
  return session;
}
