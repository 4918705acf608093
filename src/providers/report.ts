import { isObject, list, text, tryJson } from '../core/json.ts';
import type { Json } from '../core/types.ts';
import type { Reported } from './draft.ts';
import { count, get } from './json.ts';

/** Reads the many shapes of an error object: `{type, code, message, status}`, a bare string, one nested in another. */
export function readError(error: Json | undefined): Reported {
  if (typeof error === 'string') return { message: error };
  const inner = get(error, 'error');
  if (inner !== undefined && inner !== null) return readError(inner);
  const code = get(error, 'code');
  const status = [get(error, 'status'), code].map(Number).find((number) => number >= 400 && number < 600);
  // A router's own words are "Provider returned error"; what the provider said is beneath.
  const beneath = text(get(error, 'metadata', 'raw'));
  const said = text(get(error, 'message')) || text(get(error, 'detail')) || plain(get(error, 'detail'));
  return {
    code: [text(get(error, 'type')), text(code)].filter((word) => word !== '' && word !== 'error').join(' '),
    message: [said, beneath].filter((part) => part !== '').join(': '),
    ...(status === undefined ? {} : { status }),
  };
}

const plain = (value: Json | undefined): string => (value === undefined ? '' : JSON.stringify(value));

/** What a failed response says: JSON in any of its shapes, a page's title, or plain text. `now` is the epoch time. */
export function readFailure(
  status: number,
  headers: { get(name: string): string | null },
  body: string,
  now: number,
): Reported {
  const json = tryJson(body);
  const first = list(json)[0] ?? json;
  const read = isObject(first) ? readError(first) : { message: strip(body) };
  const wait = readRetryAfter(headers, now);
  return { ...read, status, ...(wait === undefined ? {} : { retryAfter: wait }) };
}

function strip(body: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1];
  return (title ?? body.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ').trim();
}

/** Milliseconds to wait, from `retry-after-ms`, or `retry-after` in seconds or as a date. */
function readRetryAfter(headers: { get(name: string): string | null }, now: number): number | undefined {
  const exact = headers.get('retry-after-ms');
  if (exact !== null && Number.isFinite(Number.parseFloat(exact))) return count(Number.parseFloat(exact));
  const after = headers.get('retry-after')?.trim();
  if (!after) return undefined;
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
