/** From the path in a call to the file, and from what goes wrong on the way to a result. */
import { posix } from 'node:path';
import type { Access, Context, Event, Output } from '../core/types.ts';
import { explain, type Files, type Place, type Purpose, refusal, visible } from '../env/files/index.ts';
import { failure } from './define.ts';

/** `root` is the session's folder, absolute and real: relative paths start there, whatever `bash` did with `cd`. */
export type FilePorts = { readonly files: Files; readonly root: string };

/** A path for people and the model: relative inside the root, every character visible. */
export const showPath = (path: string, root: string): string => {
  const relative = posix.relative(root, path);
  return visible(relative === '' ? '.' : relative.startsWith('../') || relative === '..' ? path : relative);
};

/** The place a call names, or a complaint for the model. */
export const locate = async ({ files, root }: FilePorts, path: string, purpose: Purpose): Promise<Place | string> => {
  try {
    return await files.find(path, root, purpose);
  } catch (error) {
    return wordsFor(error, path);
  }
};

/** The same place again when the call runs. What was allowed is not what a link leads to since then. */
export const relocate = async (ports: FilePorts, path: string, purpose: Purpose, access: Access): Promise<Place> => {
  const place = await ports.files.find(path, ports.root, purpose);
  if ([...(access.reads ?? []), ...(access.writes ?? [])].includes(place.path)) return place;
  throw refusal(`${path} leads to another place than when it was allowed: ${visible(place.path)}. Nothing was done.`);
};

export const mustExist = (place: Place, shown: string): void => {
  if (place.stat === undefined) throw refusal(`there is no ${shown}. Look with list_files.`);
};

type Work<I> = (input: I, context: Context, access: Access) => Promise<Output>;

/** A run that has nothing to say on its way; what the file system refuses becomes its result. */
export const fileRun = <I extends { readonly path?: string | undefined }>(work: Work<I>) =>
  async function* (input: I, context: Context, access: Access): AsyncGenerator<Event, Output> {
    yield* [];
    try {
      return await work(input, context, access);
    } catch (error) {
      if (context.signal.aborted) return { ...failure('stopped by the user.'), stopped: true };
      return failure(wordsFor(error, input.path ?? '.'));
    }
  };

const wordsFor = (error: unknown, path: string): string => {
  const words = explain(error, visible(path));
  if (words === undefined) throw error;
  return words;
};
