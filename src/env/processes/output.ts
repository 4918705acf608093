import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeKind } from '../files/kind.ts';
import { createEnds, KEPT } from './ends.ts';
import { cleanText, decode, firstBytes, fromCharacter, isBinary, lastBytes } from './text.ts';

/** Bytes: of a result, of a file, of one report of progress. */
const RESULT = 31 * 1024;
const FILE = 100 * 1024 * 1024;
const NEWS = 4 * 1024;

export type Output = {
  readonly write: (chunk: Uint8Array) => void;
  /** Bytes so far. */
  readonly total: () => number;
  /** Safe text from byte `from` on, at most 32 KB: head and tail, and between them where the rest is. */
  readonly text: (from?: number) => string;
  /** What came since the last call, for a screen: at most the last 4 KB. */
  readonly news: () => string;
  /** Where all of it is, once it was more than fits. */
  readonly file: () => string | undefined;
  readonly close: () => void;
};

/** Everything that a command prints, in bounded memory: both ends are kept, all of it goes to `path` when it is much. */
export const createOutput = (path: string): Output => {
  const { keep, slice, total } = createEnds();
  const spill = createSpill(path);
  let seen = 0;
  let decoder = new TextDecoder();

  const spillKept = (): void => {
    if (total() <= 2 * KEPT) spill.write(slice(spill.written(), total()));
  };

  return {
    write: (chunk) => {
      if (total() + chunk.length > 2 * KEPT) {
        spillKept();
        spill.write(chunk);
      }
      keep(chunk);
    },
    total,
    text: (from = 0) => {
      const to = total();
      const tail = to - KEPT;
      const gap = tail > Math.max(from, KEPT);
      const first = slice(from, gap ? KEPT : to);
      const last = gap ? fromCharacter(slice(tail, to)) : first;
      const sample = first.length > 0 ? first : last;
      if (isBinary(sample)) return describeBinary(sample, to - from);
      const ends = [first, last].map((part) => cleanText(decode(part)));
      const [whole = ''] = ends;
      if (!gap && Buffer.byteLength(whole) <= RESULT) return whole;
      spillKept();
      return cut(ends, to - from, spill.describe(to));
    },
    news: () => {
      const from = Math.max(seen, total() - NEWS);
      if (from > seen) decoder = new TextDecoder();
      seen = total();
      const text = decoder.decode(slice(from, seen), { stream: true });
      return cleanText(text);
    },
    file: () => spill.file(),
    close: () => {
      if (total() > RESULT) spillKept();
      spill.close();
    },
  };
};

const describeBinary = (sample: Uint8Array, size: number): string =>
  `[binary output, not shown: ${size.toLocaleString('en')} bytes, ${describeKind(Buffer.from(sample))}; send it to a file or through xxd]`;

const cut = (ends: readonly string[], size: number, where: string): string => {
  const first = firstBytes(ends[0] ?? '', RESULT / 2);
  const last = lastBytes(ends[1] ?? '', RESULT / 2);
  const rest = Math.max(0, size - Buffer.byteLength(first) - Buffer.byteLength(last)).toLocaleString('en');
  return `${first}\n[… ${rest} bytes cut here; ${where} …]\n${last}`;
};

type Spill = {
  readonly write: (bytes: Uint8Array) => void;
  readonly written: () => number;
  readonly describe: (total: number) => string;
  readonly file: () => string | undefined;
  readonly close: () => void;
};

/** A private file that is made when it is needed and never grows beyond the limit. A full disk ends it, not the command. */
const createSpill = (path: string): Spill => {
  let fd: number | undefined;
  let written = 0;
  let broken = false;
  const write = (bytes: Uint8Array): void => {
    const part = bytes.subarray(0, FILE - written);
    if (broken || part.length === 0) return;
    try {
      fd ??= openPrivate(path);
      written += writeSync(fd, part);
    } catch {
      broken = true;
    }
  };
  return {
    write,
    written: () => written,
    describe: (total) => {
      if (written === 0) return 'the rest could not be kept';
      const part = written < total ? `the first ${written.toLocaleString('en')} bytes are` : 'all of it is';
      return `${part} in ${path}, for read_file`;
    },
    file: () => (written > 0 ? path : undefined),
    close: () => {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      broken = true;
    },
  };
};

const openPrivate = (path: string): number => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSync(path, 'wx', 0o600);
};
