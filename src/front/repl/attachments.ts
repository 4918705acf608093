import type { Content, Image } from '../../core/types.ts';
import type { Host } from './host.ts';

const IMAGE_FILE = /^(?:file:\/\/)?(?:\/|~\/|\.{1,2}\/).*\.(?:png|jpe?g|gif|webp)$/i;

export type Attachments = {
  /** A token for an image, to stand in the text. */
  readonly add: (image: Image) => string;
  /** A pasted or dragged path of an image: its token, or what was wrong; undefined where it is neither. */
  readonly takePath: (pasted: string) => Promise<string | { readonly complaint: string }> | undefined;
  /** The text with the images that its tokens stand for. */
  readonly contentOf: (text: string) => string | readonly Content[];
};

/** Images stand in the text as `[image #1]` until it is sent; a token that is deleted takes its image with it. */
export const createAttachments = (host: Host): Attachments => {
  const images: Image[] = [];
  const add = (image: Image): string => `[image #${images.push(image)}]`;
  return {
    add,
    takePath: (pasted) => {
      const path = unquoted(pasted.trim());
      if (path.includes('\n') || !IMAGE_FILE.test(path)) return undefined;
      const name = path.startsWith('file://') ? decodeURIComponent(path.slice('file://'.length)) : path;
      return host.readImage(name).then((read) => (typeof read === 'string' ? { complaint: read } : `${add(read)} `));
    },
    contentOf: (text) => {
      const named = [...text.matchAll(/\[image #(\d+)\]/g)].flatMap(([, number]) => images[Number(number) - 1] ?? []);
      return named.length === 0 ? text : [{ type: 'text', text }, ...new Set(named)];
    },
  };
};

/** Terminals quote what is dragged into them, each in its way. */
const unquoted = (path: string): string =>
  /^'.*'$/.test(path) || /^".*"$/.test(path) ? path.slice(1, -1) : path.replace(/\\(.)/g, '$1');
