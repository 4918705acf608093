import type { Decision, Part } from '../types.ts';

/** Nothing is known in its favour. */
export const byDefault = (part: Part): Decision => ({ verdict: 'ask', rule: 'default', why: reason(part) });

function reason(part: Part): string {
  switch (part.kind) {
    case 'command':
      return part.harmless ?? 'no rule allows it';
    case 'unknown':
      return part.why;
    case 'assignment':
      return `${part.assignment.name} may change what programs do`;
    case 'read':
      return part.path === null ? `which path ${part.text} is can't be known` : `${part.path} is outside the workspace`;
    case 'write':
      return part.path === null ? `which path ${part.text} is can't be known` : 'no rule allows it';
    case 'host':
      return 'no rule allows it';
    case 'anything':
      return 'what it does is not known beforehand';
  }
}
