/** `--json-schema`: the final answer is the input of a tool, checked against the schema by rein itself. */
import { isObject } from '../core/json.ts';
import type { Json, Tool } from '../core/types.ts';
import { FINAL_ANSWER } from './ending.ts';
import { SettingsError } from './settings.ts';

/** Throws a `SettingsError` where the schema is none. A schema whose root is no object is wrapped in `answer`. */
export async function createAnswerTool(schema: Json): Promise<Tool> {
  const z = await import('zod');
  const wrapped = !isObjectSchema(schema);
  const input: Json = wrapped ? { type: 'object', properties: { answer: schema }, required: ['answer'] } : schema;
  const check = compile(() => z.fromJSONSchema(JSON.parse(JSON.stringify(input))));
  return {
    name: FINAL_ANSWER,
    description: 'Gives the final answer.',
    input,
    prepare: async (sent) => {
      const checked = check.safeParse(sent);
      if (!checked.success) return `the answer does not fit the schema: ${z.prettifyError(checked.error)}`;
      const answer = wrapped && isObject(sent) ? (sent['answer'] ?? null) : sent;
      return {
        access: { show: 'give the final answer' },
        run: async function* () {
          yield* [];
          return { content: [{ type: 'text', text: 'Taken.' }], details: answer, end: true };
        },
      };
    },
  };
}

const isObjectSchema = (schema: Json): boolean =>
  isObject(schema) && schema['type'] === 'object' && !['anyOf', 'oneOf', 'allOf'].some((key) => key in schema);

function compile<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new SettingsError(`--json-schema: ${error instanceof Error ? error.message : String(error)}`);
  }
}
