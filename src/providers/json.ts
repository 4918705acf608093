import type { Json } from '../core/types.ts';

/** Reading what a server sent: nothing here throws on a surprising shape. */
export type JsonObject = { readonly [key: string]: Json };

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One field, for the paths where thousands are read. */
export const field = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** The value at a path of keys, or undefined where the shape differs. */
export function get(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  let here = value;
  for (const key of path) {
    if (typeof key === 'number') here = list(here)[key];
    else here = field(here, key);
  }
  return here;
}

export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

export const count = (value: Json | undefined): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;

export const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

export const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

export const parseJson = (source: string): Json => JSON.parse(source);

/** Undefined where `source` is not JSON. */
export function tryJson(source: string): Json | undefined {
  try {
    return parseJson(source);
  } catch {
    return undefined;
  }
}
