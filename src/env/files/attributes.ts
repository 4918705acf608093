/** Extended attributes and access lists, which Node cannot read. */
import { spawn } from 'node:child_process';

/**
 * Copies mode, owner, access lists and extended attributes to another file with GNU `cp`. Where that isn't there (busybox,
 * macOS) extended attributes are lost; mode and owner are set by the caller in any case.
 */
export const copyAttributes = (from: Buffer, to: Buffer, platform: NodeJS.Platform = process.platform): Promise<void> =>
  new Promise((resolve) => {
    if (platform !== 'linux') return resolve();
    // Our own descriptors have other numbers in the child.
    const seen = (path: Buffer): string => path.toString('latin1').replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
    const preserve = '--preserve=mode,ownership,xattr';
    const child = spawn('cp', ['--attributes-only', preserve, '--', seen(from), seen(to)], { stdio: 'ignore' });
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
