import ts from 'typescript';
import { badEndings, processMembers } from './limits.ts';
import { folderOf, nodesOf, type Problem, problem, type Source } from './source.ts';

/** Names that end in a word that says nothing, and `process` used outside its folder. */
export const checkNames = (sources: readonly Source[]): Problem[] =>
  sources.flatMap((source) => [...checkPath(source), ...checkDeclarations(source), ...checkProcess(source)]);

/** `fooBarV2` → `foo`, `bar`, `v2`. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());

const badEnding = (name: string): string | undefined => badEndings.find((ending) => ending === wordsOf(name).at(-1));

const advise = (name: string, ending: string): string =>
  `${name} ends in "${ending}": name what it is, not where it came from`;

const checkPath = (source: Source): Problem[] =>
  source.path
    .replace(/\.ts$/, '')
    .split('/')
    .flatMap((part) => {
      const ending = badEnding(part);
      return ending === undefined ? [] : [{ path: source.path, line: 0, rule: 'name', advice: advise(part, ending) }];
    });

/** A whole name such as `next` or `old` is a plain word, fine for a value; a type of that name is not. */
const checkDeclarations = (source: Source): Problem[] =>
  [...nodesOf(source.ast)].flatMap((node) => {
    const name = declaredName(node);
    if (name === undefined) return [];
    const ending = badEnding(name.text);
    const plainWord = wordsOf(name.text).length === 1 && /^[a-z]/.test(name.text);
    return ending === undefined || plainWord ? [] : [problem(source, name, 'name', advise(name.text, ending))];
  });

const declaredName = (node: ts.Node): ts.Identifier | undefined => {
  const declares =
    ts.isVariableDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isMethodDeclaration(node);
  return declares && node.name !== undefined && ts.isIdentifier(node.name) ? node.name : undefined;
};

const checkProcess = (source: Source): Problem[] => {
  if (!source.path.startsWith('src/') || folderOf(source.path) === processMembers.folder) return [];
  const advice = `only src/${processMembers.folder} reads it: pass the value in`;
  return [...nodesOf(source.ast)].flatMap((node) =>
    processMembersIn(node).map((member) => problem(source, node, `process.${member}`, advice)),
  );
};

/** `process.env`, `process['env']`, `const { env } = process`, `import { env } from 'node:process'`. */
const processMembersIn = (node: ts.Node): string[] => membersIn(node).filter((name) => isOurs(name));

const isOurs = (name: string): boolean => processMembers.names.some((member) => member === name);

const membersIn = (node: ts.Node): string[] => {
  if (ts.isPropertyAccessExpression(node) && isProcess(node.expression)) return [node.name.text];
  if (ts.isElementAccessExpression(node) && isProcess(node.expression))
    return ts.isStringLiteralLike(node.argumentExpression) ? [node.argumentExpression.text] : [];
  if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name) && isProcess(node.initializer))
    return node.name.elements.map((element) => (element.propertyName ?? element.name).getText());
  if (ts.isImportDeclaration(node) && isProcessModule(node.moduleSpecifier)) {
    const bindings = node.importClause?.namedBindings;
    return bindings !== undefined && ts.isNamedImports(bindings)
      ? bindings.elements.map((element) => (element.propertyName ?? element.name).text)
      : [];
  }
  return [];
};

const isProcess = (node: ts.Node | undefined): boolean =>
  node !== undefined &&
  ((ts.isIdentifier(node) && node.text === 'process') ||
    (ts.isPropertyAccessExpression(node) &&
      node.name.text === 'process' &&
      node.expression.getText() === 'globalThis'));

const isProcessModule = (node: ts.Expression): boolean =>
  ts.isStringLiteral(node) && (node.text === 'node:process' || node.text === 'process');
