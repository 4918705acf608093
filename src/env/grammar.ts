/** The shell grammar's two files, which the build lays into the package. */
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';

export async function readGrammar(): Promise<{ runtime: Uint8Array; grammar: Uint8Array }> {
  // Else V8 begins to optimise the grammar after some lines, and the exit waits 0.4 s for that.
  setFlagsFromString('--wasm-tiering-budget=2000000000');
  const [runtime, grammar] = await Promise.all([readAsset('web-tree-sitter.wasm'), readAsset('tree-sitter-bash.wasm')]);
  return { runtime, grammar };
}

const readAsset = (name: string): Promise<Uint8Array> =>
  readFile(new URL(`../../dist/assets/${name}`, import.meta.url));
