import type { Node, Parser } from 'web-tree-sitter';

/** The two wasm files: bytes, or a path for the runtime. Asked for once, at the first shell line. */
export type Wasm = () => Promise<{ readonly runtime: Uint8Array | string; readonly grammar: Uint8Array }>;

/** A node of the syntax tree, as plain data: reading the wasm tree over and over is what costs. */
export type Tree = {
  readonly type: string;
  readonly named: boolean;
  readonly start: number;
  readonly end: number;
  readonly broken: boolean;
  readonly children: readonly Tree[];
};

/** @returns the tree, or null where it would be too large, too deep, or too slow to read */
export type Parse = (source: string) => Tree | null;

const MAX_SOURCE = 64 * 1024;
const MAX_NODES = 20_000;
const MAX_DEPTH = 150;
/** The parser reports every so often; a count is a bound that does not depend on the machine. */
const MAX_REPORTS = 20_000;

export async function loadGrammar(wasm: Wasm): Promise<Parse> {
  const [{ Parser, Language }, { runtime, grammar }] = await Promise.all([import('web-tree-sitter'), wasm()]);
  // One for the whole process: a second initialisation, begun before the first has ended, takes its memory away.
  const library: typeof Parser & { ready?: Promise<void> } = Parser;
  library.ready ??= Parser.init(typeof runtime === 'string' ? { locateFile: () => runtime } : { wasmBinary: runtime });
  await library.ready;
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammar));
  return (source) => parse(parser, source);
}

function parse(parser: Parser, source: string): Tree | null {
  if (source.length > MAX_SOURCE) return null;
  let reports = 0;
  const tree = parser.parse(source, null, { progressCallback: () => ++reports > MAX_REPORTS });
  if (!tree) {
    parser.reset();
    return null;
  }
  try {
    const budget = { nodes: MAX_NODES };
    return copy(tree.rootNode, 0, budget);
  } finally {
    tree.delete();
  }
}

function copy(node: Node, depth: number, budget: { nodes: number }): Tree | null {
  if (depth > MAX_DEPTH || --budget.nodes < 0) return null;
  const children: Tree[] = [];
  for (const child of node.children) {
    const copied = copy(child, depth + 1, budget);
    if (!copied) return null;
    children.push(copied);
  }
  return {
    type: node.type,
    named: node.isNamed,
    start: node.startIndex,
    end: node.endIndex,
    broken: node.isError || node.isMissing,
    children,
  };
}
