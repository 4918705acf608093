/** What is kept from the model and the log in one session, put together. */
import type { Logged } from '../core/types.ts';
import { readKeys } from './credentials.ts';
import type { HarnessOptions } from './harness.ts';
import { createSecretValues, type SecretValues } from './secret-values.ts';
import { createRedactor, type Redactor } from './secrets.ts';

export type Discretion = { readonly redactor: Redactor; readonly values: SecretValues };

/** `before`: the session so far; what is hidden in it must not be written back either. */
export function createDiscretion(
  { variables, settings, cwd, configFolder }: HarnessOptions,
  keyNames: readonly string[],
  before: readonly Logged[],
): Discretion {
  const keys = readKeys(configFolder);
  const values = createSecretValues({ variables, keys, keyNames, roots: [cwd, ...(settings.addDirs ?? [])] });
  const redactor = createRedactor(values.current, settings.secrets?.off);
  for (const entry of before) {
    if (entry.type !== 'message' || entry.message.role !== 'result') continue;
    for (const part of entry.message.content) if (part.type === 'text') redactor.recall(part.text);
  }
  return { redactor, values };
}
