/** Undo: snapshots of a workspace in a shadow store outside it. docs/undo.md says what they hold. */
export { createSnapshotting, type Snapshotting, type SnapshottingOptions } from './snapshotting.ts';
export type { Applied, Change, Limits, Plan, Step, Undo, UndoOptions } from './types.ts';
export { createUndo } from './undo.ts';
