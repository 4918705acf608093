import type { Image } from '../core/types.ts';
import { imageSize, kindOf } from '../env/files/index.ts';

/** What providers take: 5 MB of base64, 8000 pixels a side. */
const BYTES = Math.floor((5 << 20) / 4) * 3;
const SIDE = 8000;

/** The bytes as an image for a model, and its type and size in words; or a sentence why not. */
export function imageIn(bytes: Buffer, name: string): { readonly image: Image; readonly about: string } | string {
  const kind = kindOf(bytes);
  if (kind.kind !== 'image') return `${name} is no image that a model can see (PNG, JPEG, GIF, WebP).`;
  const { mediaType } = kind;
  const size = imageSize(bytes, mediaType);
  if (!size) return `${name} says it is ${mediaType}, but its header is broken.`;
  const pixels = `${size.width}×${size.height} pixels`;
  if (bytes.length > BYTES || Math.max(size.width, size.height) > SIDE) {
    return (
      `${name} is too large to look at: ${bytes.length.toLocaleString('en')} bytes, ${pixels}. The limits are ` +
      `${BYTES.toLocaleString('en')} bytes and ${SIDE} pixels a side. ` +
      'Shrink it with bash, for one: convert IN -resize 1600x1600 OUT.png'
    );
  }
  return { image: { type: 'image', mediaType, data: bytes.toString('base64') }, about: `${mediaType}, ${pixels}` };
}
