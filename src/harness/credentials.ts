/** Keys in a file of their own, for those who set no variables: `{"ANTHROPIC_API_KEY": "…"}`, mode 0600. */
import { join } from 'node:path';
import { isObject, tryJson } from '../core/json.ts';
import { changePrivate, readPrivate } from '../env/private-file.ts';
import { SettingsError } from './settings.ts';

export type Keys = Readonly<Record<string, string>>;

const fileOf = (configFolder: string): string => join(configFolder, 'credentials.json');

/** Throws a `SettingsError` where the file is there and can't be read. Variables win over what it holds. */
export const readKeys = (configFolder: string): Keys => parse(fileOf(configFolder), readPrivate(fileOf(configFolder)));

/** The environment, and from the file what it does not set. */
export function withKeys(configFolder: string, variables: Keys): Keys {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value.trim() !== ''));
  return { ...readKeys(configFolder), ...set };
}

/** Adds or replaces one key; the others stay, whoever wrote them meanwhile. */
export async function saveKey(configFolder: string, variable: string, key: string): Promise<void> {
  if (!/^[A-Za-z_]\w*$/.test(variable)) throw new SettingsError(`${variable} is no name of a variable.`);
  if (key.trim() === '') throw new SettingsError(`the key for ${variable} is empty.`);
  const path = fileOf(configFolder);
  await changePrivate(
    path,
    (before) => `${JSON.stringify({ ...parse(path, before), [variable]: key.trim() }, null, 2)}\n`,
  );
}

function parse(path: string, text: string | undefined): Keys {
  if (text === undefined || text.trim() === '') return {};
  const wrong = new SettingsError(`${path} must be an object of names and keys in JSON. The file was left as it is.`);
  const value = tryJson(text);
  if (!isObject(value)) throw wrong;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
