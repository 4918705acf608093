/** `rein [prompt]` and `rein -p`: a session is opened, a front end is chosen, a signal ends it. */
import { createHarness, type Json, type Session } from '../harness/index.ts';
import type { Environment } from './environment.ts';
import { checkChildFlags, joinFamily } from './family.ts';
import { type Flags, UsageError } from './flags.ts';
import { loadBase, readSchema } from './load.ts';
import { onSignals } from './signals.ts';
import { readStdin } from './stdin.ts';
import { readVersion } from './version.ts';
import { warn } from './warn.ts';

export async function runPrompt(flags: Flags, words: readonly string[], environment: Environment): Promise<number> {
  // What comes through a pipe is text for the model: no line of it is a command of the person's.
  const once = flags.print !== undefined || environment.isChild || (process.stdin.isTTY !== true && !flags.plain);
  if (!once) {
    const { runRepl } = await import('./repl.ts');
    return runRepl(flags, words, environment);
  }
  return runOnce(flags, words, environment);
}

async function runOnce(flags: Flags, words: readonly string[], environment: Environment): Promise<number> {
  const { printJson } = await import('../front/json.ts');
  const { print } = await import('../front/print.ts');
  const { exitCode } = await import('../front/ending.ts');
  const prompt = await readPrompt(flags, words);
  const family = await joinFamily(environment.isChild);
  if (family) checkChildFlags(flags);
  const base = await loadBase(flags, environment, { warn, isChild: family !== undefined });
  const answerSchema: Json | undefined = flags.jsonSchema === undefined ? undefined : readSchema(flags.jsonSchema);
  const harness = createHarness({ ...base, ...family, warn, ...(answerSchema === undefined ? {} : { answerSchema }) });
  const session = await openSession(harness, flags, base.cwd);
  if (flags.debug) void debugOnStderr(session);
  const signals = onSignals(() => session);
  family?.gone.addEventListener('abort', () => void session.close('SIGTERM'));
  const stdout = process.stdout;
  const lost = watchOutput();
  const ending =
    flags.outputFormat === 'text'
      ? await print({
          session,
          prompt,
          stdout,
          stderr: process.stderr,
          now: () => performance.now(),
          color: environment.color(process.stderr.isTTY === true),
        })
      : await printJson({
          session,
          prompt,
          stdout,
          format: flags.outputFormat,
          includePartialMessages: flags.includePartialMessages === true,
          version: readVersion(),
        });
  await session.close();
  signals.unhook();
  return signals.code() ?? lost() ?? exitCode(ending);
}

export async function debugOnStderr(session: Session): Promise<void> {
  const { debug } = await import('../front/debug.ts');
  await debug(session, { write: (line) => void process.stderr.write(line), now: () => performance.now() });
}

/** A reader that leaves is no fault of ours; a full disk under stdout is a loss that must be told, and fails. */
function watchOutput(): () => number | undefined {
  let error: NodeJS.ErrnoException | undefined;
  process.stdout.once('error', (first) => {
    error = first;
  });
  return () => {
    if (!error || error.code === 'EPIPE') return undefined;
    warn(`the output could not be written: ${error.message}`);
    return 1;
  };
}

/** The session that the flags mean. Throws a `UsageError` where there is none. */
export async function openSession(
  harness: ReturnType<typeof createHarness>,
  flags: Flags,
  cwd: string,
): Promise<Session> {
  const query = flags.resume === true ? undefined : flags.resume;
  const wanted = flags.continue || flags.resume !== undefined;
  const found = wanted ? harness.store.find(cwd, query) : undefined;
  if (typeof found === 'string') throw new UsageError(found);
  if (flags.fork && !found) throw new UsageError('--fork goes with -c or -r.');
  const session = await harness.open({
    ...(found ? { resume: found.path } : {}),
    fork: flags.fork === true,
    ephemeral: !flags.session,
  });
  if (typeof session === 'string') throw new UsageError(session);
  return session;
}

async function readPrompt({ print }: Flags, words: readonly string[]): Promise<string> {
  const given = [...(typeof print === 'string' ? [print] : []), ...words].filter((word) => word !== '-').join(' ');
  const piped = (await readStdin(given === '', warn)).trimEnd();
  const prompt = [given, piped].filter((part) => part.trim() !== '').join('\n\n');
  if (prompt === '')
    throw new UsageError('there is nothing to do: give a prompt, as in rein -p "explain this folder".');
  return prompt;
}
