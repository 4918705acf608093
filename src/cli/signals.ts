/** A signal ends the session in order; a second one ends the program at once. */
import type { Session, Signal } from '../harness/index.ts';

const CODES: Readonly<Record<Signal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
/** SIGQUIT asks for no order. */
const QUIT = 131;
const SIGNALS: readonly Signal[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

export type Signals = {
  /** The exit code that a signal asked for, if one came. */
  readonly code: () => number | undefined;
  readonly unhook: () => void;
};

export function onSignals(session: () => Pick<Session, 'close' | 'kill'>): Signals {
  let code: number | undefined;
  const handle = (signal: Signal) => {
    if (code !== undefined) {
      session().kill();
      process.exit(code);
    }
    code = CODES[signal];
    void session().close(signal);
  };
  const quit = () => {
    session().kill();
    process.exit(QUIT);
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  process.on('SIGQUIT', quit);
  const unhook = () => {
    for (const signal of SIGNALS) process.off(signal, handle);
    process.off('SIGQUIT', quit);
  };
  return { code: () => code, unhook };
}
