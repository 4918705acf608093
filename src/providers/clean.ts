import { tryJson } from '../core/json.ts';
import type { Json } from '../core/types.ts';

/** What JSON.stringify leaves of a lone surrogate or a NUL. A doubled backslash is a false alarm, never a miss. */
const SUSPECT = /\\u(?:d[89a-f]|0000)/i;

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const cleanText = (text: string): string => text.toWellFormed().replaceAll('\0', '');

/** A tool name that every dialect accepts. */
export const cleanName = (name: string): string =>
  NAME.test(name) ? name : name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown';

/** A request's body as text. Only a body that holds something no server accepts pays for a second walk. */
export function toBody(body: Json): string {
  const first = JSON.stringify(body);
  // Looking for fixed text is much cheaper than the expression, and mostly the end of it.
  const near = first.includes('\\ud') || first.includes('\\u0000');
  return near && SUSPECT.test(first) ? JSON.stringify(cleanJson(body)) : first;
}

/** Argument text stays exactly as it came, unless its escapes stand for half a character or a NUL. */
export function cleanArguments(source: string): string {
  if (!SUSPECT.test(source)) return source;
  const value = tryJson(source);
  if (value === undefined) return source;
  const cleaned = JSON.stringify(cleanJson(value));
  return cleaned === JSON.stringify(value) ? source : cleaned;
}

function cleanJson(value: Json): Json {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleanJson);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [cleanText(key), cleanJson(entry)]));
}
