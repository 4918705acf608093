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

/** Levels of what a server sends. V8's own writer of JSON goes down by recursion and ends at some thousands. */
const MAX_LEVELS = 500;

/** Throws where `source` is not JSON, or nested too deeply to be written again. */
export function parseJson(source: string, levels = MAX_LEVELS): Json {
  if (isDeeper(source, levels)) throw new Error(`nested more than ${levels} levels deep`);
  return JSON.parse(source);
}

/** Looks at the text, since the value may take a hundred times its size. */
export function isDeeper(source: string, levels = MAX_LEVELS): boolean {
  // An end belongs to every level.
  if (source.length < 2 * levels) return false;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (char === '"') quoted = !quoted;
    else if (quoted) at += char === '\\' ? 1 : 0;
    else if ((char === '{' || char === '[') && ++depth > levels) return true;
    else if (char === '}' || char === ']') depth--;
  }
  return false;
}

/** Undefined where `source` is not JSON, or nested too deeply. */
export function tryJson(source: string): Json | undefined {
  try {
    return parseJson(source);
  } catch {
    return undefined;
  }
}
