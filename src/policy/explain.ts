import type { Outcome, PartDecision } from './types.ts';

/** For `rein permissions test` and for the question: what would run, what decided about it, and why. */
export function explain(outcome: Outcome, rule?: string): readonly string[] {
  const lines = outcome.parts.map(describe);
  const verdict = { allow: 'allowed', ask: 'asked', deny: 'denied' }[outcome.verdict];
  const end = [`${verdict}: ${outcome.why} (${outcome.rule})`];
  return [...new Set(lines), ...end, ...(rule === undefined ? [] : [`rule for always: ${rule}`])];
}

/** What stands in the way, one line for each part that is not allowed. */
export function objections({ parts, verdict, why }: Outcome): string {
  const lines = parts.filter((part) => part.verdict === verdict).map((part) => `${label(part)}: ${part.why}`);
  return [...new Set(lines)].join('\n') || why;
}

function describe(decision: PartDecision): string {
  return `${decision.verdict.padEnd(5)}  ${label(decision)}  (${decision.rule}: ${decision.why})`;
}

/** A part in words. */
export function label({ part }: PartDecision): string {
  switch (part.kind) {
    case 'command':
      return part.command.via.length > 0
        ? `${part.text} [started by ${part.command.via.map(({ name }) => name).join(', ')}]`
        : part.text;
    case 'read':
      return `read ${part.path ?? part.text}`;
    case 'write':
      return `write ${part.path ?? part.text}`;
    case 'host':
      return `connect to ${part.host}`;
    default:
      return part.text;
  }
}
