/** Bytes of a program made safe for a model and a screen. */

// CSI, OSC, device strings, and the two-byte rest.
const ESCAPES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-~]/g;
const CONTROLS = /[\x01-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Decoded with replacement, without escapes and control characters, each line in its last state. */
export const cleanText = (text: string): string =>
  text
    .replace(ESCAPES, '')
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map(lastState)
    .join('\n')
    .replace(/\0/g, '␀')
    .replace(CONTROLS, '');

/** A progress bar draws over itself: what counts is the last drawing. Backspaces take back what `man` prints twice. */
const lastState = (line: string): string => {
  const drawn = line.includes('\r') ? (line.split('\r').findLast((state) => state !== '') ?? '') : line;
  return drawn.includes('\b') ? drawn.replace(/[^\b]\x08/gu, '') : drawn;
};

export const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Text in a foreign encoding has odd high bytes but hardly any control characters; `-print0` lists have NULs only. */
export const isBinary = (bytes: Uint8Array): boolean => {
  const sample = bytes.subarray(0, 8192);
  const controls = sample.filter((byte) => byte < 7 || (byte > 13 && byte < 27) || byte === 127).length;
  const odd = decode(sample).split('\ufffd').length - 1;
  return controls > sample.length / 10 || (controls > sample.length / 50 && odd > sample.length / 10);
};

/** The first bytes of a text, no character and if possible no line cut. */
export const firstBytes = (text: string, limit: number): string => {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  while (end > 0 && isContinuation(bytes[end])) end--;
  const line = bytes.lastIndexOf(10, end);
  return bytes.toString('utf8', 0, line > limit / 2 ? line : end);
};

export const lastBytes = (text: string, limit: number): string => {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let start = bytes.length - limit;
  while (isContinuation(bytes[start])) start++;
  const line = bytes.indexOf(10, start);
  return bytes.toString('utf8', line >= 0 && line < start + limit / 2 ? line + 1 : start);
};

/** Drops the rest of a character whose beginning is not there. */
export const fromCharacter = (bytes: Uint8Array): Uint8Array => {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
};

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
