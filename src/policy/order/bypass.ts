import type { OrderRule } from '../types.ts';

export const bypass: OrderRule = (_, { mode }) =>
  mode === 'bypass' ? { verdict: 'allow', rule: 'bypass mode', why: 'nothing is asked in this mode' } : null;
