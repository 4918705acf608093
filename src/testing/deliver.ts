import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';

/** How bytes are cut on their way: pieces of `every` bytes, or cuts at these offsets of each write. */
export type Chunking = { readonly every: number } | { readonly at: readonly number[] };

export type Ending = 'close' | 'hang' | 'reset';

/** What is sent: bytes, or a pause in milliseconds. */
export type Piece = string | Uint8Array | number;

/** Sends the pieces in order and ends as told. Stops early, without an error, when the client is gone. */
export const deliver = async (response: ServerResponse, pieces: readonly Piece[], how: Ending, chunking?: Chunking) => {
  for (const piece of chunking ? pieces : merge(pieces)) {
    if (response.destroyed) return;
    if (typeof piece === 'number') await pause(piece);
    else for (const chunk of cut(Buffer.from(piece), chunking)) await write(response, chunk);
  }
  end(response, how);
};

export const end = (response: ServerResponse, how: Ending): void => {
  if (how === 'close') response.end();
  else if (how === 'reset') response.socket?.resetAndDestroy();
  else response.flushHeaders();
};

/** Neighbouring pieces go out in one write: 20,000 events are not 20,000 system calls. */
const merge = (pieces: readonly Piece[]): readonly Piece[] => {
  const merged: Piece[] = [];
  let waiting: string[] = [];
  const flush = () => {
    if (waiting.length > 0) merged.push(waiting.join(''));
    waiting = [];
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') waiting.push(piece);
    else {
      flush();
      merged.push(piece);
    }
  }
  flush();
  return merged;
};

const cut = (bytes: Buffer, chunking: Chunking | undefined): readonly Buffer[] => {
  if (!chunking) return [bytes];
  const { length } = bytes;
  const ends =
    'at' in chunking
      ? chunking.at.filter((at) => at > 0 && at < length)
      : Array.from({ length: Math.ceil(length / chunking.every) - 1 }, (_, i) => (i + 1) * chunking.every);
  return [0, ...ends].map((start, i) => bytes.subarray(start, ends[i] ?? length));
};

/** Waits a round of the event loop after each write, so that the socket can't join two of them. */
const write = async (response: ServerResponse, bytes: Buffer): Promise<void> => {
  if (response.destroyed || bytes.length === 0) return;
  if (!response.write(bytes)) await drained(response);
  await breathe();
};

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
