import { setImmediate as breathe } from 'node:timers/promises';
import type { Seen, Session } from '../../harness/types.ts';
import { type Row, textRow } from '../render/row.ts';
import type { Look } from '../render/theme.ts';
import { emptyScene, type Scene, step } from './scene.ts';

/** Entries of a resumed session that are shown again. */
const MAX_REPLAY = 100;
/** Milliseconds of events before the rest of the program has its turn. */
const SLICE = 8;

export type Stage = {
  readonly session: () => Session;
  readonly scene: () => Scene;
  /** Shows a session from here on: what it holds, then what happens. */
  readonly show: (session: Session) => void;
};

export type StageOptions = {
  readonly look: Look;
  readonly now: () => number;
  readonly push: (rows: readonly Row[], drop: number) => void;
  readonly onSeen: (seen: Seen) => void;
};

/** Which session is on the screen, and the fold of what was seen of it. */
export const createStage = (first: Session, { look, now, push, onSeen }: StageOptions): Stage => {
  let session = first;
  let scene = emptyScene;
  const see = (seen: Seen) => {
    const next = step(scene, seen, look, now());
    scene = next.scene;
    push(next.rows, next.drop);
    onSeen(seen);
  };
  const follow = async (shown: Session, events: AsyncIterable<Seen>) => {
    let began = now();
    for await (const seen of events) {
      if (session !== shown) break;
      see(seen);
      // A burst of events would keep keys and pictures waiting.
      if (now() - began > SLICE) {
        await breathe();
        began = now();
      }
    }
  };
  const show = (next: Session) => {
    session = next;
    scene = emptyScene;
    const events = next.events();
    const entries = next.entries();
    const left = entries.length - MAX_REPLAY;
    if (left > 0) push([textRow(look, look.theme.dim(`… ${left} earlier entries are not shown`))], 0);
    for (const entry of entries.slice(-MAX_REPLAY)) {
      const replayed = step(scene, entry, look, now());
      scene = replayed.scene;
      push(replayed.rows, 0);
    }
    void follow(next, events);
  };
  return { session: () => session, scene: () => scene, show };
};
