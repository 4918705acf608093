import { appendFile, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How much of the file's end is read, and how long a prompt may be to be kept. */
const MAX_READ = 1024 * 1024;
const MAX_PROMPT = 20_000;

export type History = {
  /** This folder's prompts, oldest first. */
  readonly load: (cwd: string) => Promise<readonly string[]>;
  readonly add: (cwd: string, text: string) => Promise<void>;
};

/** One JSON line a prompt, appended, so that several programs share the file. Never in the way: failures are silent. */
export const createHistory = (file: string | undefined, time: () => number): History => ({
  load: async (cwd) =>
    file === undefined
      ? []
      : readEnd(file).then(
          (text) => promptsOf(text, cwd),
          () => [],
        ),
  add: async (cwd, text) => {
    if (file === undefined || text.length > MAX_PROMPT) return;
    const line = `${JSON.stringify({ time: time(), cwd, text })}\n`;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      .then(() => appendFile(file, line, { mode: 0o600 }))
      .catch(() => {});
  },
});

const readEnd = async (file: string): Promise<string> => {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - MAX_READ);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
};

const promptsOf = (text: string, cwd: string): readonly string[] =>
  text.split('\n').flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line);
      return isPrompt(entry) && entry.cwd === cwd ? [entry.text] : [];
    } catch {
      return [];
    }
  });

const isPrompt = (entry: unknown): entry is { readonly cwd: string; readonly text: string } =>
  typeof entry === 'object' &&
  entry !== null &&
  'cwd' in entry &&
  'text' in entry &&
  typeof entry.cwd === 'string' &&
  typeof entry.text === 'string';
