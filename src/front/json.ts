import type { Writable } from 'node:stream';
import type { Content } from '../core/types.ts';
import type { Ending, Seen, Session } from '../harness/types.ts';
import { follow } from './events.ts';
import { initLine, type Line, resultLine } from './lines.ts';
import { createOutput } from './output.ts';
import { createTranslator } from './translate.ts';

export type JsonOptions = {
  readonly session: Session;
  readonly prompt: string | readonly Content[];
  readonly stdout: Writable;
  /** `json` writes the result line alone. */
  readonly format: 'json' | 'stream-json';
  readonly includePartialMessages?: boolean;
  readonly version: string;
};

/** One JSON object a line and nothing else; the last one is the result, always and once. */
export const printJson = async (options: JsonOptions): Promise<Ending> => {
  const { session, prompt, format, version } = options;
  const stdout = createOutput(options.stdout);
  const write = (line: Line) => stdout.write(`${encode(line)}\n`);
  const translate = createTranslator(session.id, options.includePartialMessages === true);
  if (format === 'stream-json') await write(initLine(session, version));
  const see = async (seen: Seen) => {
    if (format === 'json') return;
    for (const line of translate(seen)) await write(line);
  };
  const ending = await follow(session, () => session.send(prompt), see, stdout.gone);
  await write(resultLine(session, ending));
  await stdout.flush();
  return ending;
};

/** One line even for readers that split at every Unicode line end, and nothing in it that a terminal would obey. */
const encode = (line: Line): string =>
  JSON.stringify(line).replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
