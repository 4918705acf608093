import type { OrderRule } from '../types.ts';

/** A sub-agent has no more rights than its parent, and each of its calls comes here by itself. */
export const task: OrderRule = (_, { tool }) =>
  tool === 'task' || tool === 'todo' || tool === 'skill'
    ? { verdict: 'allow', rule: 'tools without effect', why: `${tool} changes nothing by itself` }
    : null;
