/** Reading JSON of which nothing is known: nothing here throws on a surprising shape. */
import type { Json } from './types.ts';

export type JsonObject = { readonly [key: string]: Json };

/** An object and no array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The member of that name; undefined where `value` is no object or lacks it. */
export const field = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

export const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** Undefined where `source` is not JSON. */
export function tryJson(source: string): Json | undefined {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
