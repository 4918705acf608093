/** The library's short way in: a session with defaults for all that a program of its own decides otherwise. */

import { realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Model, Tool } from '../core/types.ts';
import { createHarness, type HarnessOptions } from './harness.ts';
import { mergeSettings, type Settings, SettingsError } from './settings.ts';
import type { Ask, Session } from './types.ts';

export type AgentOptions = {
  /** The folder to work in. */
  readonly cwd: string;
  /** `vendor/model[:effort]`, or a model of your own. */
  readonly model?: string | Model;
  /** Tools of your own beside the standard ones. */
  readonly tools?: readonly Tool[];
  /** Names of the standard tools to offer; all unless given. */
  readonly standardTools?: readonly string[];
  /** Rules, as `--allowed-tools` and `--disallowed-tools` take them. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Answers questions; without it what would be asked is refused. */
  readonly ask?: Ask;
  /** Where keys and PATH come from: usually `process.env`. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** The folder for records; nothing is kept unless given. */
  readonly stateFolder?: string;
  /** Anything else that settings can say. */
  readonly settings?: Settings;
  readonly warn?: (text: string) => void;
  readonly fetch?: HarnessOptions['fetch'];
  readonly spawnAgent?: HarnessOptions['spawnAgent'];
};

/** Throws a `SettingsError` whose message says what is missing. No settings files and no project files are read. */
export async function createAgent(options: AgentOptions): Promise<Session> {
  const { model, tools, standardTools, allow = [], deny = [], ask, fetch, spawnAgent, stateFolder } = options;
  // An empty HOME is one that isn't set.
  const home = homedir() || userInfo().homedir;
  const settings = mergeSettings([
    { name: 'settings', value: options.settings ?? {} },
    {
      name: 'options',
      value: {
        permissions: { allow: [...allow], deny: [...deny] },
        ...(typeof model === 'string' ? { model } : {}),
        ...(standardTools ? { tools: [...standardTools] } : {}),
      },
    },
  ]);
  const harness = createHarness({
    cwd: realpathSync(options.cwd),
    settings,
    home,
    configFolder: join(home, '.config', 'rein'),
    stateFolder: stateFolder ?? join(home, '.local', 'state', 'rein'),
    variables: definedOf(options.variables ?? {}),
    offline: false,
    bare: true,
    warn: options.warn ?? (() => {}),
    program: [process.execPath, ownPath('../../bin/rein.cjs')],
    client: [process.execPath, ownPath('../../dist/cli/door.js')],
    ...(typeof model === 'function' ? { model } : {}),
    ...(tools ? { tools } : {}),
    ...(ask ? { ask } : {}),
    ...(fetch ? { fetch } : {}),
    ...(spawnAgent ? { spawnAgent } : {}),
  });
  const session = await harness.open({ ephemeral: stateFolder === undefined });
  if (typeof session === 'string') throw new SettingsError(session);
  return session;
}

const ownPath = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

const definedOf = (variables: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
