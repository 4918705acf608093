import * as z from 'zod/mini';

/** The part of JSON Schema that tools speak. */
export type Shape = {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Shape;
  readonly properties?: { readonly [name: string]: Shape };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
};

/** `z.toJSONSchema` costs 4 ms of every start and more tokens; the nine tools need only these kinds. */
export const shapeOf = (schema: z.core.$ZodType): Shape => {
  const described = z.globalRegistry.get(schema)?.description;
  const description = described === undefined ? {} : { description: described };
  if (schema instanceof z.ZodMiniOptional) return { ...shapeOf(schema.def.innerType), ...description };
  if (schema instanceof z.ZodMiniString) return { type: 'string', ...description };
  if (schema instanceof z.ZodMiniBoolean) return { type: 'boolean', ...description };
  if (schema instanceof z.ZodMiniNumber) {
    return { type: schema instanceof z.ZodMiniNumberFormat ? 'integer' : 'number', ...description };
  }
  if (schema instanceof z.ZodMiniEnum) return { type: 'string', enum: schema.options.map(String), ...description };
  if (schema instanceof z.ZodMiniArray) return { type: 'array', items: shapeOf(schema.def.element), ...description };
  if (schema instanceof z.ZodMiniObject) return { ...objectShape(schema.def.shape), ...description };
  throw new Error(`A tool's input cannot hold a ${schema._zod.def.type}; give its JSON schema as "shape"`);
};

const objectShape = (fields: Readonly<Record<string, z.core.$ZodType>>): Shape => {
  const names = Object.keys(fields);
  const required = names.filter((name) => !(fields[name] instanceof z.ZodMiniOptional));
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, shapeOf(field)]));
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false };
};
