import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A TypeScript file: `path` is relative to the root, with slashes. `lines` counts line ends, as `wc -l` does. */
export type Source = {
  readonly path: string;
  readonly lines: number;
  readonly ast: ts.SourceFile;
};

/** What broke where, and what to do about it. `line` counts from 1; 0 stands for the whole file. */
export type Problem = { readonly path: string; readonly line: number; readonly rule: string; readonly advice: string };

const isSource = (name: string): boolean => name.endsWith('.ts') && !name.endsWith('.d.ts');

/** All TypeScript files below `root/folder`; none where the folder is missing. */
export const readSources = (root: string, folder: string): Source[] => {
  if (!statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(isSource)
    .toSorted()
    .map((name) => parseSource(`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8')));
};

const parseSource = (path: string, text: string): Source => ({
  path,
  lines: text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0),
  ast: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
});

/** The folder below `src/` that owns a file, `.` for the files of `src/` itself. */
export const folderOf = (path: string): string => {
  const parts = path.split('/');
  return parts.length > 2 && parts[1] !== undefined ? parts[1] : '.';
};

export const lineOf = (source: Source, node: ts.Node): number =>
  source.ast.getLineAndCharacterOfPosition(node.getStart(source.ast)).line + 1;

export const problem = (source: Source, node: ts.Node, rule: string, advice: string): Problem => ({
  path: source.path,
  line: lineOf(source, node),
  rule,
  advice,
});

/** Every node below `node`, itself included, parents first. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  for (const child of children) yield* nodesOf(child);
}
