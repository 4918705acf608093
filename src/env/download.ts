import type { IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { hostOf, resolveName, type VetOptions, type Vetted, vetUrl } from './addresses.ts';

export type DownloadOptions = Partial<VetOptions> & {
  /** Whether a body of this media type ('' where none is named) is worth reading. */
  readonly wants: (mediaType: string) => boolean;
  /** Milliseconds for everything, redirects and body included. */
  readonly timeout: number;
  /** Bytes of the body after decompression; the rest is not read. */
  readonly maxBytes: number;
  /** Where to connect for a vetted address. Tests put a loopback server behind a public one. */
  readonly dial?: (address: string) => string;
};

export type Download =
  | Downloaded
  /** The page is on another host, which somebody else must allow. Its addresses are vetted. */
  | { readonly kind: 'moved'; readonly to: URL }
  /** One line: what went wrong. */
  | { readonly kind: 'failed'; readonly why: string };

export type Downloaded = {
  readonly kind: 'body';
  readonly url: URL;
  readonly status: number;
  readonly mediaType: string;
  readonly charset: string | undefined;
  /** What the server says, in bytes as sent. */
  readonly length: number | undefined;
  /** Undefined where the type was not wanted. */
  readonly bytes: Uint8Array | undefined;
  /** The body is longer than `maxBytes`. */
  readonly cut: boolean;
};

const MAX_REDIRECTS = 5;

const HEADERS = {
  accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.9, */*;q=0.1',
  'accept-encoding': 'gzip, br',
  'user-agent': 'rein',
};

/**
 * GET, bounded in time and size. Every hop's host is vetted and connected to at the vetted addresses only; a hop to
 * another host is not followed. Sends no credentials and keeps no cookies.
 */
export const download = async (from: URL, options: DownloadOptions, signal: AbortSignal): Promise<Download> => {
  const deadline = AbortSignal.timeout(options.timeout);
  const until = AbortSignal.any([signal, deadline]);
  try {
    return await follow(from, options, until);
  } catch (error) {
    if (signal.aborted) return { kind: 'failed', why: 'stopped' };
    if (deadline.aborted) return { kind: 'failed', why: `took longer than ${options.timeout / 1000} s` };
    return { kind: 'failed', why: describeError(error) };
  }
};

const follow = async (from: URL, options: DownloadOptions, signal: AbortSignal): Promise<Download> => {
  let url = from;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const vetted = await vet(url, options, signal);
    if ('refused' in vetted) {
      return { kind: 'failed', why: hop > 0 ? `redirects to ${url.href}: ${vetted.refused}` : vetted.refused };
    }
    if (siteOf(url) !== siteOf(from)) return { kind: 'moved', to: url };
    const incoming = await get(url, vetted.addresses, options, signal);
    const next = redirectOf(incoming, url);
    if (next === undefined) return await receive(incoming, url, options);
    incoming.destroy();
    url = next;
  }
  return { kind: 'failed', why: `redirects more than ${MAX_REDIRECTS} times` };
};

/** A look-up can't be aborted; it is left behind. */
const vet = (url: URL, { resolve = resolveName, allowPrivate = [] }: DownloadOptions, signal: AbortSignal) =>
  new Promise<Vetted>((settle, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
    else vetUrl(url, { resolve, allowPrivate }).then(settle, reject);
  });

/** `www.` is the same site; another port is not, since it may be another program. */
const siteOf = (url: URL): string => `${hostOf(url).replace(/^www\./, '')}:${url.port}`;

const redirectOf = ({ statusCode = 0, headers }: IncomingMessage, base: URL): URL | undefined => {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined;
  return new URL(headers.location, base);
};

const get = async (
  url: URL,
  addresses: readonly string[],
  { dial = (address) => address }: DownloadOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> => {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const pinned = addresses.map(dial).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  // Never called for a literal host, which was vetted itself.
  const lookup: LookupFunction = (_host, { all }, answer) => {
    const [first] = pinned;
    if (all || !first) answer(null, pinned);
    else answer(null, first.address, first.family);
  };
  // An agent of its own: no pooled socket, no proxy from the environment.
  const options: RequestOptions = { headers: HEADERS, agent: false, lookup, signal };
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end();
  });
};

const receive = async (incoming: IncomingMessage, url: URL, options: DownloadOptions): Promise<Download> => {
  const { statusCode: status = 0, headers } = incoming;
  const type = headers['content-type'] ?? '';
  const mediaType = (type.split(';')[0] ?? '').trim().toLowerCase();
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1];
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  const about = { kind: 'body', url, status, mediaType, charset, length } as const;
  if (!options.wants(mediaType)) {
    incoming.destroy();
    return { ...about, bytes: undefined, cut: false };
  }
  return { ...about, ...(await readAtMost(await decompress(incoming), options.maxBytes)) };
};

const decompress = async (incoming: IncomingMessage): Promise<Readable> => {
  const encoding = (incoming.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return incoming;
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib');
  const { pipeline } = await import('node:stream');
  const makers = { br: createBrotliDecompress, gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate };
  const make = Object.entries(makers).find(([name]) => name === encoding)?.[1];
  if (make === undefined) {
    incoming.destroy();
    throw new Error(`the server compresses with "${encoding}", which was not asked for`);
  }
  // The reader of the last stream gets the error; leaving it early ends the first.
  return pipeline(incoming, make(), () => {});
};

const readAtMost = async (stream: Readable, limit: number): Promise<{ bytes: Uint8Array; cut: boolean }> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const part: Buffer = chunk;
    chunks.push(part.subarray(0, limit - size));
    size += part.length;
    if (size > limit) break;
  }
  return { bytes: Buffer.concat(chunks), cut: size > limit };
};

const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no such host, or no name service';
  return error.message.includes(code) ? error.message : `${error.message} ${code}`.trim();
};
