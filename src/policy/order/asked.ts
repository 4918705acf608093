import { matches } from '../match.ts';
import type { OrderRule } from '../types.ts';

export const asked: OrderRule = (part, query) => {
  for (const rule of query.rules) {
    if (rule.effect !== 'ask' || matches(rule, part, query) === 'no') continue;
    return { verdict: 'ask', rule: rule.text, why: `a rule of ${rule.source} says to ask` };
  }
  return null;
};
