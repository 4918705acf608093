/** The process's environment, read in this one place. */
import { homedir } from 'node:os';
import { join } from 'node:path';

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

export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const variables = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const home = variables['HOME'] ?? homedir();
  const own = variables['REIN_HOME'];
  return {
    variables,
    home,
    configFolder: own ?? join(variables['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'rein'),
    stateFolder: own ?? join(variables['XDG_STATE_HOME'] ?? join(home, '.local', 'state'), 'rein'),
    model: variables['REIN_MODEL'] || undefined,
    offline: isSet(variables['REIN_OFFLINE']),
    color: (isTerminal) =>
      !variables['NO_COLOR'] && (isTerminal ? variables['TERM'] !== 'dumb' : isSet(variables['FORCE_COLOR'])),
    isChild: isSet(variables['REIN_CHILD']),
    depth: Number.parseInt(variables['REIN_DEPTH'] ?? '', 10) + 1 || 0,
  };
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== '0';
