import type { Json } from '../../core/types.ts';

/** What no provider takes, wherever it stands: half of a surrogate pair, or NUL. */
export const checkText = (value: Json, path = 'body'): readonly string[] => {
  if (typeof value === 'string') {
    return [
      ...(value.isWellFormed() ? [] : [`${path}: lone surrogate`]),
      ...(value.includes('\0') ? [`${path}: NUL character`] : []),
    ];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => checkText(member, `${path}.${key}`));
};

/** The names a provider takes for a tool. */
export const checkName = (name: string, path: string): readonly string[] =>
  /^[A-Za-z0-9_-]{1,64}$/.test(name) ? [] : [`${path}: "${name}" must match [A-Za-z0-9_-]{1,64}`];

export const repeated = (ids: readonly string[]): readonly string[] => ids.filter((id, i) => ids.indexOf(id) !== i);
