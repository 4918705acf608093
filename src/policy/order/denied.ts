import { matches } from '../match.ts';
import type { OrderRule, Part, Query, Rule } from '../types.ts';

/** A deny rule holds in every mode. */
export const denied: OrderRule = (part, query) => {
  for (const rule of query.rules) {
    if (rule.effect !== 'deny' || matches(rule, part, query) !== 'yes') continue;
    return { verdict: 'deny', rule: rule.text, why: `a rule of ${rule.source} denies it` };
  }
  // In bypass nobody is asked, so what may be denied is.
  return query.mode === 'bypass' ? doubt(part, query, 'deny') : null;
};

/** Where it can't be known whether a deny rule applies, a person decides. */
export const doubted: OrderRule = (part, query) => doubt(part, query, 'ask');

function doubt(part: Part, query: Query, verdict: 'ask' | 'deny'): ReturnType<OrderRule> {
  const rule = query.rules.find(
    (one) => one.effect === 'deny' && !isKept(one, part, query) && matches(one, part, query) === 'maybe',
  );
  if (!rule) return null;
  const why = `it can't be known whether the deny rule ${rule.text} applies; write it without expansions`;
  return { verdict, rule: rule.text, why };
}

/** Walls keep files that a rule names out of reach, and the tools that look through folders leave out what is denied. */
const isKept = ({ match }: Rule, part: Part, { sandboxed, tool }: Query): boolean =>
  part.kind === 'read' && (tool !== 'bash' || (sandboxed && match.kind === 'path' && !/[*?{]/.test(match.pattern)));
