import type { Asked, Turn } from '../turn.ts';
import { benchScenarios } from './bench.ts';
import { errorScenario } from './errors.ts';
import { tetris } from './tetris.ts';

/** Every named scenario: what `npm run scripted -- NAME` serves. */
export const scenarios: Readonly<Record<string, (asked: Asked) => Turn>> = {
  ...benchScenarios,
  tetris: tetris(),
  errors: errorScenario,
};

export { tetrisSource, tetrisTask, watchCommand } from './tetris.ts';
export { benchScenarios, tetris };
