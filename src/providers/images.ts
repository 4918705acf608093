import type { Content, Image, Message } from '../core/types.ts';

const KINDS = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Of the base64 text; the strictest provider's limit. */
const MAX_BYTES = 5 * 1024 * 1024;

/** Above this count providers shrink what one image may be. Dropped in steps: the cached prefix changes rarely. */
const MAX_COUNT = 20;
const STEP = 10;

export type ImageFilter = (image: Image) => Content;

/** Turns an image that would poison every further request into text. Images must be shown to it in order. */
export function createImageFilter(messages: readonly Message[], seen: boolean): ImageFilter {
  const total = messages.reduce((sum, message) => sum + countImages(message), 0);
  let old = total > MAX_COUNT ? Math.ceil((total - MAX_COUNT) / STEP) * STEP : 0;
  return (image) => {
    const dropped = old-- > 0;
    const why = !seen
      ? 'this model cannot see images'
      : !KINDS.has(image.mediaType)
        ? `${image.mediaType} is not a kind that models read; convert it to PNG`
        : image.data === ''
          ? 'it is empty'
          : image.data.length > MAX_BYTES
            ? 'it is larger than 5 MB; scale it down'
            : dropped
              ? 'it is too far back; read it again if you need it'
              : '';
    return why === '' ? image : { type: 'text', text: `[Image left out: ${why}.]` };
  };
}

const countImages = (message: Message): number =>
  message.role === 'assistant' ? 0 : message.content.filter((part) => part.type === 'image').length;
