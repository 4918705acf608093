import { readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';

/** Linux's numbers of file systems (statfs(2)). */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  61267: 'ext4',
  16914836: 'tmpfs',
  2035054128: 'overlay',
  2435016766: 'btrfs',
  1481003842: 'xfs',
};

/** One line about where the numbers come from. `folder` is where the runs work. */
export const describeMachine = (folder: string): string => {
  const type = statfsSync(folder).type;
  return [
    `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    `Linux ${release()}`,
    `work on ${FILE_SYSTEMS[type] ?? `file system 0x${type.toString(16)}`}`,
    `Node ${process.versions.node}`,
    `load ${loadavg()[0]?.toFixed(2)} at the start`,
    'NODE_EXTRA_CA_CERTS unset',
  ].join(', ');
};

/** Bytes on disk of what a user's install brings besides the package: its dependencies and theirs. */
export const dependencySize = (root: string): number => {
  const seen = new Set<string>();
  const visit = (name: string): number => {
    const folder = join(root, 'node_modules', name);
    if (seen.has(name) || !statSync(folder, { throwIfNoEntry: false })) return 0;
    seen.add(name);
    return folderSize(folder) + dependenciesOf(folder).reduce((sum, other) => sum + visit(other), 0);
  };
  return dependenciesOf(root).reduce((sum, name) => sum + visit(name), 0);
};

const dependenciesOf = (folder: string): readonly string[] => {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
};

const folderSize = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return (
      sum + (entry.isDirectory() ? folderSize(path) : (statSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * 512)
    );
  }, 0);
