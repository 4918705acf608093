/** The user's own settings file, changed on their word: comments stay, and a file that can't be read is left alone. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../core/json.ts';
import { changePrivate } from '../env/private-file.ts';
import { DEFAULT_TURNS } from './project-settings.ts';
import { mergeSettings, parseValue, SettingsError, type Source, settingKeys } from './settings.ts';

/** Takes a setting out of the file. */
const DEFAULT = 'default';

/**
 * Sets `a.b` to a value that is JSON where that fits the key, else text. Resolves with the file as it is read now. Throws
 * a `SettingsError` where file or value is wrong; nothing is written then.
 */
export async function saveSetting(configFolder: string, key: string, value: string): Promise<string> {
  const file = realFile(join(configFolder, 'settings.json'));
  const path = key.split('.');
  const wanted = value === DEFAULT ? undefined : fitting(path, value);
  if (wanted === undefined) check(path, undefined);
  const { applyEdits, modify, parse } = await import('jsonc-parser');
  await changePrivate(file, (before = '') => {
    const text = before.replace(/^\uFEFF/, '').trim() === '' ? '{}\n' : before.replace(/^\uFEFF/, '');
    const errors: { error: number; offset: number; length: number }[] = [];
    const whole: unknown = parse(text, errors, { allowTrailingComma: true });
    if (errors.length > 0 || !isObject(whole)) {
      throw new SettingsError(`${file} can't be read as JSON, so it was left as it is. Correct it first.`);
    }
    // A new key goes first: further down it would come between another one and the comment behind it.
    const how = { formattingOptions: { insertSpaces: true, tabSize: 2 }, getInsertionIndex: () => 0 };
    return applyEdits(text, modify(text, path, wanted, how));
  });
  return file;
}

/** `5` is a number where a number is wanted, and a name where a name is. */
function fitting(path: readonly string[], text: string): unknown {
  const value = parseValue(text);
  try {
    check(path, value);
    return value;
  } catch (error) {
    if (value === text) throw error;
    check(path, text);
    return text;
  }
}

const check = (path: readonly string[], value: unknown): void =>
  void mergeSettings([
    { name: '/settings', value: path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) },
  ]);

/** A link to where somebody keeps such files stays one. */
function realFile(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const BUILT_IN: Readonly<Record<string, string>> = {
  maxTurns: String(DEFAULT_TURNS),
  maxCost: 'no limit',
  maxTime: 'no limit',
  permissionMode: 'ask',
  sandbox: 'on',
  undo: 'on',
  theme: 'dark',
};

export type SettingLine = {
  readonly key: string;
  readonly value: string;
  /** What rein takes where nobody has set it, if that is a word or a number. */
  readonly builtIn?: string;
  /** The file or flag that says so. */
  readonly from: string;
  readonly choices?: readonly string[];
};

/** Every setting as it is, rules apart; the later source wins. */
export const listSettings = (sources: readonly Source[]): readonly SettingLine[] =>
  settingKeys()
    .filter(({ key }) => key !== 'permissions')
    .map(({ key, choices }) => {
      const source = sources.findLast(({ value }) => isObject(value) && value[key] !== undefined);
      const value = source && isObject(source.value) ? source.value[key] : undefined;
      const builtIn = value === undefined ? BUILT_IN[key] : undefined;
      return {
        key,
        ...(builtIn === undefined ? {} : { builtIn }),
        value: value === undefined ? DEFAULT : typeof value === 'string' ? value : JSON.stringify(value),
        from: source?.name ?? 'rein',
        ...(choices ? { choices: [...choices, DEFAULT] } : {}),
      };
    });

export type RuleLine = { readonly effect: 'allow' | 'ask' | 'deny'; readonly rule: string; readonly from: string };

/** The permission rules that somebody wrote, the strictest first. */
export const listRules = (sources: readonly Source[]): readonly RuleLine[] =>
  (['deny', 'ask', 'allow'] as const).flatMap((effect) =>
    sources.flatMap(({ name, value }) => {
      const rules = isObject(value) && isObject(value['permissions']) ? value['permissions'][effect] : undefined;
      return Array.isArray(rules) ? rules.map((rule) => ({ effect, rule: String(rule), from: name })) : [];
    }),
  );
