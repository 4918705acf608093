/** Edits, listing and searching in numbers: `node bench/files.ts [folder]` (the folder keeps its 200,000 files for the next run). */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, Tool } from '../src/core/types.ts';

// Markdown files are strings, as in the bundle.
registerHooks({
  load: (url, context, next) =>
    url.endsWith('.md') ? { format: 'module', source: 'export default "";', shortCircuit: true } : next(url, context),
});
const [{ createFiles }, { createRipgrep }, { editFile }, { listFiles }, { searchFiles }, { createSeen }] =
  await Promise.all([
    import('../src/env/files/index.ts'),
    import('../src/env/ripgrep.ts'),
    import('../src/tools/edit_file.ts'),
    import('../src/tools/list_files.ts'),
    import('../src/tools/search_files.ts'),
    import('../src/tools/seen.ts'),
  ]);

const FILES = 200_000;
const base = process.argv[2] ?? join(tmpdir(), 'rein-bench-files');
mkdirSync(base, { recursive: true });
const root = realpathSync(base);
if (!existsSync(join(root, 'gen/d399/f499.ts'))) {
  for (let index = 0; index < FILES; index += 1) {
    const folder = join(root, `gen/d${Math.floor(index / 500)}`);
    if (index % 500 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `f${index % 500}.ts`),
      `export const v${index} = ${index};\n// a line of text\n`.repeat(8),
    );
  }
}
writeFileSync(
  join(root, 'lines.txt'),
  Array.from({ length: 10_000 }, (_, index) => `line ${index}: forty characters or so of text\n`).join(''),
);

const ports = { files: createFiles({ home: root }), root, seen: createSeen(), ripgrep: createRipgrep() };

const call = async (tool: Tool, input: Json): Promise<string> => {
  const prepared = await tool.prepare(input);
  if (typeof prepared === 'string') throw new Error(prepared);
  const run = prepared.run({ call: 'bench', signal: new AbortController().signal });
  for (;;) {
    const step = await run.next();
    if (!step.done) continue;
    const [first] = step.value.content;
    if (step.value.failed || first?.type !== 'text') throw new Error(JSON.stringify(step.value.content));
    return first.text;
  }
};

/** Milliseconds, the median of `rounds`. */
const median = async (rounds: number, work: () => unknown): Promise<number> => {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
};

const edit = editFile(ports);
const edits = await median(1, async () => {
  for (let index = 0; index < 1000; index += 1) {
    const old = `line ${index * 10}: forty`;
    await call(edit, { path: 'lines.txt', edits: [{ old, new: `LINE ${index * 10}: forty` }] });
  }
});
console.log(`1,000 edits of a 10,000-line file: ${(edits / 1000).toFixed(2)} s`);

const list = listFiles(ports);
console.log(`listing ${FILES} files: ${(await median(5, () => call(list, {}))).toFixed(0)} ms`);
console.log(`glob over them: ${(await median(5, () => call(list, { pattern: '**/*.ts' }))).toFixed(0)} ms`);

const { rgPath } = await import('@vscode/ripgrep');
const search = searchFiles(ports);
for (const pattern of ['v123456 = ', 'nothing like that', 'text$']) {
  const flags = ['--no-config', '--hidden', '--no-require-git', '--glob', '!.git', '-n', pattern, './'];
  const bare = () => spawnSync(rgPath, flags, { cwd: root, maxBuffer: 2 ** 30 });
  const [own, theirs] = [await median(7, () => call(search, { pattern })), await median(7, bare)];
  const ratio = (own / theirs).toFixed(2);
  console.log(`search "${pattern}": ${own.toFixed(0)} ms, ripgrep alone ${theirs.toFixed(0)} ms, ${ratio}×`);
}
