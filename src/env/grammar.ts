/** The shell grammar's two files, which the build lays into the package. */
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';

export async function readGrammar(): Promise<{ runtime: Uint8Array; grammar: Uint8Array }> {
  // Else V8 optimises the grammar after some lines: 500 MB for a moment, and an exit that waits 0.4 s for it.
  for (const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);
  const [runtime, grammar] = await Promise.all([readAsset('web-tree-sitter.wasm'), readAsset('tree-sitter-bash.wasm')]);
  return { runtime, grammar };
}

const readAsset = (name: string): Promise<Uint8Array> =>
  readFile(new URL(`../../dist/assets/${name}`, import.meta.url));
