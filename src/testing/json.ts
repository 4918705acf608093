import { field, isObject } from '../core/json.ts';
import type { Json } from '../core/types.ts';

/** The member at the end of a path of names. */
export const dig = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => field(at, key), value);

/** Equality of values, whatever the order of members. */
export const sameJson = (a: Json | undefined, b: Json | undefined): boolean => {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => sameJson(a[key], field(b, key)));
};
