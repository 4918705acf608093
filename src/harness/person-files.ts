/** Files as a person names them: for completion, and to show an image. */
import { createFiles, explain } from '../env/files/index.ts';
import { createRipgrep } from '../env/ripgrep.ts';
import { imageIn } from '../tools/image.ts';
import { splitNames, walkFiles } from '../tools/walk.ts';

export { imageIn } from '../tools/image.ts';

/** Bytes of paths: some hundred thousand files. */
const MEMORY = 64 << 20;

/** All files below a folder, relative to it, in no order: those that `list_files` would show. */
export async function fileNames(cwd: string, signal: AbortSignal): Promise<readonly string[]> {
  const { names } = await walkFiles(createRipgrep(), { cwd, most: MEMORY }, signal);
  // A control character would be a key; `list_files` shows such names.
  return splitNames(names, 'utf8').filter((name) => !/[\p{Cc}\ufffd]/u.test(name));
}

/** The image in a file, or a sentence why not. */
export async function readImage(path: string, { cwd, home }: { readonly cwd: string; readonly home: string }) {
  const files = createFiles({ home });
  try {
    const place = await files.find(path, cwd, 'read');
    if (place.stat === undefined) return `there is no ${path}.`;
    const read = imageIn(await files.read(place, 256 << 20, 'Shrink it first.'), path);
    return typeof read === 'string' ? read : read.image;
  } catch (error) {
    return explain(error, path) ?? String(error);
  }
}
