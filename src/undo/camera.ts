import { setImmediate } from 'node:timers/promises';
import type { Clock, Entry } from '../core/types.ts';
import type { Undo } from './types.ts';

export type CameraOptions = {
  readonly undo: Pick<Undo, 'root' | 'snapshot'>;
  readonly clock: Pick<Clock, 'now'>;
};

/** Milliseconds that a snapshot stands for the present. What a person changes within them counts as the agent's. */
const FRESH = 2000;

/** Takes snapshots one after the other, and keeps the entries for whoever can hand them to the log. */
export const createCamera = ({ undo, clock }: CameraOptions) => {
  const entries: Entry[] = [];
  let latest: { readonly tree: string; readonly at: number } | undefined;
  let taking: Promise<void> | undefined;

  const enqueue = (work: () => Promise<void>): Promise<void> => {
    const mine = (taking ?? Promise.resolve()).then(work).finally(() => {
      if (taking === mine) taking = undefined;
    });
    taking = mine;
    return mine;
  };
  const take = async (): Promise<void> => {
    const at = clock.now();
    const tree = await undo.snapshot();
    latest = tree === null ? undefined : { tree, at };
  };
  const record = (when: 'before' | 'after') => {
    if (latest) entries.push({ type: 'snapshot', tree: latest.tree, when });
  };
  return {
    /** The first snapshot, ahead of its need. */
    warm: (): void => {
      if (!latest && !taking) void enqueue(take);
    },
    isWarming: (): boolean => !latest && taking !== undefined,
    before: (): Promise<void> =>
      enqueue(async () => {
        if (!latest || clock.now() - latest.at > FRESH) await take();
        record('before');
      }),
    after: (): void => {
      void enqueue(async () => {
        // The model request goes out first.
        await setImmediate();
        await take();
        record('after');
      });
    },
    /** Resolves when nothing is being taken. The first snapshot alone is nobody's end: it goes on by itself. */
    rest: async (): Promise<void> => {
      if (latest) await taking;
    },
    drain: function* (): Generator<Entry, void> {
      for (let entry = entries.shift(); entry; entry = entries.shift()) yield entry;
    },
  };
};
