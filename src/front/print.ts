import type { Writable } from 'node:stream';
import type { Assistant, Content } from '../core/types.ts';
import type { Ending, Seen, Session } from '../harness/types.ts';
import { describeEnding } from './ending.ts';
import { follow, isLive } from './events.ts';
import { narrator } from './narrate.ts';
import { createOutput } from './output.ts';
import { oneLine, safe } from './render/safe.ts';
import { plainLook } from './render/theme.ts';

export type PrintOptions = {
  readonly session: Session;
  readonly prompt: string | readonly Content[];
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** False with NO_COLOR, TERM=dumb and where stderr is no terminal. */
  readonly color: boolean;
};

/** `-p`: the committed text of the replies on stdout, progress on stderr where a person watches, the end's reason there. */
export const print = async (options: PrintOptions): Promise<Ending> => {
  const { session, prompt, now } = options;
  const stdout = createOutput(options.stdout);
  const stderr = createOutput(options.stderr);
  const watched = options.stderr.isTTY === true;
  const narrate = narrator(plainLook(options.color && watched), now);
  const see = async (seen: Seen) => {
    const text = committedText(seen);
    if (text !== '') await stdout.write(`${text}\n`);
    if (isLive(seen) && seen.live === 'notice') await stderr.write(`rein: ${oneLine(seen.text, 1000)}\n`);
    else if (watched) for (const row of narrate(seen)) await stderr.write(`${row(1000).join('\n')}\n`);
  };
  const ending = await follow(session, () => session.send(prompt), see, stdout.gone);
  await stdout.flush();
  if (!watched) for (const line of refusals(session)) await stderr.write(`rein: ${line}\n`);
  const problem = ending.stop === 'done' || stdout.gone.aborted ? '' : describeEnding(ending);
  if (problem !== '') await stderr.write(`rein: ${oneLine(problem, 1000)}\n`);
  return ending;
};

const SHOWN = 3;

/** Nobody saw them being refused, and the answer may not say so. */
const refusals = (session: Session): readonly string[] => {
  const all = session.denials().map(({ call, reason }) => {
    const words = reason.replace(/^ERROR: /, '').replace(/\s+/g, ' ');
    return `${oneLine(call.name, 60)}: ${oneLine(words, 400)}`;
  });
  const more = all.length - SHOWN;
  return [...all.slice(0, SHOWN), ...(more > 0 ? [`${more} more calls were refused; -o json lists them.`] : [])];
};

/** What a person reads of a reply: its text, with nothing in it that a terminal would obey. */
export const replyText = (reply: Assistant): string =>
  reply.content
    .flatMap((part) => (part.type === 'text' ? [safe(part.text)] : []))
    .join('\n')
    .trim();

const committedText = (seen: Seen): string =>
  !isLive(seen) && seen.type === 'message' && seen.message.role === 'assistant' ? replyText(seen.message) : '';
