import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, readSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Both ends of a pipe; `write` blocks, as programs expect, `read` does not. */
export type Pipe = { readonly read: number; readonly write: number };

/**
 * Real pipes out of FIFOs. Node's own are sockets: `> /dev/stderr` fails on them, one for both streams can't be had,
 * and they take twice the time. The names live in `folder` until they are used.
 */
export const createPipes = (folder: string, env: NodeJS.ProcessEnv): (() => Promise<Pipe>) => {
  const names: string[] = [];
  let made = 0;
  let making: Promise<void> | undefined;
  const make = async (): Promise<void> => {
    const fresh = Array.from({ length: 8 }, () => join(folder, `pipe-${++made}`));
    await promisify(execFile)('mkfifo', ['-m', '600', ...fresh], { env });
    names.push(...fresh);
  };
  return async () => {
    for (;;) {
      const name = names.pop();
      if (name) return openPipe(name);
      making ??= make().finally(() => {
        making = undefined;
      });
      await making;
    }
  };
};

const openPipe = (name: string): Pipe => {
  const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  const write = openSync(name, constants.O_WRONLY);
  unlinkSync(name);
  return { read, write };
};

export type Drain = {
  /** Takes what is in the pipe now. True when nobody holds its other end any more. */
  readonly empty: () => boolean;
  /** Resolves when nobody holds the other end any more. */
  readonly closed: Promise<void>;
  /** Goes on reading for whoever still writes, and throws it away: a full or a broken pipe would stop them. */
  readonly discard: () => void;
  readonly close: () => void;
};

/** Bytes: of one read, and more than any pipe holds. */
const CHUNK = 64 * 1024;
const PIPE = 1024 * 1024;

/** Reads at the speed of the pipe, always into one buffer. `take` must copy what it keeps. */
export const drainPipe = (fd: number, take: (chunk: Uint8Array) => void): Drain => {
  const buffer = Buffer.allocUnsafe(CHUNK);
  let sink = take;
  const sinkBytes = (bytes: number): void => sink(buffer.subarray(0, bytes));
  const watch = process.versions['bun'] ? pollPipe : watchPipe;
  const { ended, closed, unref, close } = watch(fd, buffer, sinkBytes);
  return {
    empty: () => ended() || emptyPipe(fd, buffer, sinkBytes).ended,
    closed,
    discard: () => {
      sink = () => {};
      unref();
    },
    close,
  };
};

type Watch = {
  readonly ended: () => boolean;
  readonly closed: Promise<void>;
  readonly unref: () => void;
  readonly close: () => void;
};

const watchPipe = (fd: number, buffer: Buffer, sink: (bytes: number) => void): Watch => {
  const callback = (bytes: number): true => {
    sink(bytes);
    return true;
  };
  const socket = new Socket({ fd, readable: true, writable: false, onread: { buffer, callback } });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.once('error', () => socket.destroy());
  socket.resume();
  return {
    ended: () => socket.destroyed || socket.readableEnded,
    closed,
    unref: () => socket.unref(),
    close: () => socket.destroy(),
  };
};

/** Bun's sockets read no FIFOs, so there somebody must look: at once after a find, then less and less often. */
const pollPipe = (fd: number, buffer: Buffer, sink: (bytes: number) => void): Watch => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let ended = false;
  let held = true;
  let timer: NodeJS.Timeout;
  const close = (): void => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    closeSync(fd);
    resolve();
  };
  const look = (pause: number): void => {
    const found = emptyPipe(fd, buffer, sink);
    if (found.ended) close();
    else timer = setTimeout(look, found.bytes > 0 ? 0 : pause, Math.min(2 * pause, 20));
    if (!held) timer.unref();
  };
  timer = setTimeout(look, 0, 1);
  const unref = (): void => {
    held = false;
    timer.unref();
  };
  return { ended: () => ended, closed: promise, unref, close };
};

/** Takes what is there, but no more than a pipe holds: somebody may write without end. */
const emptyPipe = (fd: number, buffer: Buffer, sink: (bytes: number) => void): { ended: boolean; bytes: number } => {
  let total = 0;
  try {
    while (total < PIPE) {
      const bytes = readSync(fd, buffer);
      if (bytes === 0) return { ended: true, bytes: total };
      sink(bytes);
      total += bytes;
    }
  } catch {} // EAGAIN: empty, and somebody still holds it
  return { ended: false, bytes: total };
};

export const closePipe = ({ read, write }: Pipe): void => {
  closeSync(read);
  closeSync(write);
};
