import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

export type LogFile = {
  /** Resolves when the text is on the disk, not only in the system's cache. Rejects when the disk does not take it. */
  readonly append: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Opens for appending; the file and its folders are the user's alone (0600 in 0700). There is one writer at a time. */
export async function openLogFile(path: string): Promise<LogFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, 'a', 0o600);
  let { size } = await handle.stat();
  let torn = false;
  return {
    append: async (text) => {
      const bytes = Buffer.from(torn ? `\n${text}` : text);
      let written = 0;
      try {
        while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten;
        await handle.datasync();
      } catch (error) {
        if (written > 0) torn = !(await cutBack(handle, size, size + written)) || torn;
        throw error;
      }
      size += written;
      torn = false;
    },
    close: () => handle.close(),
  };
}

/** Takes the begin of a record away again, unless something else was written behind it. */
async function cutBack(handle: FileHandle, before: number, now: number): Promise<boolean> {
  try {
    if ((await handle.stat()).size !== now) return false;
    await handle.truncate(before);
    return true;
  } catch {
    return false;
  }
}
