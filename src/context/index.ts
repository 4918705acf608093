export { findInstructions } from './instructions.ts';
export { buildSystem, type Instructions } from './system.ts';
