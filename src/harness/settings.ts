/** Settings: one value, made at the door of flags and files; whoever reads it later finds it whole and checked. */

import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { MODES, type Mode } from '../policy/types.ts';

export { MODES, type Mode };

const Strings = z.array(z.string());
const Count = z.int().check(z.positive());
const Dollars = z.number().check(z.nonnegative());
const Switch = z.enum(['on', 'off']);
const Theme = z.enum(['dark', 'light', 'colour-blind', 'none']);

/** An endpoint beside those of the catalog, or a change of one. */
const Vendor = z.strictObject({
  baseUrl: z.string(),
  dialect: z.exactOptional(z.enum(['anthropic', 'openai-chat', 'openai-responses'])),
  /** Environment variables that may hold the key; `[]` where none is needed. */
  keys: z.exactOptional(Strings),
  model: z.exactOptional(z.string()),
});

/** What the catalog does not know, or has wrong: tokens, and US dollars for a million of them. */
const ModelInfo = z.strictObject({
  window: z.exactOptional(z.int()),
  output: z.exactOptional(z.int()),
  images: z.exactOptional(z.boolean()),
  /** It can't call tools by itself: they are described to it, and its calls are read from its text. */
  textCalls: z.exactOptional(z.boolean()),
  price: z.exactOptional(
    z.strictObject({
      input: Dollars,
      output: Dollars,
      cacheRead: z.exactOptional(Dollars),
      cacheWrite: z.exactOptional(Dollars),
    }),
  ),
});

const Settings = z.partial(
  z.strictObject({
    model: z.string(),
    effort: z.string(),
    fallbackModel: z.string(),
    baseUrl: z.string(),
    maxTurns: Count,
    /** US dollars. */
    maxCost: z.number().check(z.positive()),
    /** Seconds. */
    maxTime: z.number().check(z.positive()),
    permissionMode: z.enum(MODES),
    permissions: z.partial(z.strictObject({ allow: Strings, ask: Strings, deny: Strings })),
    sandbox: Switch,
    undo: Switch,
    tools: Strings,
    addDirs: Strings,
    systemPrompt: z.string(),
    appendSystemPrompt: z.string(),
    /** Sentences of rein's own, by the names that `rein prompts` lists, in other words. */
    prompts: z.record(z.string(), z.string()),
    /** The model of a kind of sub-agent: `explore` may do with a cheaper one. */
    agentModels: z.record(z.string(), z.string()),
    vendors: z.record(z.string(), Vendor),
    models: z.record(z.string(), ModelInfo),
    /** Private hosts that web_fetch may reach. */
    privateHosts: Strings,
    /** Variables that the agent's shell does not get, beside the keys. */
    hiddenVariables: Strings,
    /** What one command may take, by ulimit: processes of the user in all, bytes of address space, bytes of one file. */
    limits: z.partial(z.strictObject({ processes: Count, memory: Count, file: Count })),
    /** Names of secrets, as in `[secret NAME]`, that are shown as they are. */
    secrets: z.partial(z.strictObject({ off: Strings })),
    theme: Theme,
    /** A shell command whose first line of output stands in place of the status line. */
    statusLine: z.string(),
  }),
);

export type Settings = z.infer<typeof Settings>;

/** What can be set, in this order, and between which words one chooses. */
export const settingKeys = (): readonly { readonly key: string; readonly choices?: readonly string[] }[] =>
  Object.entries(Settings.shape).map(([key, schema]) => {
    const type = schema._zod.def.innerType;
    return { key, ...(type instanceof z.ZodMiniEnum ? { choices: type.options.map(String) } : {}) };
  });

/** The user's own vendors and models, for the catalog. */
export const extraCatalog = ({ vendors, models }: Settings) => ({
  ...(vendors ? { vendors } : {}),
  ...(models ? { models } : {}),
});

/** A piece of settings and where it came from, for the complaint. */
export type Source = {
  readonly name: string;
  readonly value: unknown;
  /** The line in which a key stands. */
  readonly lineOf?: (path: readonly PropertyKey[]) => number | undefined;
};

/** Wrong settings stop the start: a deny list must never be dropped in silence. Its message is for the person. */
export class SettingsError extends Error {}

/** Later sources win; permission lists add up. Throws a `SettingsError` that names source and key. */
export function mergeSettings(sources: readonly Source[]): Settings {
  return sources.map(check).reduce<Settings>(merge, {});
}

function check(source: Source): Settings {
  const checked = Settings.safeParse(source.value);
  if (checked.success) return checked.data;
  // Without a locale zod only says that something is invalid; the words are wanted now, and not at every start.
  z.config(en());
  const issues = Settings.safeParse(source.value).error?.issues ?? checked.error.issues;
  throw new SettingsError(issues.map((issue) => complaint(source, issue)).join(' '));
}

function complaint({ name, lineOf }: Source, issue: z.core.$ZodIssue): string {
  const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  const line = lineOf?.(unknown === undefined ? issue.path : [...issue.path, unknown]);
  const where = line === undefined ? name : `${name}:${line}`;
  return issue.code === 'unrecognized_keys'
    ? `${where}: there is no setting named ${issue.keys.join(', ')}. See docs/settings.md.`
    : `${where}: ${issue.path.join('.') || 'the whole'}: ${issue.message}.`;
}

function merge(before: Settings, after: Settings): Settings {
  const permissions = Object.fromEntries(
    (['allow', 'ask', 'deny'] as const).map((list) => [
      list,
      [...(before.permissions?.[list] ?? []), ...(after.permissions?.[list] ?? [])],
    ]),
  );
  return { ...before, ...after, permissions };
}

/** Reads JSON with comments. Throws a `SettingsError` that names file and line. */
export async function parseSettings(name: string, text: string): Promise<Source> {
  const { findNodeAtLocation, parse, parseTree, printParseErrorCode } = await import('jsonc-parser');
  const errors: { error: number; offset: number; length: number }[] = [];
  const plain = text.replace(/^\uFEFF/, '');
  const value: unknown = plain.trim() === '' ? {} : parse(plain, errors, { allowTrailingComma: true });
  const [first] = errors;
  const lineAt = (offset: number): number => plain.slice(0, offset).split('\n').length;
  const lineOf = (path: readonly PropertyKey[]): number | undefined => {
    const tree = parseTree(plain, [], { allowTrailingComma: true });
    const node =
      tree &&
      findNodeAtLocation(
        tree,
        path.map((step) => (typeof step === 'number' ? step : String(step))),
      );
    return node && lineAt(node.offset);
  };
  if (!first) return { name, value, lineOf };
  const line = lineAt(first.offset);
  throw new SettingsError(`${name}:${line}: ${printParseErrorCode(first.error)}. The file was left as it is.`);
}

/** `--set a.b=value`: the value is JSON where it parses, else text. */
export function parseAssignment(text: string): Source {
  const cut = text.indexOf('=');
  if (cut < 1) throw new SettingsError(`--set ${text}: write it as key=value.`);
  const keys = text.slice(0, cut).split('.');
  const value = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), parseValue(text.slice(cut + 1)));
  return { name: `--set ${text.slice(0, cut)}`, value };
}

/** JSON where it parses, else text. */
export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
