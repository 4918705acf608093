import { matches } from '../match.ts';
import type { OrderRule, Part } from '../types.ts';

/** A grant or an allow rule. What an allowed command reads by its own arguments, or reaches, is allowed with it. */
export const allowed: OrderRule = (part, query) => {
  const command: Part | null =
    (part.kind === 'read' || part.kind === 'host') && part.of
      ? { kind: 'command', command: part.of, harmless: null, paths: [], text: part.text }
      : null;
  for (const rule of query.rules) {
    if (rule.effect !== 'allow') continue;
    if (matches(rule, part, query) !== 'yes' && (!command || matches(rule, command, query) !== 'yes')) continue;
    return { verdict: 'allow', rule: rule.text, why: `a rule of ${rule.source} allows it` };
  }
  return null;
};
