import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildIfStale } from '../scripts/build.ts';

/**
 * Runs once before all tests: what they start is built from what stands here. Where that fails the old build goes, so
 * that no test passes on it, and tests that need none still run.
 */
export default async function setup(): Promise<void> {
  const root = resolve(import.meta.dirname, '..');
  if (!existsSync(resolve(root, 'src/cli/main.ts'))) return;
  try {
    await buildIfStale(root);
  } catch (error) {
    rmSync(resolve(root, 'dist/cli'), { recursive: true, force: true });
    console.error(`The CLI does not build: ${error instanceof Error ? error.message : error}`);
  }
}
