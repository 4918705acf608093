/** Parents and their sub-agents, as scenarios. */
import type { Json } from '../../src/core/types.ts';
import type { Asked, Turn } from '../../src/testing/index.ts';
import { resultsOf, runs, type World } from './rein.ts';

/** The parent runs `command`; a sub-agent is asked by its prompt. */
export const family =
  (command: string, child: (asked: Asked) => Turn) =>
  (asked: Asked): Turn => {
    if (!asked.prompt.startsWith('parent')) return child(asked);
    return asked.rounds.length === 0 ? runs(command) : { text: 'parent done' };
  };

export const answer = (text: string) => (): Turn => ({ text });
/** A child that makes one call and ends. */
export const calls =
  (...made: readonly { name: string; input: Json }[]) =>
  (asked: Asked): Turn =>
    asked.rounds.length === 0 ? { calls: made } : { text: 'child done' };

/** What the parent's newest command printed. */
export const lastResult = (world: World): string => {
  const request = world.server.requests.findLast(({ asked }) => asked?.prompt.startsWith('parent'));
  return resultsOf(request).at(-1) ?? '';
};

/** The results that sub-agents were shown. */
export const childResults = (world: World): string[] =>
  world.server.requests.filter(({ asked }) => !asked?.prompt.startsWith('parent')).flatMap(resultsOf);
