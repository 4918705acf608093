/** Text of a page in the charset that its byte order mark, its header or the page itself names. */
export const decodePage = (bytes: Uint8Array, declared: string | undefined, cut: boolean): string => {
  const label = markOf(bytes) ?? declared ?? declaredInside(bytes);
  const named = label === undefined ? undefined : decoderFor(label);
  if (named) return named.decode(bytes);
  try {
    // A page may be cut in the middle of a character; `stream` lets that pass.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
};

/** Bytes that no charset makes text of. */
export const isBinary = (text: string): boolean => text.slice(0, 4096).includes('\0');

const markOf = (bytes: Uint8Array): string | undefined => {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined;
};

/** `<meta charset>`, `<meta http-equiv … charset=…>` or an XML declaration; what can be read so is no UTF-16. */
const declaredInside = (bytes: Uint8Array): string | undefined => {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 4096));
  const label =
    /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]+)/i.exec(head)?.[1];
  return label?.toLowerCase().startsWith('utf-16') ? 'utf-8' : label;
};

const decoderFor = (label: string) => {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
};
