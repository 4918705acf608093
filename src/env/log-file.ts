import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export type LogFile = {
  /** Resolves when the text is on the disk, not only in the system's cache. Rejects when the disk does not take it. */
  readonly append: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Opens for appending; the file and its folders are the user's alone (0600 in 0700). */
export async function openLogFile(path: string): Promise<LogFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, 'a', 0o600);
  return {
    append: async (text) => {
      await handle.appendFile(text);
      await handle.datasync();
    },
    close: () => handle.close(),
  };
}

export const readLogFile = (path: string): Promise<string> => readFile(path, 'utf8');
