/** Bytes kept of each end. */
export const KEPT = 64 * 1024;

/** The first and the last bytes of a stream, whatever its length. */
export const createEnds = () => {
  const head = Buffer.allocUnsafe(KEPT);
  // A ring: a byte's place follows from its number.
  let tail: Buffer | undefined;
  let total = 0;

  return {
    total: () => total,
    keep: (chunk: Uint8Array): void => {
      const room = Math.min(chunk.length, Math.max(0, KEPT - total));
      head.set(chunk.subarray(0, room), Math.min(total, KEPT));
      const rest = chunk.subarray(Math.max(room, chunk.length - KEPT));
      total += chunk.length;
      if (rest.length === 0) return;
      tail ??= Buffer.allocUnsafe(KEPT);
      const at = (total - rest.length) % KEPT;
      const fits = Math.min(rest.length, KEPT - at);
      tail.set(rest.subarray(0, fits), at);
      tail.set(rest.subarray(fits), 0);
    },
    /** The bytes `from` to `to`, as far as they are kept. */
    slice: (from: number, to: number): Buffer => {
      const first = head.subarray(Math.min(from, KEPT), Math.min(to, KEPT));
      const start = Math.max(from, KEPT, total - KEPT);
      if (!tail || to <= start) return first;
      const [a, b] = [start % KEPT, ((to - 1) % KEPT) + 1];
      return Buffer.concat([first, ...(a < b ? [tail.subarray(a, b)] : [tail.subarray(a), tail.subarray(0, b)])]);
    },
  };
};
