import * as z from 'zod/mini';
import type { Output, Tool } from '../core/types.ts';
import { hostOf, refuseForm } from '../env/addresses.ts';
import { type Downloaded, type DownloadOptions, download } from '../env/download.ts';
import { defineTool, failure, text } from './define.ts';
import { decodePage, isBinary } from './web/charset.ts';
import { pageToMarkdown } from './web/page.ts';
import description from './web_fetch.md';

export type WebFetchOptions = Partial<Omit<DownloadOptions, 'wants'>>;

/** UTF-8 bytes of page text in one result; the frame round it has the rest of 32 KB. */
const MAX_OUTPUT = 31 * 1024;
const LIMITS = { timeout: 30_000, maxBytes: 5_000_000 };

const input = () => z.strictObject({ url: z.string(), start: z.optional(z.int().check(z.minimum(0))) });

/** `allowPrivate` comes from the user's own settings; the other options are for tests. */
export const createWebFetch = (options: WebFetchOptions = {}): Tool => {
  /** The page last read, so that its parts fit together. */
  let last: Page | undefined;
  return defineTool({
    name: 'web_fetch',
    description,
    input: input(),
    access: ({ url }) => {
      const address = readAddress(url);
      return typeof address === 'string' ? address : { show: `fetch ${address.href}`, hosts: [hostOf(address)] };
    },
    async *run({ url, start = 0 }, { signal }) {
      const address = readAddress(url);
      if (typeof address === 'string') return failure(address);
      if (start > 0 && last?.asked === address.href) return showPart(last, start);
      const page = await fetchPage(address, { ...LIMITS, ...options }, signal);
      if ('content' in page) return page;
      last = page;
      return showPart(page, start);
    },
  });
};

type Page = { readonly asked: string; readonly heading: string; readonly text: string; readonly failed: boolean };

const readAddress = (given: string): URL | string => {
  const url = URL.parse(given.trim());
  if (url === null) return `"${given.slice(0, 200)}" is not a full address. Write it like https://example.com/page.`;
  const refused = refuseForm(url);
  url.hash = '';
  return refused === undefined ? url : `web_fetch does not open ${given.slice(0, 200)}: ${refused}.`;
};

const fetchPage = async (
  url: URL,
  options: Omit<DownloadOptions, 'wants'>,
  signal: AbortSignal,
): Promise<Page | Output> => {
  const got = await download(url, { ...options, wants: isText }, signal);
  if (got.kind === 'failed') {
    const stopped = signal.aborted ? { stopped: true as const } : {};
    return { ...failure(`${url.href} was not fetched: ${got.why}.`), ...stopped };
  }
  if (got.kind === 'moved') {
    return text(
      `${url.href} redirects to another host and was not followed. Call web_fetch with ${got.to.href} to read it.`,
    );
  }
  const { bytes } = got;
  if (bytes === undefined || isPdf(bytes)) return refuseType(got);
  const decoded = decodePage(bytes, got.charset, got.cut);
  if (isBinary(decoded)) return refuseType(got);
  const body = isHtml(got.mediaType, decoded) ? await pageToMarkdown(decoded, got.url.href, signal) : decoded;
  return { asked: url.href, heading: headingOf(got), text: makeSafe(body), failed: got.status >= 400 };
};

/** Zip files whose names end in `xml`. */
const OFFICE = /openxmlformats|opendocument/;
const TEXT_TYPES = /json|xml|javascript|yaml|toml|sql|graphql|x-sh|octet-stream/;

/** What may be text; the bytes have the last word. */
const isText = (mediaType: string): boolean => {
  const [kind = '', subtype = ''] = mediaType.split('/');
  return (
    kind === '' || kind === 'text' || (kind === 'application' && TEXT_TYPES.test(subtype) && !OFFICE.test(subtype))
  );
};

const isHtml = (mediaType: string, body: string): boolean =>
  /^(text\/html|application\/xhtml\+xml)$/.test(mediaType) ||
  (/^(|application\/octet-stream)$/.test(mediaType) && /^\s*<(!doctype html|html)\b/i.test(body));

const isPdf = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-';

const refuseType = ({ url, mediaType, length, bytes, cut }: Downloaded): Output => {
  const size = length ?? (cut ? undefined : bytes?.length);
  const shown = size === undefined ? 'of unknown size' : `${size.toLocaleString('en')} bytes`;
  const pdf = mediaType === 'application/pdf' || (bytes !== undefined && isPdf(bytes));
  const next = pdf ? 'then `pdftotext` reads it' : 'then look at the file with the right program';
  const kind = pdf ? 'a PDF' : `not text (${mediaType || 'no type'})`;
  return failure(`${url.href} is ${kind}, ${shown}. Download it with bash (\`curl -LO\`), ${next}.`);
};

const headingOf = ({ url, status, mediaType, bytes, cut }: Downloaded): string => {
  const kind = [status === 200 ? '' : `HTTP ${status}`, mediaType].filter((part) => part !== '').join(', ');
  const read = cut ? `, only its first ${bytes?.length.toLocaleString('en')} bytes were read` : '';
  return `${url.href} (${kind}${read})`;
};

/** Tag characters are invisible to people, and a page must not close the frame that marks it as untrusted. */
const makeSafe = (page: string): string =>
  page
    .replace(/[\u{e0000}-\u{e007f}]/gu, '')
    .replace(/<(?=\/?untrusted\b)/gi, '&lt;')
    .toWellFormed();

const showPart = ({ heading, text: page, failed }: Page, start: number): Output => {
  if (start > 0 && start >= page.length) {
    return failure(`start ${start} is past the end: the page has ${page.length} characters.`);
  }
  const rest = page.slice(start);
  const { read } = new TextEncoder().encodeInto(rest, new Uint8Array(MAX_OUTPUT));
  const end = start + read;
  const part = rest.slice(0, read).toWellFormed();
  const more = end < page.length ? ` Call again with start: ${end} for the next part.` : '';
  const note = read < page.length ? `\n[characters ${start} to ${end} of ${page.length}.${more}]` : '';
  const shown = `${heading}\n<untrusted>\n${part || '(empty)'}\n</untrusted>${note}`;
  return failed ? failure(shown) : text(shown);
};
