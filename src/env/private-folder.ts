import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The wanted folder, made for the user alone; where it can't be made, a fresh one among the temporary files. */
export function makePrivateFolder(wanted: string): string {
  try {
    mkdirSync(wanted, { recursive: true, mode: 0o700 });
    return wanted;
  } catch {
    return mkdtempSync(join(tmpdir(), 'rein-'));
  }
}
