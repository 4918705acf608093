/** Files as a person names them: for completion, and to show an image. */
import { createFiles, explain } from '../env/files/index.ts';
import { createRipgrep } from '../env/ripgrep.ts';
import { imageIn } from '../tools/image.ts';
import { DEADLINE, WALK } from '../tools/walk.ts';

export { imageIn } from '../tools/image.ts';

/** Bytes of paths: some hundred thousand files. */
const MEMORY = 64 << 20;

/** All files below a folder, relative to it, in no order: those that `list_files` would show. */
export async function fileNames(cwd: string, signal: AbortSignal): Promise<readonly string[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  await createRipgrep()({
    args: [...WALK, '--files', '--null'],
    cwd,
    signal,
    within: DEADLINE,
    take: (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      return size < MEMORY;
    },
  });
  const names = Buffer.concat(chunks).toString('utf8').split('\0');
  // What stands behind the last NUL was cut off.
  names.pop();
  // A control character would be a key; `list_files` shows such names.
  return names.filter((name) => !/[\p{Cc}\ufffd]/u.test(name));
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
