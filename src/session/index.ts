export {
  addUsage,
  createTally,
  foldGrants,
  foldMode,
  foldModel,
  foldTitle,
  foldTotals,
  NO_USAGE,
  spendingOf,
  type Totals,
  textOfPrompt,
} from './fold.ts';
export { createLog, type Log, type LogFile } from './log.ts';
export { pathTo } from './path.ts';
export { createProjection, type Projection, project } from './projection.ts';
export { type Header, type Records, readRecords, scan, writeRecord } from './records.ts';
export { type Branch, foldTree } from './tree.ts';
export { type Words, wordsOf } from './words.ts';
