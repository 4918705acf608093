import { performance } from 'node:perf_hooks';

/** The clock of this machine. Timers and durations are monotonic; `time` is for people. */
export const createClock = () => ({
  now: (): number => performance.now(),
  time: (): number => Date.now(),
  sleep: (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal?.addEventListener('abort', wake, { once: true });
    }),
});
