import { matches } from '../match.ts';
import type { OrderRule } from '../types.ts';

/** A deny rule holds in every mode. Where it can't be known whether it applies, a person decides; in bypass it holds. */
export const denied: OrderRule = (part, query) => {
  let doubt: string | undefined;
  for (const rule of query.rules) {
    if (rule.effect !== 'deny') continue;
    const answer = matches(rule, part, query);
    if (answer === 'yes') return { verdict: 'deny', rule: rule.text, why: `a rule of ${rule.source} denies it` };
    // The walls of a sandbox keep denied files out of reach, below a folder as well.
    if (answer === 'maybe' && !(part.kind === 'read' && query.sandboxed)) doubt ??= rule.text;
  }
  if (doubt === undefined) return null;
  // The tools that look through folders leave denied files out one by one.
  if (part.kind === 'read' && query.tool !== 'bash') return null;
  const why = `it can't be known whether the deny rule ${doubt} applies`;
  return { verdict: query.mode === 'bypass' ? 'deny' : 'ask', rule: doubt, why: `${why}; write it without expansions` };
};
