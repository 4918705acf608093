import type { Logged } from '../../core/types.ts';
import type { Row } from '../render/row.ts';
import type { Beacon } from './beacon.ts';
import type { Host } from './host.ts';
import type { View } from './screen.ts';
import { type Facts, MODES, readFacts, statusRow } from './status.ts';

/** Milliseconds for which a mode is explained, and between two ticks of the clocks on the screen. */
const EXPLAINED = 4000;
const TICK = 500;

export type StatusBar = {
  readonly row: () => Row;
  /** What stands in place of the line for a moment. */
  readonly hint: () => string | undefined;
  readonly sayMode: (mode: string) => void;
  readonly see: (entry: Logged) => void;
  /** Something changed that no event tells. */
  readonly refresh: () => void;
  readonly stop: () => void;
};

export type StatusOptions = {
  readonly host: Host;
  readonly view: View;
  readonly home: string | undefined;
  readonly beacon: Beacon;
  /** A question waits. */
  readonly asks: () => boolean;
  readonly now: () => number;
};

/** The line under the editor and the signs outside of the window, kept as things are. */
export const createStatus = ({ host, view, home, beacon, asks, now }: StatusOptions): StatusBar => {
  let own: string | undefined;
  let facts: Facts = readFacts(host, own);
  let explained = { text: '', until: 0 };
  const beat = () => beacon.show(asks() ? 'asks' : host.session().busy() ? 'works' : 'rests', host.session());
  const refresh = () => {
    facts = readFacts(host, own);
    beat();
    view.refresh();
  };
  const askOwn = async () => {
    own = await host.statusLine?.().catch(() => undefined);
    refresh();
  };
  if (host.statusLine) void askOwn();
  const ticker = setInterval(() => host.session().busy() && view.refresh(), TICK);
  return {
    row: () => statusRow(host, view.look, home, facts),
    hint: () => (now() < explained.until ? explained.text : undefined),
    sayMode: (mode) => {
      explained = { text: `${mode}: ${MODES[mode] ?? ''}`, until: now() + EXPLAINED };
      setTimeout(view.refresh, EXPLAINED).unref();
      view.refresh();
    },
    see: (entry) => {
      refresh();
      const result = entry.type === 'message' && entry.message.role === 'result';
      if (host.statusLine && (result || entry.type === 'ended')) void askOwn();
      // It rests a moment after it has said so.
      if (entry.type === 'ended') void host.session().settled().then(refresh);
    },
    refresh,
    stop: () => {
      clearInterval(ticker);
      beacon.stop();
    },
  };
};
