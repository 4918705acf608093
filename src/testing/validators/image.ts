import { Buffer } from 'node:buffer';

type Size = { readonly type: string; readonly width: number; readonly height: number };

/**
 * Anthropic's rules for one picture: a known kind, named after its bytes, at most 5 MB and 8,000 pixels a side (2,000
 * where a request holds more than 20). Source: platform.claude.com/docs, "Vision".
 */
export const checkImage = (data: string, mediaType: string, pictures: number): readonly string[] => {
  const bytes = Buffer.from(data, 'base64');
  const size = measure(bytes);
  if (!size) return [`image is no PNG, JPEG, GIF or WebP (${bytes.length} bytes)`];
  const side = pictures > 20 ? 2000 : 8000;
  return [
    ...(size.type === mediaType ? [] : [`image is ${size.type} but media_type says ${mediaType}`]),
    ...(bytes.length > 5 * 1024 * 1024 ? [`image exceeds 5 MB: ${bytes.length} bytes`] : []),
    ...(Math.max(size.width, size.height) > side ? [`image exceeds ${side} px: ${size.width}x${size.height}`] : []),
  ];
};

/** Not by `env/files/image.ts`: what judges must not share the mistakes of what it judges. */
const measure = (bytes: Buffer): Size | undefined => {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47)
    return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.length >= 10 && bytes.toString('latin1', 0, 3) === 'GIF')
    return { type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (bytes.length >= 12 && bytes.toString('latin1', 8, 12) === 'WEBP') return measureWebp(bytes);
  return bytes.length >= 3 && bytes.readUIntBE(0, 3) === 0xffd8ff ? measureJpeg(bytes) : undefined;
};

const measureWebp = (bytes: Buffer): Size => {
  const extended = bytes.length >= 30 && bytes.toString('latin1', 12, 16) === 'VP8X';
  return {
    type: 'image/webp',
    width: extended ? bytes.readUIntLE(24, 3) + 1 : 0,
    height: extended ? bytes.readUIntLE(27, 3) + 1 : 0,
  };
};

/** Walks the segments to the frame header; a picture without one has no size, which is no violation. */
const measureJpeg = (bytes: Buffer): Size => {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const frame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (frame) return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return { type: 'image/jpeg', width: 0, height: 0 };
};
