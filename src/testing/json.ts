import type { Json } from '../core/types.ts';

export type JsonObject = { readonly [key: string]: Json };

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The member of that name, or undefined where `value` is no object or lacks it. */
export const field = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** The member at the end of a path of names. */
export const dig = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => field(at, key), value);

export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

export const parseJson = (text: string): Json | undefined => {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
};

/** Equality of values, whatever the order of members. */
export const sameJson = (a: Json | undefined, b: Json | undefined): boolean => {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => sameJson(a[key], field(b, key)));
};
