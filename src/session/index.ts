export { addUsage, foldGrants, foldTitle, foldTotals, type Totals } from './fold.ts';
export { createLog, type Log, type LogFile } from './log.ts';
export { createProjection, type Projection, project } from './projection.ts';
export { type Header, type Records, readRecords, writeRecord } from './records.ts';
