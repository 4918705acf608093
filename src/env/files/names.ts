/**
 * File names are bytes. Inside this folder a path is a "wide" string, one character a byte, so that path functions work on
 * any name; outside it is text in which bytes that aren't UTF-8 stand as `\xE9`.
 */
import { isUtf8 } from 'node:buffer';

export const wide = (path: string): string => Buffer.from(path, 'utf8').toString('latin1');
export const onDisk = (path: string): Buffer => Buffer.from(path, 'latin1');

/** A path as text: exactly itself where it is UTF-8. */
export const nameOf = (bytes: Buffer): string => {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((size) => at + size <= bytes.length && isUtf8(bytes.subarray(at, at + size)));
    text += length ? bytes.toString('utf8', at, at + length) : escaped('x', bytes[at] ?? 0, 2);
    at += length ?? 1;
  }
  return text;
};

// Controls, blanks that look like a plain one, and marks that nobody sees.
const UNSEEN = /[\x00-\x1f\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff]/g;
const BLANK = /[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const NOTHING = /[\u200b-\u200f\u2060\ufeff]/g;

/** A name on one line, every character of it visible. The file tools accept it as it is shown. */
export const visible = (name: string): string =>
  name.replace(UNSEEN, (char) => {
    const code = char.charCodeAt(0);
    return code < 0x80 ? escaped('x', code, 2) : escaped('u', code, 4);
  });

const escaped = (kind: string, code: number, width: number): string =>
  `\\${kind}${code.toString(16).toUpperCase().padStart(width, '0')}`;

/** The same name to everybody but the file system: composed or not, or written with the escapes that we show. */
export const isTwin = (entry: string, asked: string): boolean =>
  entry.normalize('NFC') === asked.normalize('NFC') || visible(entry) === asked;

/** Names that a reader can't tell apart. */
export const isAlike = (entry: string, asked: string): boolean => fold(entry) === fold(asked);

const fold = (name: string): string =>
  name
    .normalize('NFC')
    .replace(NOTHING, '')
    .replace(BLANK, ' ')
    .replace(/[\u2018\u2019\u02bc]/g, "'");

/** Only such names can have a twin that is spelled otherwise; the rest saves us reading the folder. */
export const mayHaveTwins = (asked: string): boolean => /[^\x21-\x7e]|['\\]/.test(asked);
