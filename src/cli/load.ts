/** Flags, files and variables → the one value that the harness is made of. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type HarnessOptions,
  type Json,
  mergeSettings,
  openWorktree,
  parseAssignment,
  parseSettings,
  type Settings,
  type Source,
} from '../harness/index.ts';
import type { Environment } from './environment.ts';
import { type Flags, UsageError } from './flags.ts';
import { type Doorman, loadProject, type ProjectSettings } from './project.ts';

export type Base = Omit<HarnessOptions, 'ask' | 'goOn' | 'warn' | 'leash' | 'parent' | 'answerSchema'> & {
  /** What `settings` was made of, the weakest first. */
  readonly sources: readonly Source[];
};

export type LoadOptions = Pick<Doorman, 'warn' | 'ask'> & {
  /** A child has its flags and its parent's word, and reads no files of its own. */
  readonly isChild?: boolean;
};

/** Throws `UsageError` and `SettingsError` with one line for the person. */
export async function loadBase(flags: Flags, environment: Environment, options: LoadOptions): Promise<Base> {
  const { variables, home, configFolder, stateFolder } = environment;
  const cwd = await ownFolder(flags, stateFolder, options);
  const { settings, sources, trusted } = await loadSettings(cwd, flags, environment, options);
  return {
    cwd,
    settings,
    sources,
    trusted,
    bare: flags.safeMode === true,
    home,
    configFolder,
    stateFolder,
    variables,
    offline: environment.offline || flags.offline === true,
    program: [process.execPath, ...process.execArgv, ownPath('../../bin/rein.cjs')],
    client: [process.execPath, ownPath(`./door${import.meta.url.slice(-3)}`)],
  };
}

/** The working folder, or a place like it in a working tree of its own. */
async function ownFolder({ cd, worktree }: Flags, stateFolder: string, { warn }: LoadOptions): Promise<string> {
  const folder = workingFolder(cd);
  if (worktree === undefined) return folder;
  const tree = await openWorktree(stateFolder, folder, worktree === true ? undefined : worktree);
  if (typeof tree === 'string') throw new UsageError(tree);
  warn(`working in ${tree.folder}, on the branch ${tree.branch}.`);
  return tree.folder;
}

const ownPath = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

export function workingFolder(cd?: string): string {
  const wanted = resolve(hereOr(cd), cd ?? '.');
  if (!statSync(wanted, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`${wanted} is not a folder.`);
  return realpathSync(wanted);
}

/** A folder can be removed while one stands in it. */
function hereOr(cd: string | undefined): string {
  try {
    return process.cwd();
  } catch {
    if (cd?.startsWith('/')) return '/';
    throw new UsageError('this folder was removed: change to one that exists.');
  }
}

type Loaded = Pick<Base, 'settings' | 'sources'> & { readonly trusted: string | undefined };

async function loadSettings(
  cwd: string,
  flags: Flags,
  { configFolder, stateFolder, model }: Environment,
  { isChild = false, ...doorman }: LoadOptions,
): Promise<Loaded> {
  const file = join(configFolder, 'settings.json');
  const alone = isChild || flags.safeMode === true;
  const user = alone || !existsSync(file) ? [] : [await readSettings(file)];
  const project: ProjectSettings = alone
    ? { sources: [], trusted: undefined }
    : await loadProject(cwd, mergeSettings(user), { ...doorman, stateFolder, trust: flags.trust === true });
  const sources = [
    ...user,
    ...project.sources,
    { name: 'REIN_MODEL', value: isChild || model === undefined ? {} : { model } },
    ...(await Promise.all((flags.settings ?? []).map(readGiven))),
    ...(flags.set ?? []).map(parseAssignment),
    { name: 'flags', value: fromFlags(flags) },
  ];
  const merged = mergeSettings(sources);
  const settings = isChild ? merged : withPromptFiles(merged, configFolder);
  return { settings, sources, trusted: project.trusted };
}

/** `@FILE` in place of a prompt, beside the user's settings. */
function withPromptFiles(settings: Settings, folder: string): Settings {
  if (!settings.prompts) return settings;
  const texts = Object.entries(settings.prompts).map(([name, text]) => {
    const path = text.startsWith('@') ? resolve(folder, text.slice(1)) : undefined;
    return [name, path === undefined ? text : readText(path, `settings: prompts.${name}: ${path} can't be read`)];
  });
  return { ...settings, prompts: Object.fromEntries(texts) };
}

const readGiven = (given: string) =>
  given.trimStart().startsWith('{') ? parseSettings('--settings', given) : readSettings(resolve(given));

const readSettings = (path: string) => parseSettings(path, readText(path, `${path} can't be read`));

function readText(path: string, complaint: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${complaint}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fromFlags(flags: Flags): Settings {
  const given = {
    model: flags.model,
    effort: flags.effort,
    fallbackModel: flags.fallbackModel,
    maxTurns: flags.maxTurns,
    maxCost: flags.maxCost,
    maxTime: flags.maxTime,
    permissionMode: flags.permissionMode,
    sandbox: flags.sandbox,
    tools: flags.tools,
    addDirs: flags.addDir?.map((folder) => workingFolder(folder)),
    systemPrompt: textOrFile(flags.systemPrompt),
    appendSystemPrompt: textOrFile(flags.appendSystemPrompt),
    permissions: { allow: flags.allowedTools ?? [], deny: flags.disallowedTools ?? [] },
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** `@FILE` stands for the text of a file. */
const textOrFile = (value: string | undefined): string | undefined =>
  value?.startsWith('@') ? readText(resolve(value.slice(1)), `${value} can't be read`) : value;

/** `--json-schema`: JSON, or a file of it. */
export function readSchema(given: string): Json {
  const text = given.trimStart().startsWith('{') ? given : readText(resolve(given), `--json-schema ${given}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--json-schema is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
