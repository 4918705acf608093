import { spawnSync } from 'node:child_process';

/** Is this program on PATH? In CI a missing one is a failure, not a skip: the test then runs and says so itself. */
export const has = (command: string): boolean =>
  process.env['CI'] === 'true' || spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
