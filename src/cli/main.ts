/** The program: argv and environment in, an exit code out. The only place that reads them, and the only exit. */
import { SettingsError } from '../harness/settings.ts';
import { PromptError } from '../harness/types.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { type CommandName, parseFlags, UsageError } from './flags.ts';

const USAGE = 2;

/** Programs that may start each other. A child of a parent has a leash, which counts better. */
const MAX_DEPTH = 3;

async function run(argv: readonly string[]): Promise<number> {
  const invocation = parseFlags(argv);
  if (invocation.command === 'help') {
    process.stdout.write(invocation.text);
    return 0;
  }
  const environment = readEnvironment(process.env);
  if (invocation.command === 'prompt') {
    if (!environment.isChild && environment.depth >= MAX_DEPTH) throw new UsageError(TOO_DEEP);
    const { runPrompt } = await import('./prompt.ts');
    return runPrompt(invocation.flags, invocation.words, environment);
  }
  // They read and change what belongs to the user, outside of every wall.
  if (environment.isChild) throw new UsageError(`a sub-agent can't run rein ${invocation.command}.`);
  const { command: name, words } = invocation;
  if (name !== 'sessions' && words.some((word) => word === '--help' || word === '-h')) {
    const { HELP } = await import('./verbs.ts');
    process.stdout.write(HELP[name]);
    return 0;
  }
  const command = await commands[name]();
  return command(words, environment);
}

const TOO_DEEP = `rein was started by rein, ${MAX_DEPTH} deep. A start file or a hook may call it; if you mean it, unset REIN_DEPTH.`;

type Command = (words: readonly string[], environment: Environment) => Promise<number>;

const commands: Readonly<Record<CommandName, () => Promise<Command>>> = {
  sessions: () => import('./sessions.ts').then(({ runSessions }) => runSessions),
  undo: () => import('./undo.ts').then(({ runUndo }) => runUndo),
  prompts: () => import('./prompts.ts').then(({ runPrompts }) => runPrompts),
  permissions: () => import('./permissions.ts').then(({ runPermissions }) => runPermissions),
  doctor: () => import('./doctor.ts').then(({ runDoctor }) => runDoctor),
  models: () => import('./models.ts').then(({ runModels }) => runModels),
};

function complain(error: unknown): number {
  if ([UsageError, SettingsError, PromptError].some((kind) => error instanceof kind) && error instanceof Error) {
    process.stderr.write(`rein: ${error.message}\n`);
    return USAGE;
  }
  process.stderr.write(`rein: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}

/** Output that a slow reader has not taken yet is not lost: the exit comes when nothing is left to write. */
function leave(code: number): void {
  process.exitCode = code;
  if (process.connected) process.disconnect();
  const streams = [process.stdout, process.stderr].filter(({ writableLength }) => writableLength > 0);
  let left = streams.length;
  const exit = () => process.exit(code);
  if (left === 0) exit();
  for (const stream of streams) {
    stream.once('error', exit);
    stream.write('', () => {
      left--;
      if (left === 0) exit();
    });
  }
}

void run(process.argv.slice(2)).catch(complain).then(leave);
