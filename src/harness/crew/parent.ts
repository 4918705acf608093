/** The child's end of the pipe. */
import { isObject } from '../../core/json.ts';
import type { Verdict } from '../../core/types.ts';
import { type Above, type Leash, LOST_PARENT } from './leash.ts';
import { createPeer, type Port } from './peer.ts';

/** Resolves with the leash that the parent sends first. `onClose` is called when the parent is gone. */
export function joinParent(port: Port, onClose: () => void): Promise<{ leash: Leash; parent: Above }> {
  return new Promise((resolve) => {
    let steered: Parameters<Above['onSteer']>[0] = () => {};
    const peer = createPeer(
      port,
      {
        leash: async (value) => {
          if (isLeash(value)) resolve({ leash: value, parent });
        },
        steer: async (value) => {
          if (isSteering(value)) steered(value.session, value.text);
        },
      },
      onClose,
    );
    const parent: Above = {
      judge: async (call, access, from, signal) => {
        const preview = await access.preview?.();
        const verdict = await peer.ask('judge', { call, access, preview, from }, signal);
        return isVerdict(verdict) ? verdict : LOST_PARENT;
      },
      enter: async () => {
        const answer = await peer.ask('enter', null);
        return isObject(answer) && answer['ok'] === true ? undefined : sentence(answer);
      },
      show: (session, event) => peer.tell('show', { session, event }),
      onSteer: (listener) => {
        steered = listener;
      },
    };
    peer.tell('ready', null);
  });
}

const sentence = (answer: unknown): string =>
  isObject(answer) && typeof answer['refused'] === 'string' ? answer['refused'] : 'The agent above is gone.';

// The other end is this same program, started by this same program: the shape is checked, not each field.
const isLeash = (value: unknown): value is Leash => isObject(value) && 'startedBy' in value && 'limits' in value;

const isSteering = (value: unknown): value is { session: string; text: string } =>
  isObject(value) && typeof value['session'] === 'string' && typeof value['text'] === 'string';

const isVerdict = (value: unknown): value is Verdict => isObject(value) && typeof value['allow'] === 'boolean';
