/** Logs for tests. */
import type { Entry, Logged, Message } from '../../src/core/types.ts';
import { type Header, writeRecord } from '../../src/session/index.ts';
import { says, user } from '../support/agent.ts';

export const HEADER: Header = { rein: 1, session: '20260101-120000-abcdef', time: 0, cwd: '/w' };

export const message = (said: Message): Entry => ({ type: 'message', message: said });
export const prompt = (text: string): Entry => message(user(text));
export const reply = (text: string): Entry => message(says(text));

/** Entries with the ids `e0`, `e1`, …, each the child of the one before. */
export const chain = (...entries: readonly Entry[]): Logged[] =>
  entries.map((entry, index) => ({ id: `e${index}`, parent: index === 0 ? null : `e${index - 1}`, time: 0, ...entry }));

export const textOf = (entries: readonly Logged[], header = HEADER): string =>
  [header, ...entries].map(writeRecord).join('');

/** A file in memory; while it is full it takes `left` more characters and says so. */
export function memoryFile() {
  const file = { text: '', left: Number.POSITIVE_INFINITY };
  const append = async (text: string) => {
    if (text.length > file.left) throw new Error('ENOSPC: no space left on device, write');
    file.text += text;
  };
  return Object.assign(file, { append });
}
