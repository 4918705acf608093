import type { Logged } from '../../core/types.ts';
import type { Row } from '../render/row.ts';
import type { Beacon } from './beacon.ts';
import type { Host } from './host.ts';
import type { View } from './screen.ts';
import { type Asked, countJobs, type Facts, MODES, readFacts, statusRow } from './status.ts';

/** Milliseconds for which something is said, and between two ticks of the clocks on the screen. */
const SAID = 4000;
const TICK = 500;
/** What changes the context by much; it takes a walk through all of it to say by how much. */
const MEASURED = ['assistant', 'compaction', 'rewind', 'model'];

export type StatusBar = {
  readonly row: () => Row;
  /** What stands in place of the line for a moment. */
  readonly hint: () => string | undefined;
  readonly say: (text: string) => void;
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
  let facts: Facts = readFacts(host.session());
  let asked: Asked = { context: host.context(), own: undefined };
  let said = { text: '', until: 0 };
  const beat = () => beacon.show(asks() ? 'asks' : host.session().busy() ? 'works' : 'rests', host.session());
  const refresh = () => {
    facts = readFacts(host.session());
    beat();
    view.refresh();
  };
  let askings = 0;
  const askOwn = async () => {
    const mine = ++askings;
    const own = await host.statusLine().catch(() => undefined);
    // A slow answer must not stand over a newer one.
    if (mine === askings) asked = { ...asked, own };
    view.refresh();
  };
  void askOwn();
  const say = (text: string) => {
    said = { text, until: now() + SAID };
    setTimeout(view.refresh, SAID).unref();
    view.refresh();
  };
  let jobs = countJobs(host);
  const ticker = setInterval(() => {
    const before = jobs;
    jobs = countJobs(host);
    // No event tells that a job has ended.
    if (host.session().busy() || jobs !== before) view.refresh();
  }, TICK);
  return {
    row: () => statusRow(host, view.look, home, { ...facts, ...asked }),
    hint: () => (now() < said.until ? said.text : undefined),
    say,
    sayMode: (mode) => say(`${mode}: ${MODES[mode] ?? ''}`),
    see: (entry) => {
      const role = entry.type === 'message' ? entry.message.role : entry.type;
      if (MEASURED.includes(role)) asked = { ...asked, context: host.context() };
      if (role === 'result' || role === 'ended') void askOwn();
      refresh();
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
