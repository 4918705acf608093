/** May it happen? See `order.ts` for the rules in their order, and `types.ts` for the shapes. */
export { decide } from './decide.ts';
export { isPathDenied } from './denied-path.ts';
export { rowsOf } from './explain.ts';
export {
  createGate,
  type GateOptions,
  type Judge,
  onlyReads,
  queryFor,
  testCommand,
} from './gate.ts';
export { narrowest } from './narrowest.ts';
export { isSecret } from './paths.ts';
export { normalHost, parseRule } from './rules.ts';
export { type Analysis, type Command, createShell, type Shell, type Wasm } from './shell/index.ts';
export {
  type Decision,
  type Disk,
  type Effect,
  MODES,
  type Mode,
  type Outcome,
  type Place,
  type Query,
  type Rule,
} from './types.ts';
