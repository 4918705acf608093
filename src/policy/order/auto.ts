import type { OrderRule } from '../types.ts';

/** Free inside the sandbox: it decides what a command can reach. Tools that act outside of it are asked. */
export const auto: OrderRule = (part, { mode, sandboxed, tool }) =>
  mode === 'auto' && sandboxed && tool === 'bash' && part.kind !== 'host'
    ? { verdict: 'allow', rule: 'auto mode', why: 'it runs inside the sandbox' }
    : null;
