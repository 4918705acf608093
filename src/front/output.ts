import type { Writable } from 'node:stream';

/** A stream that is written line by line, waits for slow readers and survives those that leave. */
export type Output = {
  /** Resolves when the text has left the process, or at once when the reader is gone. Never rejects. */
  readonly write: (text: string) => Promise<void>;
  /** Resolves when everything written so far has left the process. */
  readonly flush: () => Promise<void>;
  /** Aborts when the reader is gone (EPIPE, EIO). */
  readonly gone: AbortSignal;
};

export const createOutput = (stream: Writable): Output => {
  const reader = new AbortController();
  const leave = () => reader.abort();
  let last: Promise<void> = Promise.resolve();
  stream.on('error', leave);
  stream.on('close', leave);
  const write = (text: string): Promise<void> => {
    if (reader.signal.aborted || stream.destroyed) return Promise.resolve();
    last = new Promise((resolve) => {
      reader.signal.addEventListener('abort', () => resolve(), { once: true });
      stream.write(text, (error) => {
        if (error) leave();
        resolve();
      });
    });
    return last;
  };
  return { write, flush: () => last, gone: reader.signal };
};
