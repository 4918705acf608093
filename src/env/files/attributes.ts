/**
 * Extended attributes and access lists. Node can neither see nor copy them, so GNU tar looks and GNU cp copies. Where these
 * aren't there (busybox, macOS) such attributes are lost; mode and owner are kept by other means.
 */
import { spawn } from 'node:child_process';
import type { Stats } from 'node:fs';

export type Attributes = {
  /** Resolves to true where there was nothing to copy. */
  readonly copy: (from: Buffer, stat: Stats, to: Buffer) => Promise<boolean>;
  /** This file has none: it need not be looked at again. */
  readonly remember: (stat: Stats) => void;
};

export const createAttributes = (): Attributes => {
  const bare = new Set<string>();
  // Setting an attribute changes the ctime.
  const keyOf = ({ dev, ino, ctimeMs }: Stats): string => [dev, ino, ctimeMs].join();
  return {
    copy: async (from, stat, to) => {
      if (process.platform !== 'linux' || bare.delete(keyOf(stat)) || !(await hasAttributes(from))) return true;
      await run('cp', ['--attributes-only', '--preserve=mode,ownership,xattr', '--', inChild(from), inChild(to)]);
      return false;
    },
    remember: (stat) => bare.add(keyOf(stat)),
  };
};

/** An archive names them in the header, which comes before the content. Without tar they may be there. */
const hasAttributes = async (path: Buffer): Promise<boolean> => {
  const args = ['-c', '--no-recursion', '--xattrs', '--xattrs-include=*', '--acls', '--', inChild(path)];
  return (await run('tar', args))?.includes('SCHILY.') ?? true;
};

// Our own descriptors have other numbers in the child.
const inChild = (path: Buffer): string => path.toString('utf8').replace(/^\/proc\/self\//, `/proc/${process.pid}/`);

const HEADER = 1 << 16;

/** The beginning of what a program prints; undefined where there is no such program. */
const run = (program: string, args: readonly string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (printed.length < HEADER) printed += chunk.toString('latin1');
      else child.kill('SIGKILL');
    });
    child.once('error', () => resolve(undefined));
    child.once('close', () => resolve(printed));
  });
