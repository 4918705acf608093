import ts from 'typescript';
import { bodyFinder, type Find } from './bodies.ts';
import { programs, pureCalls, pureConstructors, pureMethods } from './limits.ts';
import { type Problem, problem, type Source } from './source.ts';
import { changedBy } from './state.ts';

const rule = 'work at import time';

/** What runs merely because a file is imported. */
export const checkEffects = (sources: readonly Source[]): Problem[] => {
  const find = bodyFinder(sources);
  return sources
    .filter((source) => !programs.includes(source.path))
    .flatMap((source) => source.ast.statements.flatMap((statement) => checkStatement(source, statement, find)));
};

const checkStatement = (source: Source, node: ts.Statement, find: Find): Problem[] => {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.flatMap((each) => checkValue(source, each.initializer, find));
  if (ts.isExportAssignment(node)) return checkValue(source, node.expression, find);
  if (ts.isClassDeclaration(node)) return node.members.flatMap((each) => checkMember(source, each, find));
  const declares =
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isModuleDeclaration(node) ||
    ts.isEmptyStatement(node);
  return declares ? [] : [problem(source, node, rule, 'a statement at module level: put it in a function')];
};

const checkMember = (source: Source, node: ts.ClassElement, find: Find): Problem[] => {
  if (ts.isClassStaticBlockDeclaration(node))
    return [problem(source, node, rule, 'a static block: put it in a function')];
  const runs =
    ts.isPropertyDeclaration(node) &&
    node.modifiers?.some((each) => each.kind === ts.SyntaxKind.StaticKeyword) === true;
  return runs ? checkValue(source, node.initializer, find) : [];
};

const checkValue = (source: Source, node: ts.Expression | undefined, find: Find): Problem[] => {
  const culprit = node === undefined ? undefined : impure(node, find);
  if (culprit === undefined) return [];
  const what = firstLine(culprit.getText(source.ast));
  return [
    problem(
      source,
      culprit,
      rule,
      `${what} runs on import: put it in a function, or mark a pure builder /* @__PURE__ */`,
    ),
  ];
};

const firstLine = (text: string): string => text.split(/[\n({]/, 1)[0] ?? '';

/** The first part of an expression that does more than build a value. `via` are the builders on the way to it. */
const impure = (node: ts.Node, find: Find, via: readonly ts.Node[] = []): ts.Node | undefined => {
  if (ts.isTypeNode(node) || (ts.isFunctionLike(node) && !runsAtOnce(node))) return undefined;
  if (ts.isCallExpression(node) && !isPureCall(node, find, via)) return node;
  if (ts.isNewExpression(node) && !pureConstructors.includes(node.expression.getText()) && !isMarked(node)) return node;
  if (ts.isTaggedTemplateExpression(node) && !pureCalls.includes(node.tag.getText())) return node;
  if (ts.isAwaitExpression(node) || (!ts.isCallExpression(node) && changedBy(node) !== undefined)) return node;
  return ts.forEachChild(node, (child) => impure(child, find, via));
};

/** The function in `list.map(function)`. */
const runsAtOnce = (node: ts.Node): boolean =>
  ts.isCallExpression(node.parent) && node.parent.expression !== node && isPureMethod(node.parent.expression);

const isPureMethod = (callee: ts.Expression): boolean =>
  ts.isPropertyAccessExpression(callee) && pureMethods.includes(callee.name.text);

const isPureCall = (node: ts.CallExpression, find: Find, via: readonly ts.Node[]): boolean => {
  const callee = node.expression;
  const inTable = pureCalls.some((each) =>
    each.endsWith('.*') ? rootName(callee) === each.slice(0, -2) : each === callee.getText(),
  );
  return inTable || isPureMethod(callee) || isMarked(node) || isBuilder(callee, find, via);
};

/** `z` of `z.object({}).strict`. */
const rootName = (node: ts.Expression): string | undefined => {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return rootName(node.expression);
  return undefined;
};

const isMarked = (node: ts.Node): boolean =>
  /[@#]__PURE__/.test(node.getFullText().slice(0, node.getLeadingTriviaWidth()));

/** A function of ours that only builds a value, here or in the file it is imported from. Recursion is not a builder. */
const isBuilder = (callee: ts.Expression, find: Find, via: readonly ts.Node[]): boolean => {
  const body = ts.isIdentifier(callee) ? find(callee) : undefined;
  return body !== undefined && !via.includes(body) && impure(body, find, [...via, body]) === undefined;
};
