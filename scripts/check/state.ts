import { posix } from 'node:path';
import ts from 'typescript';
import { mutators, programs } from './limits.ts';
import { isShadowed } from './scope.ts';
import { nodesOf, type Problem, problem, type Source } from './source.ts';

/** Module-level state: what a second session, or a test, would share without asking. */
export const checkState = (sources: readonly Source[]): Problem[] => {
  const collections = new Set(
    sources.flatMap((source) => exportedValues(source).map((name) => `${source.path} ${name}`)),
  );
  return sources
    .filter((source) => !programs.includes(source.path))
    .flatMap((source) => [
      ...checkRebindable(source),
      ...checkStatics(source),
      ...checkMutations(source, new Set([...topLevelValues(source), ...importedValues(source, collections)])),
    ]);
};

const topLevelLists = (source: Source): ts.VariableStatement[] => source.ast.statements.filter(ts.isVariableStatement);

const checkRebindable = (source: Source): Problem[] =>
  topLevelLists(source)
    .filter((each) => (each.declarationList.flags & ts.NodeFlags.Const) === 0 && !isAmbient(each))
    .map((each) =>
      problem(source, each, 'module-level state', 'no let or var at module level: make it a value that is passed'),
    );

const isAmbient = (node: ts.VariableStatement): boolean =>
  node.modifiers?.some((each) => each.kind === ts.SyntaxKind.DeclareKeyword) === true;

const checkStatics = (source: Source): Problem[] =>
  [...nodesOf(source.ast)]
    .filter(ts.isPropertyDeclaration)
    .filter((node) => has(node, ts.SyntaxKind.StaticKeyword) && !has(node, ts.SyntaxKind.ReadonlyKeyword))
    .map((node) =>
      problem(source, node, 'module-level state', 'a static field is shared by everybody: make it readonly or pass it'),
    );

const has = (node: ts.PropertyDeclaration, kind: ts.SyntaxKind): boolean =>
  node.modifiers?.some((each) => each.kind === kind) === true;

/** Names of top-level constants that hold something which can be changed in place. */
const topLevelValues = (source: Source): string[] => namesOf(topLevelLists(source));

const exportedValues = (source: Source): string[] =>
  namesOf(
    topLevelLists(source).filter(
      (each) => each.modifiers?.some((it) => it.kind === ts.SyntaxKind.ExportKeyword) === true,
    ),
  );

const namesOf = (statements: readonly ts.VariableStatement[]): string[] =>
  statements
    .flatMap((each) => [...each.declarationList.declarations])
    .filter((each) => each.initializer !== undefined && isObject(each.initializer))
    .flatMap((each) => (ts.isIdentifier(each.name) ? [each.name.text] : []));

/** A literal function can't hold entries; anything else that isn't a primitive literal may. */
const isObject = (node: ts.Expression): boolean => {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node))
    return isObject(node.expression);
  return (
    ts.isArrayLiteralExpression(node) ||
    ts.isObjectLiteralExpression(node) ||
    ts.isNewExpression(node) ||
    ts.isCallExpression(node)
  );
};

const importedValues = (source: Source, collections: ReadonlySet<string>): string[] =>
  source.ast.statements.filter(ts.isImportDeclaration).flatMap((node) => {
    const bindings = node.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings) || !ts.isStringLiteral(node.moduleSpecifier)) return [];
    const target = posix.join(posix.dirname(source.path), node.moduleSpecifier.text);
    return bindings.elements
      .filter((each) => collections.has(`${target} ${(each.propertyName ?? each.name).text}`))
      .map((each) => each.name.text);
  });

const checkMutations = (source: Source, names: ReadonlySet<string>): Problem[] =>
  [...nodesOf(source.ast)].flatMap((node) => {
    const target = changedBy(node);
    const root = target === undefined ? undefined : rootOf(target);
    if (root === undefined || !names.has(root.text) || isShadowed(root)) return [];
    const advice = `${root.text} lives at module level and is changed here: create it in a function and pass it`;
    return [problem(source, node, 'module-level state', advice)];
  });

/** What an expression changes in place: `x.set()`, `x.y = 1`, `x[0]++`, `delete x.y`. */
export const changedBy = (node: ts.Node): ts.Expression | undefined => {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    return mutators.includes(node.expression.name.text) ? node.expression.expression : undefined;
  if (ts.isBinaryExpression(node)) return isAssignment(node.operatorToken.kind) ? node.left : undefined;
  if (ts.isDeleteExpression(node)) return node.expression;
  const steps = ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node);
  return steps && [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken].includes(node.operator)
    ? node.operand
    : undefined;
};

const isAssignment = (kind: ts.SyntaxKind): boolean =>
  kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;

/** `a` of `a.b[0].c`. */
const rootOf = (node: ts.Expression): ts.Identifier | undefined => {
  if (ts.isIdentifier(node)) return node;
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isNonNullExpression(node))
    return rootOf(node.expression);
  return undefined;
};
