/** Programs of which only the question for the version, and a few listings, are known to be harmless. */
import { exactly } from './options.ts';
import type { Programs } from './types.ts';

/**
 * By the letter that asks for the version. The bare word `version` is a script to most and writes for others. Not here:
 * what first starts a stand-in that the folder names (yarn, pnpm, rustup, dotnet, mvn, gradle, pytest).
 */
const LETTERS = {
  '-v': 'node bun npm ruby gem perl php gcc g++ clang tsc docker podman eslint',
  '-V': 'deno python python3 pip pip3 uv cargo rustc curl wget biome',
  '-version': 'java javac terraform',
  '--version': 'make cmake bash zsh gh vitest jest prettier',
};
const MORE: Readonly<Record<string, readonly string[]>> = {
  npm: ['ls', 'list', 'ls --depth=0', 'ls --all', 'prefix', 'root'],
  pip: ['list', 'freeze'],
  pip3: ['list', 'freeze'],
  cargo: ['--list'],
  docker: ['version', 'ps', 'ps -a', 'images'],
};

export const versions: Programs = {
  go: exactly('version', 'env'),
  helm: exactly('version'),
  kubectl: exactly('version --client'),
  ...Object.fromEntries(
    Object.entries(LETTERS).flatMap(([letter, names]) =>
      names.split(' ').map((name) => [name, exactly('--version', '--help', letter, ...(MORE[name] ?? []))]),
    ),
  ),
};
