/** What a file is, told from its bytes and never from its name. */
import type { Stats } from 'node:fs';
import { refusal } from './problems.ts';

export type Kind =
  | { readonly kind: 'text' }
  | { readonly kind: 'image'; readonly mediaType: string }
  | { readonly kind: 'pdf' }
  | { readonly kind: 'binary'; readonly what: string };

/** How many bytes from the beginning decide. */
export const SAMPLE = 8192;

const MAGIC: readonly (readonly [string, string])[] = [
  ['\x7fELF', 'ELF program'],
  ['MZ', 'Windows program'],
  ['\xcf\xfa\xed\xfe', 'macOS program'],
  ['\xca\xfe\xba\xbe', 'Java class or macOS program'],
  ['\0asm', 'WebAssembly'],
  ['PK\x03\x04', 'zip archive or office document'],
  ['\x1f\x8b', 'gzip archive'],
  ['BZh', 'bzip2 archive'],
  ['\xfd7zXZ', 'xz archive'],
  ['\x28\xb5\x2f\xfd', 'zstd archive'],
  ['7z\xbc\xaf', '7z archive'],
  ['SQLite format 3\0', 'SQLite database'],
  ['ID3', 'MP3 audio'],
  ['OggS', 'Ogg media'],
  ['RIFF', 'RIFF media'],
  ['\0\0\x01\0', 'icon'],
  ['BM', 'BMP image'],
  ['II*\0', 'TIFF image'],
  ['MM\0*', 'TIFF image'],
];

export const kindOf = (sample: Buffer): Kind => {
  const start = sample.toString('latin1', 0, SAMPLE);
  const mediaType = imageType(start);
  if (mediaType !== undefined) return { kind: 'image', mediaType };
  if (start.startsWith('%PDF-')) return { kind: 'pdf' };
  if (isText(start)) return { kind: 'text' };
  return { kind: 'binary', what: MAGIC.find(([magic]) => start.startsWith(magic))?.[1] ?? 'unknown format' };
};

/** Of bytes that are no text, in words. */
export const describeKind = (sample: Buffer): string => {
  const found = kindOf(sample);
  if (found.kind === 'image') return found.mediaType;
  return found.kind === 'binary' ? found.what : found.kind.toUpperCase();
};

const imageType = (start: string): string | undefined => {
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  return start.startsWith('RIFF') && start.startsWith('WEBP', 8) ? 'image/webp' : undefined;
};

const isText = (start: string): boolean => {
  if (start.startsWith('\xff\xfe') || start.startsWith('\xfe\xff')) return true;
  // A log that was allocated ahead ends in NULs; it is still text where lines come before them.
  const written = start.replace(/\0+$/, '');
  if (written.includes('\0') || (written !== start && !written.includes('\n'))) return false;
  const controls = written.match(/[\x01-\x06\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0;
  return controls * 20 <= written.length;
};

/** Refuses what isn't a regular file: it could block, never end, or do something when it is opened. */
export const mustBeFile = (stat: Stats, path: string): void => {
  if (stat.isFile()) return;
  if (stat.isDirectory()) throw refusal(`${path} is a folder, not a file.`);
  throw refusal(`${path} is a ${specialKind(stat)}, not a regular file. The file tools leave it alone.`);
};

const specialKind = (stat: Stats): string => {
  if (stat.isFIFO()) return 'named pipe (FIFO)';
  if (stat.isSocket()) return 'socket';
  return stat.isSymbolicLink() ? 'link' : 'device';
};
