import type { JsonObject } from '../core/json.ts';
import type { Failure } from '../core/types.ts';

/** What a request can do without, though it is better with it. The last two stand for what is spread over the body. */
const OPTIONAL = [
  'store',
  'stream_options',
  'include',
  'prompt_cache_key',
  'reasoning_effort',
  'reasoning',
  'thinking',
  'output_config',
  'max_completion_tokens',
  'max_tokens',
  'max_output_tokens',
  'strict',
  'cache_control',
  'image',
] as const;

const REFUSAL = new RegExp(
  'unsupported|not support|unknown|unrecognized|unexpected|not (permitted|allowed|enabled)|extra|invalid|' +
    'deprecated|doesn.t support|must be|only|exceed|too large|could not|failed',
);

/** The optional field that a refusal names, if the request held it. The longest name wins: it is the exact one. */
export function refusedField(failure: Failure, body: string, without: ReadonlySet<string>): string | undefined {
  if (failure.kind !== 'request' || (failure.status !== 400 && failure.status !== 422)) return undefined;
  const said = failure.message.toLowerCase();
  if (!REFUSAL.test(said)) return undefined;
  return OPTIONAL.filter((field) => named(field, said) && !without.has(field) && held(field, body)).sort(
    (a, b) => b.length - a.length,
  )[0];
}

const named = (field: string, said: string): boolean => new RegExp(`(?<![a-z_])${field}(?![a-z_])`).test(said);

const held = (field: string, body: string): boolean =>
  body.includes(field === 'image' ? ';base64,' : `"${field}":`) ||
  (field === 'image' && body.includes('"type":"base64"'));

/** The body without what was refused. A limit has a second name, which the dialect then uses. */
export function withoutFields(body: JsonObject, without: ReadonlySet<string>): JsonObject {
  if (without.size === 0) return body;
  const renamed = new Set(['max_tokens', 'max_completion_tokens']);
  return Object.fromEntries(Object.entries(body).filter(([key]) => renamed.has(key) || !without.has(key)));
}
