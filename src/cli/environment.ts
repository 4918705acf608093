/** The process's environment, read in this one place. */
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { UsageError } from './flags.ts';

export type Environment = {
  /** All of it, for keys and for the programs that the agent starts. */
  readonly variables: Readonly<Record<string, string>>;
  readonly home: string;
  /** Settings, instructions and skills of the user. */
  readonly configFolder: string;
  /** Sessions, history, jobs. */
  readonly stateFolder: string;
  readonly model: string | undefined;
  readonly offline: boolean;
  /** Colour on a stream that is, or isn't, a terminal. */
  readonly color: (isTerminal: boolean) => boolean;
  /** A parent waits to send a leash. */
  readonly isChild: boolean;
  /** How many of these programs started each other, this one last. It informs and authorises nothing. */
  readonly depth: number;
};

/** Throws a `UsageError` where a home is named by a relative path: a repository would bring its own settings for the user's. */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const variables = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const home = homeIn(variables, 'HOME') ?? systemHome();
  const own = homeIn(variables, 'REIN_HOME');
  return {
    variables,
    home,
    configFolder: own ?? join(baseIn(variables, 'XDG_CONFIG_HOME') ?? join(home, '.config'), 'rein'),
    stateFolder: own ?? join(baseIn(variables, 'XDG_STATE_HOME') ?? join(home, '.local', 'state'), 'rein'),
    model: variables['REIN_MODEL'] || undefined,
    offline: isSet(variables['REIN_OFFLINE']),
    color: (isTerminal) =>
      !variables['NO_COLOR'] && (isTerminal ? variables['TERM'] !== 'dumb' : isSet(variables['FORCE_COLOR'])),
    isChild: isSet(variables['REIN_CHILD']),
    depth: Number.parseInt(variables['REIN_DEPTH'] ?? '', 10) + 1 || 0,
  };
}

type Variables = Environment['variables'];

/** An empty variable is one that isn't set. */
function homeIn(variables: Variables, name: string): string | undefined {
  const folder = variables[name] || undefined;
  if (folder === undefined || isAbsolute(folder)) return folder;
  throw new UsageError(`${name} must be an absolute path, not ${folder}.`);
}

/** The XDG specification: a relative one is ignored. */
const baseIn = (variables: Variables, name: string): string | undefined =>
  isAbsolute(variables[name] ?? '') ? variables[name] : undefined;

function systemHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    throw new UsageError('HOME is not set, and the system knows no home folder of yours: set HOME.');
  }
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== '0';
