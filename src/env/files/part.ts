/** A stretch of a file that is too large to hold. */
import type { FileHandle } from 'node:fs/promises';
import { readAt, withFile } from './open.ts';
import type { Place } from './place.ts';
import { decode, type Encoding } from './text.ts';

/** `text` begins at line `start`, `column`; `ends` where the file does. No text: the file has only `lines` lines. */
export type Part =
  | { readonly text: string; readonly encoding: Encoding; readonly ends: boolean }
  | { readonly text?: undefined; readonly lines: number };

export type PartQuery = { readonly start: number; readonly column: number; readonly signal: AbortSignal };

const CHUNK = 1 << 20;
const PART = 1 << 18;

/** Columns count code units of the file (bytes, or pairs of them in UTF-16): a whole line may not fit into memory. */
export const readPart = (place: Place, query: PartQuery): Promise<Part> =>
  withFile(place, async (file) => {
    const head = await readAt(file, 0, PART);
    const { encoding, bom } = decode(head);
    const unit = encoding.startsWith('UTF-16') ? 2 : 1;
    const line = await findLine(file, encoding, bom.length, query);
    if (line.offset === undefined) return { lines: line.lines };
    const bytes = await readAt(file, line.offset + (query.column - 1) * unit, PART);
    const text = decode(Buffer.concat([bom, fromBoundary(bytes, encoding)])).text;
    return { text, encoding, ends: bytes.length < PART };
  });

/** The byte offset of a line, or how many there are. */
const findLine = async (
  file: FileHandle,
  encoding: Encoding,
  begin: number,
  { start, signal }: PartQuery,
): Promise<{ readonly offset: number } | { readonly offset?: undefined; readonly lines: number }> => {
  if (start === 1) return { offset: begin };
  let line = 1;
  let after = begin;
  let position = 0;
  for (;;) {
    signal.throwIfAborted();
    const chunk = await readAt(file, position, CHUNK);
    if (chunk.length === 0) return { lines: position > after ? line : line - 1 };
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) {
      if (!isLineEnd(chunk, at, encoding)) continue;
      line += 1;
      after = position + at + (encoding === 'UTF-16LE' ? 2 : 1);
      // A last line end begins no line of its own.
      if (line === start && (await readAt(file, after, 1)).length > 0) return { offset: after };
    }
    position += chunk.length;
  }
};

const isLineEnd = (chunk: Buffer, at: number, encoding: Encoding): boolean => {
  if (encoding === 'UTF-16LE') return at % 2 === 0 && chunk[at + 1] === 0;
  return encoding !== 'UTF-16BE' || (at % 2 === 1 && chunk[at - 1] === 0);
};

const fromBoundary = (bytes: Buffer, encoding: Encoding): Buffer => {
  if (encoding !== 'UTF-8') return bytes;
  const first = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return first > 0 && first < 4 ? bytes.subarray(first) : bytes;
};
