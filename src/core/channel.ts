/**
 * One writer, many readers. Each reader has a buffer of its own in which facts are never dropped and noise is folded
 * into what is not read yet: a slow reader costs little, and none decides whether the agent runs.
 */
import type { Live } from './types.ts';

export type Channel<Fact extends object> = {
  readonly push: (item: Fact | Live) => void;
  /** Subscribes from now on. A reader leaves by ending its iteration. */
  readonly read: () => AsyncGenerator<Fact | Live, void>;
  /** Readers get what is buffered for them, then their end. */
  readonly close: () => void;
};

type Reader<Item> = { readonly buffer: Item[]; wake: () => void };

/** Pieces of noise that a reader may lag behind before the oldest is dropped; the facts say it all again. */
const MAX_NOISE = 256;
/** Characters of one folded piece of noise. */
const MAX_FOLD = 64 * 1024;

export function createChannel<Fact extends object>(): Channel<Fact> {
  const readers = new Set<Reader<Fact | Live>>();
  let closed = false;

  const push = (item: Fact | Live) => {
    for (const { buffer, wake } of readers) {
      add(buffer, item);
      wake();
    }
  };
  const read = () => {
    const reader: Reader<Fact | Live> = { buffer: [], wake: () => {} };
    readers.add(reader);
    return drain(reader);
  };
  async function* drain(reader: Reader<Fact | Live>): AsyncGenerator<Fact | Live, void> {
    try {
      for (;;) {
        while (reader.buffer.length === 0 && !closed) await new Promise<void>((resolve) => (reader.wake = resolve));
        if (reader.buffer.length === 0) return;
        yield* reader.buffer.splice(0);
      }
    } finally {
      readers.delete(reader);
    }
  }
  const close = () => {
    closed = true;
    for (const { wake } of readers) wake();
  };
  return { push, read, close };
}

function add<Fact extends object>(buffer: (Fact | Live)[], item: Fact | Live): void {
  const last = buffer.at(-1);
  const folded = last && isLive(last) && isLive(item) ? fold(last, item) : undefined;
  if (folded) buffer[buffer.length - 1] = folded;
  else buffer.push(item);
  if (buffer.length > MAX_NOISE && buffer.filter(isLive).length > MAX_NOISE) buffer.splice(buffer.findIndex(isLive), 1);
}

export const isLive = (item: object): item is Live => 'live' in item;

/** Two neighbouring deltas of one stream become one. */
function fold(a: Live, b: Live): Live | undefined {
  if (a.live === 'progress' && b.live === 'progress' && a.call === b.call) {
    return { ...a, text: (a.text + b.text).slice(-MAX_FOLD) };
  }
  if ((a.live === 'text' || a.live === 'thinking') && b.live === a.live) return { ...a, text: a.text + b.text };
  return undefined;
}
