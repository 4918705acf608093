import { byDefault } from './order/by-default.ts';
import { ORDER } from './order.ts';
import { partsOf } from './parts.ts';
import type { Decision, Outcome, Part, PartDecision, Query } from './types.ts';

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** Decides about a call: every part by the first rule that has an answer, the whole by its strictest part. */
export function decide(query: Query): Outcome {
  const parts = partsOf(query).map((part): PartDecision => ({ part, ...decidePart(part, query) }));
  const nothing: Decision = { verdict: 'allow', rule: 'nothing', why: 'it touches nothing' };
  const whole = parts.reduce<Decision>((worst, part) => (stricter(part, worst) ? part : worst), parts[0] ?? nothing);
  return { verdict: whole.verdict, rule: whole.rule, why: whole.why, parts };
}

const stricter = (one: Decision, other: Decision) => STRICTNESS[one.verdict] > STRICTNESS[other.verdict];

function decidePart(part: Part, query: Query): Decision {
  for (const rule of ORDER) {
    const decision = rule(part, query);
    if (decision) return decision;
  }
  return byDefault(part, query) ?? { verdict: 'ask', rule: 'default', why: 'no rule allows it' };
}
