export { estimateTokens } from './budget.ts';
export {
  type Catalog,
  catalogDate,
  createCatalog,
  LOCAL_VENDORS,
  type ModelInfo,
  type Quirks,
  type Vendor,
} from './catalog.ts';
export { withFallback } from './fallback.ts';
export { newCallId } from './ids.ts';
export { createModel, type ModelOptions } from './model.ts';
export type { Dialect } from './protocol.ts';
export { EFFORTS, findKey, firstVendor, type Key, keysOf, resolveModel, type Spec } from './resolve.ts';
export { type RetryOptions, withRetry } from './retry.ts';
export type { Limits } from './stream.ts';
export { readTextCalls, textCallsPrompt, withTextCallHint, withTextCalls } from './text-calls.ts';
export type { Price } from './usage.ts';
