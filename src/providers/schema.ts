import type { JsonObject } from '../core/json.ts';
import type { Json, ToolSchema } from '../core/types.ts';
import { object } from './json.ts';

/** What a tool's root schema may not hold where providers check it; the tool's own check still sees it. */
const REFUSED = new Set(['$schema', 'anyOf', 'oneOf', 'allOf', 'not']);

/** A schema whose root every provider accepts: an object, with `properties` even when there are none. */
export function rootSchema(input: ToolSchema['input']): JsonObject {
  const kept = Object.entries(object(input)).filter(([key]) => !REFUSED.has(key));
  const root: { [key: string]: Json } = { type: 'object', properties: {}, ...Object.fromEntries(kept) };
  return root;
}
