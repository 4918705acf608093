/**
 * When snapshots are taken: one before the first call of a reply that may write, one after all of them. The second is taken
 * while the next model request is in flight, and mostly serves as the first of the next step.
 */

import { realpathSync } from 'node:fs';
import type { Access, Context, Event, Model, Output, Prepared, Tool } from '../core/types.ts';
import { isInside } from '../env/inside.ts';
import { type CameraOptions, createCamera } from './camera.ts';

export type Snapshotting = {
  readonly model: (model: Model) => Model;
  readonly tool: (tool: Tool) => Tool;
  /** After the loop: takes the snapshot that no model request followed, and yields what was not yielded yet. */
  readonly settle: () => AsyncGenerator<Event, void>;
};

export type SnapshottingOptions = CameraOptions & {
  /** Whether a call is known to look only, though what it touches isn't. */
  readonly onlyLooks?: (access: Access) => boolean;
};

/** One for each session. A reply's calls share their snapshots. */
export const createSnapshotting = (options: SnapshottingOptions): Snapshotting => {
  const { undo, onlyLooks = () => false } = options;
  const writes = writesBelow(undo.root);
  const mayWrite = (access: Access) => writes(access) && !onlyLooks(access);
  const camera = createCamera(options);
  let step: Step | undefined;

  const finish = () => {
    if (step) camera.after();
    step = undefined;
  };
  /** The first call of a reply waits for the snapshot and hands it to the log; the others wait until it is there. */
  async function* prelude({ call, signal }: Context): AsyncGenerator<Event, void> {
    if (step) return unlessAborted(step.recorded, signal);
    const mine = createStep();
    step = mine;
    try {
      if (camera.isWarming()) yield { live: 'progress', call, text: WAITING };
      await unlessAborted(camera.before(), signal);
      yield* camera.drain();
    } finally {
      mine.record();
    }
  }
  async function* run(prepared: Prepared, context: Context): AsyncGenerator<Event, Output> {
    yield* prelude(context);
    if (context.signal.aborted) return { content: [{ type: 'text', text: NOT_RUN }], failed: true, stopped: true };
    return yield* prepared.run(context);
  }

  return {
    tool: (tool) => ({
      ...tool,
      prepare: async (input) => {
        const prepared = await tool.prepare(input);
        // Looking around comes before changing: the first snapshot, which reads every file, begins with the first call.
        camera.warm();
        if (typeof prepared === 'string') return prepared;
        // Asked when it runs: by then it is known what a shell line does.
        const enter = (context: Context) =>
          mayWrite(prepared.access) ? run(prepared, context) : prepared.run(context);
        return { ...prepared, run: enter };
      },
    }),
    model: (model) =>
      async function* (request, signal) {
        finish();
        const reply = yield* model(request, signal);
        yield* camera.drain();
        return reply;
      },
    settle: async function* () {
      finish();
      await camera.rest();
      yield* camera.drain();
    },
  };
};

const WAITING = 'Waiting for the first snapshot of the workspace …\n';
const NOT_RUN = 'ERROR: stopped by the user before it started; nothing was done.';

type Step = { readonly recorded: Promise<void>; readonly record: () => void };

const createStep = (): Step => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { recorded: promise, record: resolve };
};

const unlessAborted = async (work: Promise<void>, signal: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  signal.addEventListener('abort', stop, { once: true });
  if (!signal.aborted) await Promise.race([work, promise]);
  signal.removeEventListener('abort', stop);
};

/** Paths of an access are real; a path stands for everything below it. */
const writesBelow = (folder: string) => {
  const root = realpathSync(folder);
  return ({ anything, writes = [] }: Access): boolean =>
    anything === true || writes.some((path) => isInside(root, path) || isInside(path, root));
};
