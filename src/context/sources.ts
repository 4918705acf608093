/** Text files that tell the agent something, read so that no name, link or byte of theirs can do harm. */
import { decode, type Files } from '../env/files/index.ts';
import { isInside } from '../env/inside.ts';

export type Sources = {
  readonly files: Files;
  /** What a person should know of a file that was left out, cut or cleaned. */
  readonly warn: (text: string) => void;
};

/** `real` is where it lies, links resolved. */
export type Source = { readonly path: string; readonly real: string; readonly text: string };

/** Bytes of one file; more than any of them can use. */
const MAX_BYTES = 256 * 1024;

/** A link may lead to a text; that it leads to a key is never what was meant. */
const TEXT_NAME = /\.(md|mdc|markdown|txt)$/i;

/**
 * A Markdown or text file; undefined where there is none. With `bound` its real place must lie in that folder. Pipes and
 * folders are no files, whatever they are called; nothing is waited for.
 */
export async function readSource(
  { files, warn }: Sources,
  path: string,
  bound: string | null,
): Promise<Source | undefined> {
  try {
    const place = await files.find(path, '/', 'read');
    if (place.stat === undefined) return undefined;
    const wrong = !place.stat.isFile()
      ? 'it is not a file'
      : bound !== null && !isInside(bound, place.path)
        ? `it leads out of ${bound}, to ${place.path}`
        : TEXT_NAME.test(place.path)
          ? undefined
          : `it leads to ${place.path}, and only Markdown and text files are read`;
    if (wrong !== undefined) {
      warn(`${path} was left out: ${wrong}.`);
      return undefined;
    }
    const { sample, size } = await files.peek(place, MAX_BYTES);
    if (size > MAX_BYTES) warn(`${path} has ${size} bytes; the first ${MAX_BYTES} were read.`);
    return { path, real: place.path, text: readText(sample, path, warn) };
  } catch (error) {
    if (!isAbsence(error)) warn(`${path} was left out: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** A part of the path is a file. */
const isAbsence = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOTDIR';

function readText(bytes: Buffer, path: string, warn: Sources['warn']): string {
  // A cut can go through the last character.
  const whole = bytes.length < MAX_BYTES ? bytes : bytes.subarray(0, lastBoundary(bytes));
  const { encoding, text } = decode(whole);
  if (encoding === 'mixed' || encoding === 'Latin-1') warn(`${path} is not UTF-8; what can't be read was replaced.`);
  const clean = text.replaceAll('\0', '').toWellFormed();
  const seen = dropUnseen(clean);
  if (seen !== clean) warn(`${path} holds characters that nobody can see and a model can read; they were removed.`);
  return seen.replaceAll('\r\n', '\n');
}

const lastBoundary = (bytes: Buffer): number => {
  let at = bytes.length;
  while (at > 0 && ((bytes[at - 1] ?? 0) & 0xc0) === 0x80) at--;
  return at > 0 && (bytes[at - 1] ?? 0) >= 0xc0 ? at - 1 : bytes.length;
};

/** Tag characters and the variation selectors beyond the common sixteen: letters in disguise. */
const dropUnseen = (text: string): string => text.replace(/[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu, '');
