/** argv → one value. Habits from other agents are taken as they come: the table of aliases is their whole price. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { MODES } from '../harness/settings.ts';

export type Flags = {
  readonly print?: string | true;
  readonly continue?: true;
  readonly resume?: string | true;
  readonly fork?: true;
  readonly session: boolean;
  readonly model?: string;
  readonly effort?: string;
  readonly fallbackModel?: string;
  readonly outputFormat: 'text' | 'json' | 'stream-json';
  readonly includePartialMessages?: true;
  readonly jsonSchema?: string;
  readonly maxTurns?: number;
  readonly maxCost?: number;
  /** Seconds. */
  readonly maxTime?: number;
  readonly tools?: readonly string[];
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly permissionMode?: (typeof MODES)[number];
  readonly sandbox?: 'on' | 'off';
  readonly plain?: true;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly cd?: string;
  readonly addDir?: readonly string[];
  readonly worktree?: string | true;
  readonly settings?: readonly string[];
  readonly set?: readonly string[];
  readonly safeMode?: true;
  readonly trust?: true;
  readonly debug?: true;
  readonly offline?: true;
};

/** They have words and flags of their own. */
const COMMANDS = ['sessions', 'undo', 'prompts', 'permissions', 'doctor', 'models'] as const;

/** Kept for commands to come: a prompt must not change its meaning the day they do. */
const RESERVED = ['mcp', 'acp', 'batch', 'view', 'replay', 'completion'];

export type CommandName = (typeof COMMANDS)[number];

export type Invocation =
  | { readonly command: 'prompt'; readonly flags: Flags; readonly words: readonly string[] }
  | { readonly command: CommandName; readonly words: readonly string[] }
  | { readonly command: 'help'; readonly text: string };

/** Wrong words on the command line. */
export class UsageError extends Error {}

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  '--fork-session': ['--fork'],
  '--no-session-persistence': ['--no-session'],
  '--ephemeral': ['--no-session'],
  '--thinking': ['--effort'],
  '--json': ['--output-format=stream-json'],
  '--output-schema': ['--json-schema'],
  '--max-budget-usd': ['--max-cost'],
  '--allowedTools': ['--allowed-tools'],
  '--disallowedTools': ['--disallowed-tools'],
  '--dangerously-skip-permissions': ['--permission-mode=bypass'],
  '--yolo': ['--permission-mode=bypass'],
  '--plan': ['--permission-mode=plan'],
};

/** Words that mean `-p`. */
const ONE_SHOT = ['run', 'exec'];

/** Throws a `UsageError` with one line for the person. */
export function parseFlags(argv: readonly string[]): Invocation {
  const program = declare();
  const given = argv.length === 1 && argv[0] === 'help' ? ['--help'] : argv;
  const [first = '', ...rest] = given;
  const command = COMMANDS.find((name) => name === first);
  if (command) return { command, words: rest };
  if (RESERVED.includes(first)) {
    throw new UsageError(`unknown command: ${first}. A prompt that begins with this word: rein -- ${argv.join(' ')}`);
  }
  const words = ONE_SHOT.includes(first) ? ['--print', ...rest] : given;
  try {
    program.parse(expand(words), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed')
      return { command: 'help', text: `${program.helpInformation()}${AFTER}\n` };
    throw new UsageError(`${error.message.replace(/^error: /, '')} (see rein --help)`);
  }
  const flags: Flags = program.opts();
  return { command: 'prompt', flags, words: program.args };
}

/** What a small command was given. `own` are its own flags; of other words it takes `most`. Throws how it is written. */
export function readWords(words: readonly string[], use: string, most: number, ...own: readonly string[]) {
  const invocation = parseFlags(words.filter((word) => !own.includes(word)));
  if (invocation.command === 'prompt' && invocation.words.length <= most) return invocation;
  throw new UsageError(use);
}

function expand(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const flags = end < 0 ? argv : argv.slice(0, end);
  const expanded = flags.flatMap((word) => {
    const [name = '', ...value] = word.split('=');
    const alias = ALIASES[name];
    return alias ? [[alias[0], ...value].join('='), ...alias.slice(1)] : [word];
  });
  return [...expanded, ...(end < 0 ? [] : argv.slice(end))];
}

function declare(): Command {
  const program = new Command('rein');
  program
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} })
    .usage(
      '[options] [prompt…]\n       rein sessions --help\n       rein undo [--keep | --overwrite]\n       rein prompts [name] | permissions test COMMAND | doctor | models',
    )
    .description('A coding agent in your terminal.')
    .argument('[prompt...]', 'what to do; without -p a conversation begins with it')
    .helpOption('-h, --help', 'show this');
  for (const option of options()) program.addOption(option);
  return program;
}

const AFTER = `
Also: rein run … and rein exec … are rein -p …; --json is -o stream-json; --plan and --yolo are permission modes;
--version prints the version. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a cap was reached, 4 refused,
5 the provider said no, 75 try again later, 130 interrupted. More in docs/.`;

function options(): Option[] {
  return [
    new Option('-p, --print [prompt]', 'answer once, on stdout, and leave'),
    new Option('-c, --continue', 'go on with the newest session of this folder'),
    new Option('-r, --resume [id]', 'go on with a session: id, its first letters, or a path; without one you pick'),
    new Option('--fork', 'with -c or -r: go on in a copy'),
    new Option('--no-session', 'keep no record on disk'),
    new Option('-m, --model <name>', 'vendor/model[:effort]'),
    new Option('--effort <level>', 'how much to think: off, low, medium, high, …'),
    new Option('--fallback-model <name>', 'the model to use when the first is overloaded'),
    new Option('-o, --output-format <format>', 'with -p').choices(['text', 'json', 'stream-json']).default('text'),
    new Option('--include-partial-messages', 'with stream-json: deltas too'),
    new Option('--json-schema <schema>', 'the final answer as JSON of this schema: a file, or JSON'),
    new Option('--max-turns <n>', 'model requests for one prompt (200)').argParser(count),
    new Option('--max-cost <usd>', 'US dollars for the session').argParser(amount),
    new Option('--max-time <time>', 'for one prompt: 90, 90s, 10m, 1h').argParser(duration),
    new Option('--tools <names>', 'only these tools: bash,read_file,…').argParser(list),
    new Option('--allowed-tools <rules>', 'run without asking: bash(git *),edit_file,…').argParser(list),
    new Option('--disallowed-tools <rules>', 'never run').argParser(list),
    new Option('--permission-mode <mode>', 'how much it may do').choices(MODES),
    new Option('--sandbox <switch>', 'the wall around commands').choices(['on', 'off']),
    new Option('--plain', 'line by line, for pipes and screen readers'),
    new Option('--system-prompt <text>', 'in place of the built-in one; @FILE reads a file'),
    new Option('--append-system-prompt <text>', 'after the built-in one; @FILE reads a file'),
    new Option('-C, --cd <dir>', 'work in this folder'),
    new Option('-w, --worktree [name]', 'work in a git worktree of its own, on a branch rein/NAME'),
    new Option('--add-dir <dir>', 'a further folder to work in').argParser(append),
    new Option('--settings <file>', 'settings: a file, or JSON').argParser(append),
    new Option('--set <key=value>', 'one setting').argParser(append),
    new Option('--safe-mode', 'read no settings files'),
    new Option('--trust', "this folder's own configuration is in effect, this time"),
    new Option('--offline', 'look for no local servers, fetch no pages'),
    new Option('--debug', 'say on stderr what is going on (in the terminal: where 2> leads elsewhere)'),
  ];
}

const append = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value];

/** Splits at commas and blanks outside brackets, and adds to what came before. */
const list = (value: string, before: readonly string[] | undefined) => {
  // A rule that is cut in two would allow, or deny, more than was meant.
  if (/\([^)]*$|^[^(]*\)/.test(value.replace(/\([^()]*\)/g, ''))) {
    throw new InvalidArgumentError(`A bracket is missing in ${value}`);
  }
  return [...(before ?? []), ...(value.match(/(?:\([^)]*\)|[^,\s(])+/g) ?? [])];
};

function count(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It takes a whole number from 1.');
  return number;
}

function amount(value: string): number {
  const number = Number(value.replace(/^\$/, ''));
  if (!(number > 0 && Number.isFinite(number))) throw new InvalidArgumentError('It takes an amount above 0, as 2.50.');
  return number;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600 };

function duration(value: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([smh]?)$/.exec(value) ?? [];
  const seconds = Number(number) * (UNITS[unit] ?? 1);
  if (!(seconds > 0)) throw new InvalidArgumentError('It takes a time, as 90s, 10m or 1h.');
  return seconds;
}
