/** A signal ends the session in order; a second one ends the program at once. */
import type { Signal } from '../harness/index.ts';

const CODES: Readonly<Record<Signal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
const SIGNALS: readonly Signal[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

export function onSignals(close: (signal: Signal) => Promise<void>): () => void {
  let first: Signal | undefined;
  const handle = (signal: Signal) => {
    if (first) process.exit(CODES[first]);
    first = signal;
    void close(signal);
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  return () => {
    for (const signal of SIGNALS) process.off(signal, handle);
  };
}
