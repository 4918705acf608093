import { matches } from './match.ts';
import type { Part, Place, Rule } from './types.ts';

/**
 * For tools that look through folders, and for the walls of the sandbox: is this one real path denied?
 */
export function isPathDenied(path: string, kind: 'read' | 'write', rules: readonly Rule[], place: Place): boolean {
  const part: Part = kind === 'read' ? { kind, path, how: 'file', text: path } : { kind, path, text: path };
  const query = {
    ...place,
    tool: '',
    access: { show: '' },
    cwd: '/',
    mode: 'ask',
    rules,
    sandboxed: false,
    analysis: null,
  } as const;
  return rules.some(
    (rule) => rule.effect === 'deny' && rule.match.kind === 'path' && matches(rule, part, query) === 'yes',
  );
}
