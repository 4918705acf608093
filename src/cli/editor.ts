/** A text, changed by the person in an editor of their own, which has the terminal meanwhile. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `command` is a shell command; the file is added to it. Rejects with a sentence where it fails. */
export const editWith =
  (command: string) =>
  async (text: string): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'rein-'));
    const file = join(folder, 'prompt.md');
    try {
      await writeFile(file, text, { mode: 0o600 });
      const code = await new Promise<number | null>((resolve, reject) => {
        const child = spawn('/bin/sh', ['-c', `${command} "$1"`, 'editor', file], { stdio: 'inherit' });
        child.once('error', reject);
        child.once('close', resolve);
      });
      if (code !== 0) throw new Error(`${command} ended with ${code}; the text is as it was.`);
      return (await readFile(file, 'utf8')).replace(/\n$/, '');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
