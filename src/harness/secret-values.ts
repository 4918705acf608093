/** The secrets that are known: of the environment, of the file of keys, and of the workspace's `.env` files. */
import { findEnvFiles, isEnvFile, readEnvFile, stampOf } from '../env/env-file.ts';
import { isSecretName, type Secret } from './secrets.ts';

export type SecretSources = {
  readonly variables: Readonly<Record<string, string>>;
  /** Rein's own keys, from wherever they come. */
  readonly keys: Readonly<Record<string, string>>;
  /** Variables that hold keys of vendors. */
  readonly keyNames: readonly string[];
  readonly roots: readonly string[];
};

export type SecretValues = {
  /** The same array as long as nothing changed. */
  readonly current: () => readonly Secret[];
  /** A call is about these paths: an `.env` file among them counts from now on, wherever it is. */
  readonly notice: (paths: readonly string[]) => void;
};

export function createSecretValues({ variables, keys, keyNames, roots }: SecretSources): SecretValues {
  const isKey = (name: string): boolean => keyNames.includes(name);
  const fixed: readonly Secret[] = [
    ...Object.entries({ ...variables, ...keys }).filter(([name]) => isKey(name) || isSecretName(name)),
  ].map(([name, value]) => ({ name, value: value.trim(), ...(isKey(name) || name in keys ? { known: true } : {}) }));
  const files = new Map<string, { readonly stamp: string; readonly secrets: readonly Secret[] }>();
  let searched = false;
  let all: readonly Secret[] = fixed;

  const read = (path: string): boolean => {
    const stamp = stampOf(path);
    const before = files.get(path);
    if (before?.stamp === stamp) return false;
    // What a file once held stays hidden: it may be in a history, or in another file.
    if (stamp !== undefined) files.set(path, { stamp, secrets: [...readEnvFile(path), ...(before?.secrets ?? [])] });
    return stamp !== undefined;
  };
  const look = (paths: Iterable<string>): void => {
    const changed = [...paths].map(read).includes(true);
    if (changed) all = [...fixed, ...[...files.values()].flatMap(({ secrets }) => secrets)];
  };
  return {
    current: () => {
      look(searched ? files.keys() : roots.flatMap(findEnvFiles));
      searched = true;
      return all;
    },
    notice: (paths) => look([...paths.filter(isEnvFile), ...roots.map((root) => `${root}/.env`)]),
  };
}
