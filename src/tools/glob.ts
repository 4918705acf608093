/** A glob of the model's as ripgrep arguments. */

/** Only for names: these do not switch the ignore rules off. */
const NAME_ONLY = /^(\*\*\/)*([^/!][^/]*)$/;
const EVERYTHING = /^(\*\*?\/)*\*\*?$/;

/**
 * `--glob` overrides ignore rules, so that `src/**\/*.ts` would bring back what they hide; a type does not, and only looks
 * at names. A pattern with folders has to be a glob: what it names is wanted.
 */
export const globArguments = (pattern: string | undefined, folder: string): readonly string[] => {
  if (pattern === undefined || pattern === '' || EVERYTHING.test(pattern)) return [];
  const relative = pattern.startsWith(`${folder}/`) ? pattern.slice(folder.length + 1) : pattern.replace(/^\.\//, '');
  const name = NAME_ONLY.exec(relative)?.[2];
  return name === undefined ? ['--glob', relative] : ['--type-add', `wanted:${name}`, '--type', 'wanted'];
};

/** The same name, with no meaning but itself. */
export const literalGlob = (name: string): string => name.replace(/[\\*?[\]{}!]/g, '\\$&');

export const hasWildcards = (pattern: string): boolean => /[*?[\]{}!]/.test(pattern);
