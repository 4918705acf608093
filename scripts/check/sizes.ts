import ts from 'typescript';
import { fileLimits, sizeLimits, totalLimits } from './limits.ts';
import { lineOf, nodesOf, type Problem, type Source } from './source.ts';

const below = (sources: readonly Source[], folder: string): Source[] =>
  sources.filter((source) => source.path.startsWith(`${folder}/`));

/** Lines of named files, of every file and function, and in all. */
export const checkSizes = (sources: readonly Source[]): Problem[] => [
  ...fileLimits.flatMap((limit) => checkFile(sources, limit.path, limit.lines, limit.why)),
  ...sizeLimits.flatMap((limit) =>
    below(sources, limit.path).flatMap((source) => [
      ...tooLong(source.path, 0, 'file', source.lines, limit.file, limit.why),
      ...functionsOf(source).flatMap((each) =>
        tooLong(source.path, each.line, `function ${each.name}`, each.lines, limit.fn, limit.why),
      ),
    ]),
  ),
  ...totalLimits.flatMap((limit) =>
    tooLong(limit.path, 0, 'folder', countLines(below(sources, limit.path)), limit.lines, limit.why),
  ),
];

export const countLines = (sources: readonly Source[]): number => sources.reduce((sum, each) => sum + each.lines, 0);

const checkFile = (sources: readonly Source[], path: string, limit: number, why: string): Problem[] => {
  const source = sources.find((each) => each.path === path);
  if (source !== undefined) return tooLong(path, 0, 'file', source.lines, limit, why);
  const folderExists = below(sources, path.slice(0, path.lastIndexOf('/'))).length > 0;
  const advice = `it has a line limit (${why}): create it, or correct scripts/check/limits.ts`;
  return folderExists ? [{ path, line: 0, rule: 'missing file', advice }] : [];
};

const tooLong = (path: string, line: number, what: string, lines: number, limit: number, why: string): Problem[] =>
  lines > limit
    ? [{ path, line, rule: `${what} too long`, advice: `${lines} lines, the limit is ${limit}: ${why}; split it` }]
    : [];

/** Every function with a body, inner ones too, from its first to its last line. */
const functionsOf = (source: Source): { name: string; line: number; lines: number }[] =>
  [...nodesOf(source.ast)].filter(ts.isFunctionLike).flatMap((node) => {
    if (!('body' in node) || node.body === undefined) return [];
    const line = lineOf(source, node);
    const end = source.ast.getLineAndCharacterOfPosition(node.getEnd()).line + 1;
    return [{ name: nameOf(node), line, lines: end - line + 1 }];
  });

const nameOf = (node: ts.SignatureDeclaration): string => {
  if (node.name !== undefined) return node.name.getText();
  const parent = node.parent;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : '(unnamed)';
};
