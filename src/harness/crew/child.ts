/** The parent's end: starts the same program again and ties it to itself. */
import { isObject } from '../../core/json.ts';
import type { Access, Call } from '../../core/types.ts';
import type { Seen } from '../types.ts';
import type { Leash, Parent } from './leash.ts';
import { createPeer, type Port } from './peer.ts';

/** A started program: its pipe, its output, its end. `env/program.ts` makes one. */
export type Program = Port & {
  /** Resolves with the exit code when the program and its output have ended. */
  readonly ended: Promise<number>;
  /** Asks it to stop, then makes it. */
  readonly stop: () => void;
};

export type Child = {
  /** Resolves with its exit code. */
  readonly ended: Promise<number>;
  /** A message of the person's, for it or one below it. */
  readonly steer: (session: string, text: string) => void;
};

/** Ties a child to its parent. When `signal` aborts, the child stops and commits what it has. */
export function tieChild(program: Program, leash: Promise<Leash>, duties: Parent, signal: AbortSignal): Child {
  const peer = createPeer(
    program,
    {
      ready: async () => peer.tell('leash', await leash),
      judge: async (value, cancelled) => {
        const { call, access, preview, from } = readQuestion(value);
        const whole = preview === undefined ? access : { ...access, preview: async () => preview };
        return duties.judge(call, whole, from, cancelled);
      },
      enter: async () => {
        const refused = await duties.enter();
        return refused === undefined ? { ok: true } : { refused };
      },
      show: async (value) => {
        if (isShown(value)) duties.show(value.session, value.event);
      },
    },
    () => {},
  );
  signal.addEventListener('abort', program.stop, { once: true });
  if (signal.aborted) program.stop();
  return {
    ended: program.ended.finally(() => signal.removeEventListener('abort', program.stop)),
    steer: (session, text) => peer.tell('steer', { session, text }),
  };
}

type Question = {
  readonly call: Call;
  readonly access: Access;
  readonly preview?: string;
  readonly from: readonly string[];
};

// The other end is this same program: the shape is checked, not each field.
function readQuestion(value: unknown): Question {
  if (isQuestion(value)) return value;
  throw new TypeError('not a question');
}

const isQuestion = (value: unknown): value is Question =>
  isObject(value) && 'call' in value && 'access' in value && 'from' in value;

const isShown = (value: unknown): value is { session: string; event: Seen } =>
  isObject(value) && 'session' in value && 'event' in value;
