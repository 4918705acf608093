/** Bytes to text and back, so that what was decoded and not touched is encoded to the very same bytes. */
import { isUtf8 } from 'node:buffer';
import { refusal } from './problems.ts';

/** `mixed` is UTF-8 with stray bytes; each such byte stands in the text as a lone surrogate U+DC80–U+DCFF. */
export type Encoding = 'UTF-8' | 'mixed' | 'Latin-1' | 'UTF-16LE' | 'UTF-16BE';

/** `bom` and `tail` (the odd last byte of a UTF-16 file) stand outside the text. */
export type Coding = { readonly encoding: Encoding; readonly bom: Buffer; readonly tail: Buffer };
export type Decoded = Coding & { readonly text: string };

const NONE = Buffer.alloc(0);
const BOMS: readonly (readonly [Encoding, Buffer])[] = [
  ['UTF-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['UTF-16LE', Buffer.from([0xff, 0xfe])],
  ['UTF-16BE', Buffer.from([0xfe, 0xff])],
];

/** What a new file gets. */
export const PLAIN: Coding = { encoding: 'UTF-8', bom: NONE, tail: NONE };

export const decode = (bytes: Buffer): Decoded => {
  const [marked, bom] = BOMS.find(([, mark]) => bytes.subarray(0, mark.length).equals(mark)) ?? ['UTF-8', NONE];
  const body = bytes.subarray(bom.length);
  if (marked !== 'UTF-8') {
    const even = body.length & ~1;
    const units = marked === 'UTF-16BE' ? Buffer.from(body.subarray(0, even)).swap16() : body.subarray(0, even);
    return { encoding: marked, bom, tail: body.subarray(even), text: units.toString('utf16le') };
  }
  if (isUtf8(body)) return { ...PLAIN, bom, text: body.toString('utf8') };
  const encoding = bom.length === 0 && looksLatin(body) ? 'Latin-1' : 'mixed';
  return { encoding, bom, tail: NONE, text: encoding === 'Latin-1' ? fromLatin(body) : fromMixed(body) };
};

/** Throws a refusal that names the first character which the encoding lacks. */
export const encode = (text: string, { encoding, bom, tail }: Coding): Buffer => {
  const body = {
    'UTF-8': () => Buffer.from(text, 'utf8'),
    mixed: () => toMixed(text),
    'Latin-1': () => toLatin(text),
    'UTF-16LE': () => Buffer.from(text, 'utf16le'),
    'UTF-16BE': () => Buffer.from(text, 'utf16le').swap16(),
  }[encoding]();
  return bom.length + tail.length === 0 ? body : Buffer.concat([bom, body, tail]);
};

// Files called Latin-1 hold Windows-1252 where the two differ; the five bytes that it leaves free keep their number.
const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const LATIN_HIGH = /[\x80-\x9f]/g;
const BEYOND_LATIN = /[^\x00-\xff]/g;

const fromLatin = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(LATIN_HIGH, (char) => HIGH.charAt(char.charCodeAt(0) - 0x80));

const toLatin = (text: string): Buffer => {
  const lacking = /[^\x00-\xff]/u;
  const narrow = text.replace(BEYOND_LATIN, (char) => {
    const at = HIGH.indexOf(char);
    return at < 0 ? char : String.fromCharCode(0x80 + at);
  });
  const stranger = lacking.exec(narrow)?.[0];
  if (stranger === undefined) return Buffer.from(narrow, 'latin1');
  throw refusal(
    `the file is Latin-1, which has no ${JSON.stringify(stranger)}. Nothing was changed. Use other characters, ` +
      'or convert the file to UTF-8 first (bash: iconv).',
  );
};

const fromMixed = (bytes: Buffer): string => {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at);
    if (length === 0) {
      parts.push(bytes.toString('utf8', from, at), String.fromCharCode(0xdc00 + (bytes[at] ?? 0)));
      from = at + 1;
    }
    at += length || 1;
  }
  return parts.join('') + bytes.toString('utf8', from);
};

const toMixed = (text: string): Buffer =>
  Buffer.concat(
    text
      .split(/([\udc80-\udcff])/u)
      .map((part, index) => (index % 2 === 1 ? Buffer.from([part.charCodeAt(0) - 0xdc00]) : Buffer.from(part, 'utf8'))),
  );

/** More stray bytes than multi-byte characters: not UTF-8 that was damaged, but another encoding. */
const looksLatin = (bytes: Buffer): boolean => {
  let balance = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at);
    if (length === 0) balance -= 1;
    if (length > 1) balance += 1;
    at += length || 1;
  }
  return balance < 0;
};

/** How many bytes the UTF-8 character at `at` has; 0 where there is none (RFC 3629: nothing overlong, no surrogates). */
const sequenceAt = (bytes: Buffer, at: number): number => {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return isUtf8(bytes.subarray(at, at + length)) && at + length <= bytes.length ? length : 0;
};
