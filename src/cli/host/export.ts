/** `/export`: the conversation as Markdown, in a file that was not there before. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { markdown } from '../../front/transcript.ts';
import type { Session } from '../../harness/index.ts';

export function exportSession({ id, cwd, entries }: Session, home: string, path = `rein-${id}.md`): string {
  if (entries().length === 0) throw new Error('Nothing was said yet.');
  const file = path.startsWith('~/') ? join(home, path.slice(2)) : resolve(cwd, path);
  try {
    writeFileSync(file, markdown(`Session ${id}`, entries()), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new Error(`${file} is there already: give another name, /export NAME.`);
    throw error;
  }
  return `Written to \`${file}\`.`;
}
