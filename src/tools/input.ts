import type { Json } from '../core/types.ts';
import type { Shape } from './schema.ts';

export type Problem = { readonly path: readonly string[]; readonly text: string };

/**
 * What models send, made what they meant, and nothing more: a value that was encoded twice is decoded once where the
 * schema wants something other than a string, `null` for an optional field is absence, unknown fields are problems.
 */
export const readInput = (shape: Shape, input: Json, path: readonly string[], problems: Problem[]): Json => {
  const value = decodeOnce(shape, input);
  if (isList(value)) {
    const { items } = shape;
    return items ? value.map((item, index) => readInput(items, item, [...path, `${index}`], problems)) : value;
  }
  return isObject(value) && shape.properties ? readFields(shape, value, path, problems) : value;
};

type JsonObject = { readonly [key: string]: Json };

const readFields = (shape: Shape, value: JsonObject, path: readonly string[], problems: Problem[]): Json => {
  const fields: [string, Json][] = [];
  for (const [name, field] of Object.entries(value)) {
    const known = Object.hasOwn(shape.properties ?? {}, name) ? shape.properties?.[name] : undefined;
    if (field === null && !shape.required?.includes(name)) continue;
    if (known) fields.push([name, readInput(known, field, [...path, name], problems)]);
    else if (shape.additionalProperties === false) problems.push({ path, text: `has no field "${clip(name)}"` });
    else fields.push([name, field]);
  }
  return Object.fromEntries(fields);
};

/** Strings stay strings: `["a"]` is good file content. */
const decodeOnce = (shape: Shape, value: Json): Json => {
  if (typeof value !== 'string' || shape.type === undefined || shape.type === 'string') return value;
  try {
    const decoded: Json = JSON.parse(value);
    return kindOf(decoded) === (shape.type === 'integer' ? 'number' : shape.type) ? decoded : value;
  } catch {
    return value;
  }
};

/** A problem at `path`, worded by what the schema wants there and what came. */
export const describeProblem = (shape: Shape, input: Json, path: readonly string[], message: string): Problem => {
  let wanted: Shape | undefined = shape;
  let value: Json | undefined = input;
  for (const step of path) {
    wanted = isList(value) ? wanted?.items : wanted?.properties?.[step];
    value = childOf(value, step);
  }
  const where = path.length > 0 ? `"${path.join('.')}"` : 'an object with its fields';
  const what = wanted ? describeShape(wanted) : '';
  const why = message === '' || message === 'Invalid input' ? '' : `: ${message}`;
  if (value === undefined) return { path, text: `needs ${where}${what && ` (${what})`}${why}` };
  const came = wanted?.type === kindOf(value) ? JSON.stringify(value).slice(0, 40) : kindOf(value);
  return { path, text: `needs ${where} as ${what || 'something else'}, not ${came}${why}` };
};

export const describeFields = (shape: Shape): string =>
  Object.entries(shape.properties ?? {})
    .map(([name, field]) => `${name} (${describeShape(field)}${shape.required?.includes(name) ? '' : ', optional'})`)
    .join(', ');

const describeShape = (shape: Shape): string => {
  if (shape.enum) return shape.enum.map((option) => `"${option}"`).join(' or ');
  return shape.type === 'array' && shape.items?.properties
    ? `array of {${describeFields(shape.items)}}`
    : (shape.type ?? 'any value');
};

const childOf = (value: Json | undefined, step: string): Json | undefined => {
  if (value === undefined) return undefined;
  if (isList(value)) return value[Number(step)];
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
};

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const isObject = (value: Json): value is JsonObject => kindOf(value) === 'object';

const kindOf = (value: Json): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

const clip = (name: string): string => (name.length > 40 ? `${name.slice(0, 40)}…` : name);
