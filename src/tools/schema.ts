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
  if (schema instanceof z.core.$ZodOptional) return { ...shapeOf(schema._zod.def.innerType), ...description };
  if (schema instanceof z.core.$ZodString) return { type: 'string', ...description };
  if (schema instanceof z.core.$ZodBoolean) return { type: 'boolean', ...description };
  if (schema instanceof z.core.$ZodNumber) {
    return { type: schema instanceof z.core.$ZodNumberFormat ? 'integer' : 'number', ...description };
  }
  if (schema instanceof z.core.$ZodEnum)
    return { type: 'string', enum: Object.values(schema._zod.def.entries).map(String), ...description };
  if (schema instanceof z.core.$ZodArray)
    return { type: 'array', items: shapeOf(schema._zod.def.element), ...description };
  if (schema instanceof z.core.$ZodObject) return { ...objectShape(schema._zod.def.shape), ...description };
  // What a tool of somebody else's may hold besides.
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return JSON.parse(JSON.stringify(rest));
};

const objectShape = (fields: Readonly<Record<string, z.core.$ZodType>>): Shape => {
  const names = Object.keys(fields);
  const required = names.filter((name) => !(fields[name] instanceof z.core.$ZodOptional));
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, shapeOf(field)]));
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false };
};
