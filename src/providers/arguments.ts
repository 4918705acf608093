import { isObject } from '../core/json.ts';
import type { Json } from '../core/types.ts';
import { cleanArguments } from './clean.ts';
import { parseJson } from './json.ts';

/** Levels that no tool wants, and that everything which walks through an input can go down. */
const MAX_LEVELS = 100;

/** `sent` is what goes back in the history: the exact text where it was an object, else valid JSON in its place. */
export type Arguments = { readonly input: Json; readonly sent: string; readonly broken?: string };

/**
 * Reads a call's argument text strictly: nothing missing is added, nothing broken becomes `{}` that runs. Absent,
 * blank and `null` mean no arguments; a JSON string that holds an object was encoded twice and is decoded once.
 */
export function readArguments(source: string): Arguments {
  if (source.trim() === '') return { input: {}, sent: '{}' };
  try {
    const value = parseJson(source, MAX_LEVELS);
    if (isObject(value)) return { input: value, sent: cleanArguments(source) };
    if (value === null) return { input: {}, sent: '{}' };
    if (typeof value === 'string') {
      const inner = parseJson(value, MAX_LEVELS);
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
