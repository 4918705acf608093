import { byDefault } from './order/by-default.ts';
import { ORDER } from './order.ts';
import { partsOf } from './parts.ts';
import type { Decision, Disk, Outcome, Part, PartDecision, Query } from './types.ts';

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** Decides about a call: every part by the first rule that has an answer, the whole by its strictest part. */
export function decide(asked: Query): Outcome {
  const query = { ...asked, disk: remember(asked.disk) };
  const parts = partsOf(query).map((part): PartDecision => ({ part, ...decidePart(part, query) }));
  const nothing: Decision = { verdict: 'allow', rule: 'nothing', why: 'it touches nothing' };
  const whole = parts.reduce<Decision>((worst, part) => (stricter(part, worst) ? part : worst), parts[0] ?? nothing);
  return { verdict: whole.verdict, rule: whole.rule, why: whole.why, parts };
}

/** Every rule looks at the same few paths, and for one decision they are what they were. */
function remember(disk: Disk): Disk {
  const known = new Map<string, string>();
  const real = (path: string) => {
    const found = known.get(path) ?? disk.real(path);
    known.set(path, found);
    return found;
  };
  return { ...disk, real };
}

const stricter = (one: Decision, other: Decision) => STRICTNESS[one.verdict] > STRICTNESS[other.verdict];

function decidePart(part: Part, query: Query): Decision {
  for (const rule of ORDER) {
    const decision = rule(part, query);
    if (decision) return decision;
  }
  return byDefault(part);
}
