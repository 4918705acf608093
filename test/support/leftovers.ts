import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** Processes that live and carry this mark in `REIN_MARK`, found by this file's own means. */
export const leftovers = (mark: string): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      read(pid, 'environ')
        .split('\0')
        .some((one) => one.startsWith('REIN_MARK=') && one.includes(mark)),
    )
    .map((pid) => `${pid} ${read(pid, 'cmdline').replaceAll('\0', ' ')}`);

/** For `afterAll`: nothing of the session may be left, whatever group it went to. */
export const expectNoLeftovers = (mark: string): void => expect(leftovers(mark)).toEqual([]);

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
};
