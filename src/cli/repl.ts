/** `rein` at a terminal: the interactive mode. */
import { join } from 'node:path';
import { createRepl } from '../front/repl/repl.ts';
import type { ReplOptions } from '../front/repl/types.ts';
import { createHarness, type Session } from '../harness/index.ts';
import { editWith } from './editor.ts';
import type { Environment } from './environment.ts';
import { runFirst } from './first-run.ts';
import { type Flags, UsageError } from './flags.ts';
import { createHost } from './host.ts';
import { loadBase } from './load.ts';
import { ownCommands } from './own-commands.ts';
import { debugOnStderr, openSession } from './prompt.ts';
import { onSignals } from './signals.ts';
import { askTrust } from './trust.ts';
import { readVersion } from './version.ts';
import { warn } from './warn.ts';

export async function runRepl(flags: Flags, words: readonly string[], environment: Environment): Promise<number> {
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const options = screenOptions(flags, environment);
  const load = (given: Environment) => loadBase(flags, given, { warn, ...(isTerminal ? { ask: askTrust } : {}) });
  const base = await load(environment);
  const first = isTerminal && !options.plain ? await findModel(base) : undefined;
  if (first === 'left') return 0;
  const { theme } = base.settings;
  const commands = await ownCommands(base, warn);
  const repl = createRepl({ ...options, commands, ...(theme === undefined ? {} : { theme }) });
  const mine = first ? await load(first.environment) : base;
  const harness = createHarness({ ...mine, ask: repl.ask, warn: repl.warn });
  // On a terminal its lines would go through the screen.
  const watch = flags.debug && process.stderr.isTTY !== true ? debugOnStderr : () => {};
  const { resume, ...fresh } = flags;
  const picks = isTerminal && resume === true && !flags.fork && words.length === 0;
  let session = await openSession(harness, picks ? fresh : flags, mine.cwd);
  void watch(session);
  if (first?.note !== undefined) repl.warn(first.note);
  const host = createHost({
    harness,
    base: mine,
    session: () => session,
    open: async (opening) => {
      const old = session;
      if (opening.resume === old.file && !opening.fork) throw new Error('This session is on the screen already.');
      session = await must(harness.open({ ...opening, ephemeral: !flags.session }));
      void watch(session);
      await old.close();
      return session;
    },
  });
  const unhook = hook(repl.dispose, () => session);
  const code = await repl.run(host, picks ? '/resume' : words.length > 0 ? words.join(' ') : undefined);
  const said = session.entries().some(({ type }) => type === 'message');
  await session.close();
  await first?.close();
  const stopped = unhook();
  if (isTerminal && stopped === undefined && said && session.file !== null) sayHowToGoOn(session.id, options.color);
  return stopped ?? code;

  /** Undefined where there is a model already. */
  async function findModel({ settings }: typeof base) {
    if (settings.model !== undefined) return undefined;
    const probe = createHarness({ ...base, warn });
    if (typeof (await probe.models.find()) === 'string') return undefined;
    return (await runFirst(options, probe, environment)) ?? 'left';
  }
}

function sayHowToGoOn(id: string, color: boolean): void {
  const line = `rein -r ${id} goes on with this session`;
  process.stdout.write(color ? `\x1b[2m${line}\x1b[22m\n` : `${line}\n`);
}

/** However it ends, the terminal is given back before anything else is written to it. */
function hook(dispose: () => void, session: () => Session): () => number | undefined {
  const signals = onSignals(() => ({
    close: async (signal) => {
      dispose();
      await session().close(signal);
    },
    kill: () => {
      dispose();
      session().kill();
    },
  }));
  process.on('uncaughtExceptionMonitor', dispose);
  process.on('exit', dispose);
  return () => {
    signals.unhook();
    process.off('uncaughtExceptionMonitor', dispose);
    process.off('exit', dispose);
    return signals.code();
  };
}

function screenOptions(flags: Flags, { variables, stateFolder, home, color }: Environment): ReplOptions {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    color: color(process.stdout.isTTY === true),
    plain: flags.plain === true || ['', 'dumb'].includes(variables['TERM'] ?? ''),
    version: readVersion(),
    historyFile: join(stateFolder, 'history.jsonl'),
    home,
    now: () => performance.now(),
    time: () => Date.now(),
    edit: editWith(variables['VISUAL'] || variables['EDITOR'] || 'vi'),
    copy: async (text) => (await import('./host/clipboard.ts')).copyText(text, variables),
    suspend: () => void process.kill(0, 'SIGTSTP'),
    osc9: knowsOsc9(variables),
  };
}

/** Others would print it, or take a progress for a notification. */
const knowsOsc9 = (variables: Environment['variables']): boolean =>
  ['ghostty', 'WezTerm'].includes(variables['TERM_PROGRAM'] ?? '') ||
  variables['WT_SESSION'] !== undefined ||
  variables['ConEmuANSI'] === 'ON';

async function must(opened: Promise<Session | string>): Promise<Session> {
  const session = await opened;
  if (typeof session === 'string') throw new UsageError(session);
  return session;
}
