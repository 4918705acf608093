import type { Questions } from './questions.ts';

export type Exit = {
  readonly done: Promise<number>;
  readonly leave: (code: number) => Promise<void>;
  readonly dispose: () => void;
};

export type ExitOptions = {
  readonly questions: Questions;
  readonly busy: () => boolean;
  readonly stop: () => Promise<void>;
  /** Gives the terminal back. */
  readonly close: () => void;
};

/** Leaving: what is asked is refused, what runs is stopped, the terminal is given back. A second time does not wait. */
export const createExit = ({ questions, busy, stop, close }: ExitOptions): Exit => {
  const { promise: done, resolve } = Promise.withResolvers<number>();
  let leaving = false;
  const end = (code: number) => {
    close();
    resolve(code);
  };
  const leave = async (code: number): Promise<void> => {
    if (leaving) return end(code);
    leaving = true;
    questions.refuse({ allow: false, end: true, reason: 'not approved: the program was left' });
    if (busy()) await stop();
    end(code);
  };
  return { done, leave, dispose: () => end(0) };
};
