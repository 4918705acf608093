/**
 * What a user's install weighs: the package as `npm pack` would send it, and what it brings along on this platform.
 * `node scripts/size.ts` prints MB per part and exits 1 above the limit. It needs a build.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Megabytes installed; raising it is a decision (`docs/decisions.md`). */
const limit = 30;

const packed = (): number => {
  const out = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
  return JSON.parse(out)[0].unpackedSize;
};

const readPackage = (folder: string): { dependencies?: object; optionalDependencies?: object } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Installed folders of everything that `folder` depends on, itself excluded; other platforms' packages aren't there. */
const dependenciesOf = (folder: string): string[] => {
  const { dependencies = {}, optionalDependencies = {} } = readPackage(folder);
  const direct = Object.keys({ ...dependencies, ...optionalDependencies })
    .map((name) => join('node_modules', name))
    .filter((path) => existsSync(path));
  return [...new Set(direct.flatMap((path) => [path, ...dependenciesOf(path)]))];
};

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);

const parts = [['rein', packed()] as const, ...dependenciesOf('.').map((path) => [path, sizeOf(path)] as const)];
const total = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
for (const [name, bytes] of [...parts, ['in all', total] as const])
  console.log(`${(bytes / 1e6).toFixed(1).padStart(6)} MB  ${name}`);
if (total > limit * 1e6) {
  console.error(`An install is above ${limit} MB: bundle what is new (a devDependency) or do without it.`);
  process.exitCode = 1;
}
