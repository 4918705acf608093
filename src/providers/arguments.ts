import { isObject } from '../core/json.ts';
import type { Json } from '../core/types.ts';
import { cleanArguments } from './clean.ts';

/** `sent` is what goes back in the history: the exact text where it was an object, else valid JSON in its place. */
export type Arguments = { readonly input: Json; readonly sent: string; readonly broken?: string };

/**
 * Reads a call's argument text strictly: nothing missing is added, nothing broken becomes `{}` that runs. Absent,
 * blank and `null` mean no arguments; a JSON string that holds an object was encoded twice and is decoded once.
 */
export function readArguments(source: string): Arguments {
  if (source.trim() === '') return { input: {}, sent: '{}' };
  try {
    const value: Json = JSON.parse(source);
    if (isObject(value)) return { input: value, sent: cleanArguments(source) };
    if (value === null) return { input: {}, sent: '{}' };
    if (typeof value === 'string') {
      const inner: Json = JSON.parse(value);
      if (isObject(inner)) return { input: inner, sent: cleanArguments(value) };
    }
    return { input: {}, sent: '{}', broken: `The arguments must be a JSON object, not: ${excerpt(source)}` };
  } catch (error) {
    const complaint = error instanceof Error ? error.message : String(error);
    return { input: {}, sent: '{}', broken: `The arguments are not valid JSON (${complaint}): ${excerpt(source)}` };
  }
}

const excerpt = (source: string): string =>
  (source.length > 400 ? `${source.slice(0, 200)} … ${source.slice(-200)}` : source).toWellFormed();
