import type { Outcome, PartDecision } from './types.ts';

/** For `rein permissions test` and for the question: what would run, what decided about it, and why. */
export function explain(outcome: Outcome, rule?: string): readonly string[] {
  const lines = rowsOf(outcome).map(({ text, verdict, rule }) => `${verdict.padEnd(5)}  ${text}  (${rule})`);
  const verdict = { allow: 'allowed', ask: 'asked', deny: 'denied' }[outcome.verdict];
  const end = [`${verdict}: ${outcome.why} (${outcome.rule})`];
  return [...lines, ...end, ...(rule === undefined ? [] : [`rule for always: ${rule}`])];
}

/** What stands in the way, one line for each part that is not allowed. */
export function objections({ parts, verdict, why }: Outcome): string {
  const lines = parts.filter((part) => part.verdict === verdict).map((part) => `${label(part)}: ${part.why}`);
  return [...new Set(lines)].join('\n') || why;
}

type Row = Pick<PartDecision, 'verdict' | 'rule'> & { readonly text: string };

/** The parts as people see them: what is the same, and judged the same, once. */
export function rowsOf({ parts }: Outcome): readonly Row[] {
  const rows = parts.map((part) => {
    return { text: label(part), verdict: part.verdict, rule: `${part.rule}: ${part.why}` };
  });
  return [...new Map(rows.map((row) => [Object.values(row).join('\n'), row])).values()];
}

/** A part in words. What a pattern stands for is one thing as long as all of it is allowed. */
export function label({ part, verdict }: PartDecision): string {
  switch (part.kind) {
    case 'command':
      return part.command.via.length > 0
        ? `${part.text} [started by ${part.command.via.map(({ name }) => name).join(', ')}]`
        : part.text;
    case 'read':
      return `read ${part.of && verdict === 'allow' && /[*?[{]/.test(part.text) ? part.text : (part.path ?? part.text)}`;
    case 'write':
      return `write ${part.path ?? part.text}`;
    case 'host':
      return `connect to ${part.host}`;
    default:
      return part.text;
  }
}
