import { matches } from '../match.ts';
import { isSecret, resolve } from '../paths.ts';
import type { OrderRule, Part, Query } from '../types.ts';

/** Files of keys and passwords. Only a rule that names the very file lets them through unasked. */
export const secrets: OrderRule = (part, query) => {
  const path = secretIn(part, query);
  if (path === undefined) return null;
  const named = query.rules.some(
    (rule) =>
      rule.effect === 'allow' &&
      rule.match.kind === 'path' &&
      !/[*?{]/.test(rule.match.pattern) &&
      matches(rule, part, query) === 'yes',
  );
  return named ? null : { verdict: 'ask', rule: 'secrets', why: `${path} may hold keys or passwords` };
};

function secretIn(part: Part, { disk }: Query): string | undefined {
  if (part.kind === 'command' && part.harmless !== null) return part.paths.find(isSecret);
  if ((part.kind !== 'read' && part.kind !== 'write') || part.path === null) return undefined;
  const { path } = part;
  if (part.kind === 'read' && part.how === 'names') return undefined;
  if (isSecret(path)) return path;
  if (part.kind === 'write' || part.how !== 'deep') return undefined;
  // Reading all below a folder: a look at the folder itself costs little and finds the common `.env`.
  return disk
    .names(path)
    .map((name) => resolve(path, name))
    .find(isSecret);
}
