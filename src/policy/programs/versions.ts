/** Programs of which only the question for the version, and a few listings, are known to be harmless. */
import { exactly } from './options.ts';
import type { Programs } from './types.ts';

const VERSION = ['--version', '-v', '-V', '--help', 'version'];
const named = (
  'node npm pnpm yarn bun deno python python3 pip pip3 uv ruby gem perl php java javac go cargo rustc rustup gcc g++ clang make cmake ' +
  'tsc docker podman kubectl helm terraform gh curl wget bash zsh dotnet mvn gradle vitest jest eslint biome prettier pytest'
).split(' ');

export const versions: Programs = {
  ...Object.fromEntries(
    named.map((name) => [name, exactly(...VERSION.filter((flag) => flag !== '-v' || name !== 'make'))]),
  ),
  npm: exactly(...VERSION, 'ls', 'list', 'ls --depth=0', 'ls --all', 'prefix', 'root'),
  python: exactly('--version', '-V', '--help'),
  python3: exactly('--version', '-V', '--help'),
  pytest: exactly('--version', '--help'),
  vitest: exactly('--version', '--help'),
  jest: exactly('--version', '--help'),
  perl: exactly('-v', '--version'),
  php: exactly('-v', '--version'),
  go: exactly('version', 'env'),
  docker: exactly('--version', 'version', 'ps', 'images', 'ps -a'),
  cargo: exactly('--version', '-V', '--list'),
  pip: exactly('--version', 'list', 'freeze'),
  pip3: exactly('--version', 'list', 'freeze'),
};
