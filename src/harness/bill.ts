/** What all sessions together cost. Each request counts once: where it was made, or where only its bill is left. */
import type { Logged, Usage } from '../core/types.ts';
import { listSessionFiles, readChunks } from '../env/session-files.ts';
import { addUsage, type Header, NO_USAGE, scan, spendingOf } from '../session/index.ts';
import { readBegin } from './shelf.ts';

export type Sum = {
  readonly usage: Usage;
  /** Entries that say what was spent: requests, and sums of sub-agents whose own log is gone. */
  readonly requests: number;
  /** Those of unknown price: `usage.cost` leaves them out. */
  readonly unpriced: number;
};

export type Bill = {
  readonly total: Sum;
  /** By `vendor/model`, and by folder; the dearest first. */
  readonly models: readonly (readonly [string, Sum])[];
  readonly folders: readonly (readonly [string, Sum])[];
};

const NOTHING: Sum = { usage: NO_USAGE, requests: 0, unpriced: 0 };

/** Of what was spent from `since` on, in milliseconds since the epoch. */
export function billOf(sessions: string, since = 0): Bill {
  const files = listSessionFiles(sessions);
  const headers = new Map(files.map(({ id, path }) => [id, readBegin(path, 'header').header]));
  const models = new Map<string, Sum>();
  const folders = new Map<string, Sum>();
  // A fork begins with the entries of another session: they were paid for once.
  const paid = new Set<string>();
  let total = NOTHING;
  for (const { id, path } of files.filter(({ changed }) => changed >= since)) {
    const folder = folderOf(id, headers);
    for (const found of scan(readChunks(path))) {
      if (!('entry' in found) || found.entry.time < since || paid.has(found.entry.id)) continue;
      const { entry } = found;
      const spent = spendingOf(entry);
      if (!spent || isBilledThere(entry, headers)) continue;
      paid.add(entry.id);
      total = add(total, spent.usage);
      models.set(spent.model, add(models.get(spent.model), spent.usage));
      folders.set(folder, add(folders.get(folder), spent.usage));
    }
  }
  return { total, models: dearest(models), folders: dearest(folders) };
}

type Headers = ReadonlyMap<string, Header | undefined>;

/** A sub-agent's cost belongs to the folder of the session that a person started. */
function folderOf(id: string, headers: Headers): string {
  let header = headers.get(id);
  for (let depth = 0; header?.startedBy && headers.has(header.startedBy.session) && depth < 10; depth++) {
    header = headers.get(header.startedBy.session) ?? header;
  }
  return header?.cwd ?? '(unknown)';
}

/** A sub-agent whose own log is there: what its starter was told of it would count twice. */
const isBilledThere = (entry: Logged, headers: Headers): boolean =>
  entry.type === 'usage' && headers.has(/^sub-agent (\S+)$/.exec(entry.why)?.[1] ?? '');

const add = ({ usage, requests, unpriced }: Sum = NOTHING, spent: Usage): Sum => ({
  usage: addUsage(usage, spent),
  requests: requests + 1,
  unpriced: unpriced + (spent.cost === undefined ? 1 : 0),
});

const dearest = (sums: ReadonlyMap<string, Sum>): readonly (readonly [string, Sum])[] =>
  [...sums].sort(([, a], [, b]) => (b.usage.cost ?? 0) - (a.usage.cost ?? 0) || b.usage.output - a.usage.output);
