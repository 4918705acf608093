import { MODES, type Mode, type Rule } from './types.ts';

export type Rights = { readonly mode: Mode; readonly rules: readonly Rule[] };

/**
 * The rights of a sub-agent: what its definition and its parent both allow. What either denies or asks stays so. A
 * definition without allow rules has its parent's. Computed for each call, so that a change in the parent reaches it.
 */
export function subset(parent: Rights, child: Rights): Rights {
  const strict = [...parent.rules, ...child.rules].filter(({ effect }) => effect !== 'allow');
  const given = parent.rules.filter(({ effect }) => effect === 'allow');
  const wanted = child.rules.filter(({ effect }) => effect === 'allow');
  const both =
    wanted.length === 0
      ? given
      : [
          ...wanted.filter((rule) => given.some((other) => covers(other, rule))),
          ...given.filter((rule) => wanted.some((other) => covers(other, rule))),
        ];
  const mode = MODES[Math.min(MODES.indexOf(parent.mode), MODES.indexOf(child.mode))] ?? 'plan';
  return { mode, rules: [...strict, ...new Map(both.map((rule) => [rule.text, rule])).values()] };
}

/** True where everything that `narrow` allows, `wide` allows too. In doubt, false. */
function covers(wide: Rule, narrow: Rule): boolean {
  if (wide.tool !== '*' && wide.tool !== narrow.tool) return false;
  if (wide.match.kind === 'any' || wide.text === narrow.text) return true;
  if (wide.match.kind !== 'words' || narrow.match.kind !== 'words' || !wide.match.open) return false;
  const { words } = narrow.match;
  return (
    wide.match.words.length <= words.length &&
    wide.match.words.every((word, index) => word === '*' || word === words[index])
  );
}
