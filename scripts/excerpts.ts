/**
 * Keeps the code in `docs/` equal to the files it shows. A comment says what stands in the block below it:
 * `<!-- steps/2-chat.ts: for await -->` is the statement that begins with these words, to its closing bracket.
 * `node scripts/excerpts.ts` cuts the blocks anew.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK = /(<!-- ([\w./-]+): (.+?) -->\n```ts\n)([\s\S]*?)(```)/g;

/** `page` with every excerpt as it is now. Throws where a statement is no longer there. */
export const cutExcerpts = (page: string, read: (path: string) => string): string =>
  page.replace(BLOCK, (_all, head: string, path: string, begin: string, _old: string, tail: string) => {
    const found = statementIn(read(path), begin);
    if (found === undefined) throw new Error(`${path} has no statement that begins with "${begin}"`);
    return `${head}${found}\n${tail}`;
  });

/** From the line that begins so to the bracket that closes it at the same depth; the common indent is taken away. */
const statementIn = (source: string, begin: string): string | undefined => {
  const lines = source.split('\n');
  const from = lines.findIndex((line) => line.trimStart().startsWith(begin));
  if (from < 0) return undefined;
  const first = lines[from] ?? '';
  const indent = first.slice(0, first.length - first.trimStart().length);
  const closes = lines.findIndex(
    (line, i) => i > from && /^[\])}]/.test(line.slice(indent.length)) && line.startsWith(indent),
  );
  const to = first.endsWith(';') || closes < 0 ? from : closes;
  return lines
    .slice(from, to + 1)
    .map((line) => line.slice(indent.length))
    .join('\n');
};

if (import.meta.main) {
  for (const name of readdirSync('docs').filter((file) => file.endsWith('.md'))) {
    const path = join('docs', name);
    const page = readFileSync(path, 'utf8');
    const cut = cutExcerpts(page, (file) => readFileSync(file, 'utf8'));
    if (cut !== page) writeFileSync(path, cut);
  }
}
