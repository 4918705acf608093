/** The shell grammar's two files, which the build lays into the package. */
import { readFile } from 'node:fs/promises';

export async function readGrammar(): Promise<{ runtime: Uint8Array; grammar: Uint8Array }> {
  const [runtime, grammar] = await Promise.all([readAsset('web-tree-sitter.wasm'), readAsset('tree-sitter-bash.wasm')]);
  return { runtime, grammar };
}

const readAsset = (name: string): Promise<Uint8Array> =>
  readFile(new URL(`../../dist/assets/${name}`, import.meta.url));
