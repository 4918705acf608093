/** Decorates a tool: what it says reaches the log and the model without secrets. */
import type { Context, Event, Json, Output, Prepared, Tool } from '../core/types.ts';
import type { SecretValues } from './secret-values.ts';
import type { Redactor } from './secrets.ts';

/** A marker on disk would be the loss of what it stands for. */
const WRITERS = ['write_file', 'edit_file', 'bash'];

export type Redaction = {
  readonly redactor: Redactor;
  readonly values: SecretValues;
  /** Something in these files was not shown, so nobody has seen them whole. */
  readonly hid: (paths: readonly string[]) => void;
};

export const withRedaction =
  ({ redactor, values, hid }: Redaction) =>
  (tool: Tool): Tool => ({
    ...tool,
    prepare: async (input) => {
      const marker = WRITERS.includes(tool.name) ? redactor.markerIn(JSON.stringify(input)) : undefined;
      if (marker !== undefined) {
        return (
          `${marker} stands for a value that was hidden from you, so it can't be written or run. Nothing was done. ` +
          'Change other parts with edit_file, or let a command read the value from where it is.'
        );
      }
      const prepared = await tool.prepare(input);
      if (typeof prepared === 'string') return redactor.text(prepared);
      const { reads = [], writes = [] } = prepared.access;
      const paths = [...reads, ...writes];
      return {
        ...prepared,
        run: async function* (context) {
          values.notice(paths);
          const output = yield* quietly(prepared.run(context), context, redactor);
          const shown = hideIn(output, redactor);
          if (shown.content !== output.content) hid(paths);
          return shown;
        },
      };
    },
  });

const NOTHING: Output = { content: [] };

/** Its progress, piece by piece, and its output as it is. */
async function* quietly(
  events: ReturnType<Prepared['run']>,
  { call }: Context,
  redactor: Redactor,
): ReturnType<Prepared['run']> {
  const stream = redactor.stream();
  let ended = false;
  try {
    for (;;) {
      const step = await events.next();
      const isProgress = !step.done && 'live' in step.value && step.value.live === 'progress';
      ended = step.done === true;
      const text = step.done ? stream.end() : isProgress ? stream.push(textOf(step.value)) : '';
      if (text !== '') yield { live: 'progress', call, text };
      if (step.done) return step.value;
      if (!isProgress) yield step.value;
    }
  } finally {
    if (!ended) await events.return(NOTHING);
  }
}

const textOf = (event: Event): string => ('live' in event && event.live === 'progress' ? event.text : '');

/** The same output where there was nothing to hide. */
function hideIn(output: Output, { text }: Redactor): Output {
  const content = output.content.map((part) => {
    const shown = part.type === 'text' ? text(part.text) : '';
    return part.type === 'text' && shown !== part.text ? { ...part, text: shown } : part;
  });
  const same = content.every((part, index) => part === output.content[index]);
  const details = output.details === undefined ? {} : { details: hideInJson(output.details, text) };
  return { ...output, ...details, content: same ? output.content : content };
}

function hideInJson(value: Json, text: (text: string) => string): Json {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => hideInJson(item, text));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideInJson(item, text)]));
}
