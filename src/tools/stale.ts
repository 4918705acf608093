/** The check before a file is overwritten: has somebody else changed it since the session saw it? */
import { decode, type Place } from '../env/files/index.ts';
import { makePatch } from './patch.ts';
import { type FilePorts, showPath } from './paths.ts';
import type { Seen } from './seen.ts';

/** The difference is worth showing only where the model gets all of it. */
const SHOWN = 4000;

/** A complaint that shows the difference, once; or undefined where nothing changed. */
export const staleness = async (
  { root, seen }: FilePorts & { readonly seen: Seen },
  place: Place,
  bytes: Buffer,
): Promise<string | undefined> => {
  const sight = seen.check(place.path, bytes);
  if (sight.state !== 'changed') return undefined;
  const said = `${showPath(place.path, root)} changed since it was read or written here. Nothing was done.`;
  if (sight.before === undefined) return `${said} Read it again.`;
  const patch = await makePatch(decode(sight.before).text, decode(bytes).text);
  if (patch.text === '' || patch.text.length > SHOWN) return `${said} Read it again.`;
  seen.caughtUp(place.path, bytes);
  return `${said} What changed since:\n${patch.text}\nSend the call again if it still fits, or read the file again.`;
};
