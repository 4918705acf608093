/** The composition root: the one place that chooses concrete parts. */
export type { Json } from '../core/types.ts';
export { joinParent } from './crew/parent.ts';
export { createHarness, type Harness, type HarnessOptions, type Opening } from './harness.ts';
export {
  MODES,
  type Mode,
  mergeSettings,
  parseAssignment,
  parseSettings,
  type Settings,
  SettingsError,
} from './settings.ts';
export { createStore, type Store, type Summary } from './store.ts';
export type { Answer, Ask, Ending, Question, Seen, Session, Signal, Totals } from './types.ts';
