/**
 * Whether a value is a record of a log. What a damaged disk or another program left may be JSON and still no record;
 * those that a later version may add pass as they are.
 */
import { isObject } from '../core/json.ts';
import type { Logged } from '../core/types.ts';
import type { Header } from './records.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const has =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(checks).every(([key, check]) => check(value[key]));
/** By its `key`, one of these. */
const oneOf =
  (key: string, kinds: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && (kinds[String(value[key])]?.(value) ?? false);

const part = oneOf('type', {
  text: has({ text }),
  thinking: has({ text }),
  image: has({ mediaType: text, data: text }),
  call: has({ id: text, vendorId: text, name: text, input: (input) => input !== undefined }),
});
const usage = has({ input: number, output: number, cacheRead: number, cacheWrite: number });
const message = oneOf('role', {
  user: has({ content: listOf(part) }),
  assistant: has({
    content: listOf(part),
    stop: text,
    model: text,
    usage: (value) => value === undefined || usage(value),
  }),
  result: has({ content: listOf(part), call: text, name: text, how: text }),
});

const ENTRIES: Readonly<Record<string, Check>> = {
  opened: has({ cwd: text, system: text, model: text, tools: listOf(has({ name: text, description: text })) }),
  message: has({ message }),
  compaction: has({ summary: text }),
  trim: has({ what: text }),
  grant: has({ rule: text }),
  model: has({ model: text }),
  mode: has({ mode: text }),
  snapshot: has({ tree: text, when: text }),
  label: has({ label: text }),
  usage: has({ usage, model: text, why: text }),
  ended: has({ stop: text }),
};

export const isHeader = (value: unknown): value is Header =>
  isObject(value) && value['rein'] === 1 && has({ session: text, cwd: text, time: number })(value);

export const isEntry = (value: unknown): value is Logged =>
  isObject(value) &&
  has({ id: text, type: text, time: number })(value) &&
  (value['parent'] === null || text(value['parent'])) &&
  (ENTRIES[String(value['type'])]?.(value) ?? true);
