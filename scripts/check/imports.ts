import { posix } from 'node:path';
import ts from 'typescript';
import { type Arrow, arrows, importableOutside, sharedPackages } from './limits.ts';
import { folderOf, nodesOf, type Problem, problem, type Source } from './source.ts';

type Import = {
  readonly source: Source;
  readonly node: ts.Node;
  readonly specifier: string;
  readonly typeOnly: boolean;
};

/** Imports outside the table, folders that import each other, packages with two homes. */
export const checkImports = (sources: readonly Source[]): Problem[] => {
  const imports = sources.flatMap(importsOf);
  const inner = imports.filter((each) => each.specifier.startsWith('.'));
  const outer = imports.filter((each) => !each.specifier.startsWith('.'));
  return [...inner.flatMap(checkArrow), ...outer.flatMap(checkBare), ...checkMutual(inner), ...checkHomes(outer)];
};

/** Static, dynamic and type imports, and re-exports. */
const importsOf = (source: Source): Import[] =>
  [...nodesOf(source.ast)].flatMap((node) => {
    const found = readImport(node);
    return found === undefined ? [] : [{ source, node, ...found }];
  });

const readImport = (node: ts.Node): { specifier: string; typeOnly: boolean } | undefined => {
  if (ts.isImportDeclaration(node)) return named(node.moduleSpecifier, typeOnlyImport(node.importClause));
  if (ts.isExportDeclaration(node)) return named(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return named(node.arguments[0], false);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return named(node.argument.literal, true);
  return undefined;
};

const named = (node: ts.Node | undefined, typeOnly: boolean): { specifier: string; typeOnly: boolean } | undefined =>
  node !== undefined && ts.isStringLiteralLike(node) ? { specifier: node.text, typeOnly } : undefined;

const typeOnlyImport = (clause: ts.ImportClause | undefined): boolean => {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause.namedBindings;
  return (
    clause.name === undefined &&
    bindings !== undefined &&
    ts.isNamedImports(bindings) &&
    bindings.elements.length > 0 &&
    bindings.elements.every((element) => element.isTypeOnly)
  );
};

const targetOf = (each: Import): string => posix.join(posix.dirname(each.source.path), each.specifier);

const checkArrow = (each: Import): Problem[] => {
  const from = folderOf(each.source.path);
  const target = targetOf(each);
  if (importableOutside.includes(target)) return [];
  if (!target.startsWith('src/'))
    return [
      problem(each.source, each.node, 'import outside src', `src does not import ${target}: move it or pass it in`),
    ];
  const to = folderOf(target);
  const row = arrows[from];
  if (row === undefined)
    return [problem(each.source, each.node, 'unknown folder', `give ${from}/ a row in scripts/check/limits.ts`)];
  if (from === to || row.to.includes(to)) return [];
  const typesAllowed = row.types?.includes(to) === true;
  if (typesAllowed && (each.typeOnly || posix.basename(target) === 'types.ts')) return [];
  const advice = typesAllowed
    ? `${from} may import only types of ${to}: use import type, or pass the value as an argument`
    : `${from} may import ${describe(row)}, not ${to}: share a type in core, or pass it as an argument`;
  return [problem(each.source, each.node, 'arrow', advice)];
};

const describe = (row: Arrow): string =>
  [...row.to, ...(row.types ?? []).map((folder) => `types of ${folder}`)].join(', ') || 'nothing of ours';

const checkBare = (each: Import): Problem[] => {
  const folder = folderOf(each.source.path);
  return arrows[folder]?.bare === true
    ? [
        problem(
          each.source,
          each.node,
          'bare folder',
          `${folder} imports nothing, not even ${each.specifier}: pass it in`,
        ),
      ]
    : [];
};

const checkMutual = (imports: readonly Import[]): Problem[] => {
  const crossing = imports
    .map((each) => ({ each, from: folderOf(each.source.path), to: folderOf(targetOf(each)) }))
    .filter(({ from, to }) => from !== to);
  const pairs = new Map(crossing.map((it) => [`${it.from} ${it.to}`, it]));
  return [...pairs.values()]
    .filter(({ from, to }) => from < to && pairs.has(`${to} ${from}`))
    .map(({ each, from, to }) =>
      problem(each.source, each.node, 'folders import each other', `cut ${from} → ${to} or ${to} → ${from}`),
    );
};

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const checkHomes = (imports: readonly Import[]): Problem[] => {
  const ours = imports.filter((each) => !each.specifier.startsWith('node:'));
  const byPackage = Map.groupBy(ours, (each) => packageOf(each.specifier));
  return [...byPackage].flatMap(([name, uses]) => {
    const homes = [...new Set(uses.map((each) => folderOf(each.source.path)))];
    if (homes.length < 2 || sharedPackages.includes(name)) return [];
    return homes.flatMap((home) => {
      const first = uses.find((each) => folderOf(each.source.path) === home);
      const advice = `${name} is imported in ${homes.join(' and ')}: keep it in one folder, pass what it does`;
      return first === undefined ? [] : [problem(first.source, first.node, 'package with two homes', advice)];
    });
  });
};
