/** The only writer of the log. Each fact is on disk before a reader or the model sees it. */
import { createChannel, isLive } from '../core/channel.ts';
import type { Entry, Event, Live, Logged, Message, Shown } from '../core/types.ts';
import { createProjection, type Log, type Projection } from '../session/index.ts';
import type { Seen } from './types.ts';

export type Record = {
  readonly commit: (entry: Entry, parent?: string | null) => Promise<Logged>;
  /** What the model is shown at this moment. */
  readonly messages: () => readonly Message[];
  /** The same without the summary ahead of them. */
  readonly items: () => readonly Shown[];
  readonly path: () => readonly Logged[];
  readonly all: () => readonly Logged[];
  readonly show: (live: Live) => void;
  readonly read: () => AsyncIterable<Seen>;
  readonly close: () => void;
};

/** `opening` makes the first entry of a new log. It waits for the second, so that a session nobody used leaves no file. */
export function createRecord(log: Log, opening: () => Entry): Record {
  const channel = createChannel<Logged>();
  let opened = log.all().length > 0;
  let shown: { path: readonly Logged[]; length: number; projection: Projection } | undefined;

  const commit = async (entry: Entry, parent?: string | null) => {
    const first = !opened;
    opened = true;
    if (first) channel.push(await log.append(opening()));
    const logged = await log.append(entry, parent);
    channel.push(logged);
    return logged;
  };
  /** Grows with the path; a rewind makes another path, and with it another projection. */
  const projection = () => {
    const path = log.path();
    const current = shown?.path === path ? shown : { path, length: 0, projection: createProjection() };
    for (const entry of path.slice(current.length)) current.projection.push(entry);
    current.length = path.length;
    shown = current;
    return current.projection;
  };
  return {
    commit,
    messages: () => projection().messages(),
    items: () => projection().items(),
    path: log.path,
    all: log.all,
    show: channel.push,
    read: channel.read,
    close: channel.close,
  };
}

/** Drives a generator to its end: each of its facts is in the record before it goes on. */
export async function carryOut<T>(events: AsyncGenerator<Event, T>, record: Record): Promise<T> {
  for (;;) {
    const step = await events.next();
    if (step.done) return step.value;
    if (isLive(step.value)) record.show(step.value);
    else await record.commit(step.value);
  }
}
