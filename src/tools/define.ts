import type { $ZodType } from 'zod/v4/core';
import type { Access, Context, Event, Json, Output, Tool } from '../core/types.ts';
import { describeFields, describeProblem, type Problem, readInput } from './input.ts';
import { type Shape, shapeOf } from './schema.ts';

/** What a tool needs of a schema library: https://standardschema.dev. Zod, Valibot and ArkType schemas all fit. */
export type StandardSchema<I> = {
  readonly '~standard': {
    readonly validate: (value: unknown) => Checked<I> | Promise<Checked<I>>;
  };
};

type Checked<I> =
  | { readonly value: I; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: IssuePath | undefined }[] };

type IssuePath = readonly (PropertyKey | { readonly key: PropertyKey })[];

export type ToolSpec<I, A extends Access> = {
  readonly name: string;
  readonly description: string;
  /** What the call would touch, and what `run` needs of that moment; a string is a complaint for the model. */
  readonly access: (input: I) => A | string | Promise<A | string>;
  /** A generator where there is something to show on the way. */
  readonly run: (input: I, context: Context, access: A) => AsyncGenerator<Event, Output> | Promise<Output>;
} & (
  | { readonly input: $ZodType<I> & StandardSchema<I> }
  /** Another library's schema needs its JSON schema beside it, with an object at the root. */
  | { readonly input: StandardSchema<I>; readonly shape: Shape }
);

/** A tool out of a schema and two functions. Nothing is touched before the input has passed. */
export const defineTool = <I, A extends Access = Access>(spec: ToolSpec<I, A>): Tool => {
  const shape = 'shape' in spec ? spec.shape : shapeOf(spec.input);
  return {
    name: spec.name,
    description: spec.description.trim(),
    input: shape,
    prepare: async (sent) => {
      const input = await checkInput(spec.name, spec.input, shape, sent);
      if (typeof input === 'string') return input;
      const access = await spec.access(input.value);
      if (typeof access === 'string') return access;
      return {
        access,
        run: async function* (context) {
          const output = spec.run(input.value, context, access);
          return Symbol.asyncIterator in output ? yield* output : await output;
        },
      };
    },
  };
};

const checkInput = async <I>(
  name: string,
  schema: StandardSchema<I>,
  shape: Shape,
  sent: Json,
): Promise<{ readonly value: I } | string> => {
  const unknown: Problem[] = [];
  const input = readInput(shape, sent, [], unknown);
  const checked = await schema['~standard'].validate(input);
  if (checked.issues === undefined && unknown.length === 0) return checked;
  const issues = (checked.issues ?? []).map((issue) =>
    describeProblem(shape, input, (issue.path ?? []).map(stepOf), issue.message),
  );
  const problems = [...unknown, ...issues].slice(0, 5).map((problem) => problem.text);
  return `${name} ${problems.join('; ')}. Nothing was done. Its fields: ${describeFields(shape) || 'none'}.`;
};

const stepOf = (step: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof step === 'object' ? step.key : step);

/** A result of one text. */
export const text = (said: string, details?: Json): Output => ({
  content: [{ type: 'text', text: said }],
  ...(details === undefined ? {} : { details }),
});

/** A result that says what went wrong and what to do next; `ERROR: ` is put before it. */
export const failure = (said: string, details?: Json): Output => ({ ...text(`ERROR: ${said}`, details), failed: true });
