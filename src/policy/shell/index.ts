import { analyse } from './analyse.ts';
import { loadGrammar, type Parse, type Wasm } from './grammar.ts';
import type { Analysis } from './types.ts';

export type { Wasm } from './grammar.ts';
export type { Analysis, Assignment, Command, Redirect, Word } from './types.ts';
export { endOfExec } from './wrappers.ts';

/** Reads shell lines. Loads the grammar at the first line; where that fails, every line is unknown, which means ask. */
export type Shell = (line: string) => Promise<Analysis>;

export function createShell(wasm: Wasm, home: string | null): Shell {
  let loading: Promise<Parse | string> | undefined;
  return async (line) => {
    loading ??= loadGrammar(wasm).catch((error: unknown) => `the shell grammar could not be loaded: ${String(error)}`);
    const parse = await loading;
    if (typeof parse !== 'string') return analyse(line, parse, home);
    const unknown = [{ text: line, why: parse }];
    return { line, commands: [], redirects: [], assignments: [], unknown, loops: false };
  };
}
