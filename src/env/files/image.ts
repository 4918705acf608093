/** Width and height in pixels, from an image's header. */

export type Size = { readonly width: number; readonly height: number };

/** Undefined where the header is cut or broken. */
export const imageSize = (bytes: Buffer, mediaType: string): Size | undefined => {
  try {
    return READERS[mediaType]?.(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

const READERS: Readonly<Record<string, (bytes: Buffer) => Size | undefined>> = {
  'image/png': (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  'image/gif': (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  'image/jpeg': (bytes) => jpegSize(bytes),
  'image/webp': (bytes) => webpSize(bytes),
};

/** JPEG is a chain of segments (marker, length); the size stands in the start-of-frame segment. */
const jpegSize = (bytes: Buffer): Size | undefined => {
  for (let at = 2; ; ) {
    if (bytes.readUInt8(at) !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    // A padding byte, or a marker that stands alone.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd9)) at += 2;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
};

/** https://developers.google.com/speed/webp/docs/riff_container */
const webpSize = (bytes: Buffer): Size | undefined => {
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (chunk === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (chunk !== 'VP8L') return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
};
