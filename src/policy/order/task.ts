import type { OrderRule } from '../types.ts';

export const isEffectless = (tool: string): boolean => tool === 'task' || tool === 'todo' || tool === 'skill';

/** A sub-agent has no more rights than its parent, and each of its calls comes here by itself. */
export const task: OrderRule = (_, { tool }) =>
  isEffectless(tool)
    ? { verdict: 'allow', rule: 'tools without effect', why: `${tool} changes nothing by itself` }
    : null;
