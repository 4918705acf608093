import { field, isObject, type JsonObject, list } from '../core/json.ts';
import type { Json } from '../core/types.ts';

/** The value at a path of keys, or undefined where the shape differs. */
export function get(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  let here = value;
  for (const key of path) {
    if (typeof key === 'number') here = list(here)[key];
    else here = field(here, key);
  }
  return here;
}

export const count = (value: Json | undefined): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;

export const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

export const parseJson = (source: string): Json => JSON.parse(source);
