import ts from 'typescript';

/** Does a function or block around this use declare the same name, so that it is not the module's? */
export const isShadowed = (use: ts.Identifier): boolean => {
  for (let node = use.parent; !ts.isSourceFile(node); node = node.parent)
    if (declaredIn(node).includes(use.text)) return true;
  return false;
};

const declaredIn = (node: ts.Node): string[] => {
  if (ts.isFunctionLike(node)) return node.parameters.flatMap((each) => bound(each.name));
  if (ts.isBlock(node) || ts.isCaseClause(node) || ts.isDefaultClause(node))
    return node.statements.flatMap(declaredByStatement);
  if (ts.isForStatement(node) || ts.isForOfStatement(node) || ts.isForInStatement(node))
    return node.initializer !== undefined && ts.isVariableDeclarationList(node.initializer)
      ? node.initializer.declarations.flatMap((each) => bound(each.name))
      : [];
  if (ts.isCatchClause(node)) return node.variableDeclaration ? bound(node.variableDeclaration.name) : [];
  return [];
};

const declaredByStatement = (node: ts.Statement): string[] => {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.flatMap((each) => bound(each.name));
  return ts.isFunctionDeclaration(node) && node.name !== undefined ? [node.name.text] : [];
};

const bound = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : [...name.elements].flatMap((each) => (ts.isBindingElement(each) ? bound(each.name) : []));
