import { basename } from 'node:path';
import type { Session } from '../../harness/types.ts';
import { oneLine } from '../render/safe.ts';

const FOCUS_IN = '\x1b[I';
const FOCUS_OUT = '\x1b[O';

export type State = 'rests' | 'works' | 'asks';

export type Beacon = {
  /** Title and progress as things are now; where a person is waited for and looks elsewhere, a call. */
  readonly show: (state: State, session: Session) => void;
  /** Takes the reports of the window's focus. */
  readonly onKey: (data: string) => boolean;
  readonly stop: () => void;
};

/** What can be seen of rein from outside its window. `osc9` is for terminals known to understand it. */
export const createBeacon = (send: (data: string) => void, osc9: boolean): Beacon => {
  let before: State = 'rests';
  let title = '';
  let focused = true;
  const progress = (code: number) => (osc9 ? send(`\x1b]9;4;${code}\x07`) : undefined);
  const call = (text: string) => {
    if (!focused) send(`${osc9 ? `\x1b]9;${text}\x07` : ''}\x07`);
  };
  const show = (state: State, session: Session) => {
    const folder = oneLine(basename(session.cwd), 40);
    const sign = { rests: '', works: '● ', asks: '? ' }[state];
    const next = `${sign}${folder} · rein`;
    if (next !== title) send(`\x1b]0;${next}\x07`);
    title = next;
    if (state === before) return;
    // 3: it works, and nobody knows how long; 4: it waits; 0: nothing.
    progress({ rests: 0, works: 3, asks: 4 }[state]);
    if (state === 'asks') call(`rein asks in ${folder}`);
    if (state === 'rests') call(`rein is done in ${folder}`);
    before = state;
  };
  const onKey = (data: string): boolean => {
    if (data !== FOCUS_IN && data !== FOCUS_OUT) return false;
    focused = data === FOCUS_IN;
    return true;
  };
  return { show, onKey, stop: () => progress(0) };
};
