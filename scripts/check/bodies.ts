import { posix } from 'node:path';
import ts from 'typescript';
import type { Source } from './source.ts';

/** The body of the function that a name at module level stands for, in its own file or the one it is imported from. */
export type Find = (name: ts.Identifier) => ts.Node | undefined;

export const bodyFinder = (sources: readonly Source[]): Find => {
  const files = new Map(sources.map((source) => [source.path, source.ast]));
  return (name) => {
    const here = name.getSourceFile();
    const own = bodyIn(here, name.text);
    if (own !== undefined) return own;
    const origin = originOf(here, name.text);
    const file = origin === undefined ? undefined : files.get(origin.path);
    return file === undefined || origin === undefined ? undefined : bodyIn(file, origin.name);
  };
};

const bodyIn = (file: ts.SourceFile, name: string): ts.Node | undefined => {
  const constants = file.statements
    .filter(ts.isVariableStatement)
    .flatMap((each) => [...each.declarationList.declarations])
    .find((each) => ts.isIdentifier(each.name) && each.name.text === name)?.initializer;
  if (constants !== undefined) return ts.isArrowFunction(constants) ? constants.body : undefined;
  return file.statements.filter(ts.isFunctionDeclaration).find((each) => each.name?.text === name)?.body;
};

/** Where a name was imported from. */
const originOf = (file: ts.SourceFile, name: string): { path: string; name: string } | undefined =>
  file.statements
    .filter(ts.isImportDeclaration)
    .flatMap((node) => {
      const bindings = node.importClause?.namedBindings;
      if (bindings === undefined || !ts.isNamedImports(bindings) || !ts.isStringLiteral(node.moduleSpecifier))
        return [];
      const path = posix.join(posix.dirname(file.fileName), node.moduleSpecifier.text);
      return bindings.elements
        .filter((each) => each.name.text === name)
        .map((each) => ({ path, name: (each.propertyName ?? each.name).text }));
    })
    .at(0);
