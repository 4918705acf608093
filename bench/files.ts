/** Edits, listing and searching in numbers: `node bench/files.ts [folder]` (the folder keeps its 200,000 files for the next run). */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, inTurns } from './tool.ts';

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
const writeLines = () =>
  writeFileSync(
    join(root, 'lines.txt'),
    Array.from({ length: 10_000 }, (_, index) => `line ${index}: forty characters or so of text\n`).join(''),
  );
writeLines();

const ports = { files: createFiles({ home: root }), root, seen: createSeen(), ripgrep: createRipgrep() };

const edit = editFile(ports);
// It has not seen the file, so that putting it back is no change of somebody else's.
const another = editFile({ ...ports, seen: createSeen() });
const lines = join(root, 'lines.txt');
const places = Array.from({ length: 1000 }, (_, index) => `line ${index * 10}: forty`);
/** What each edit costs with nothing around it: read, replace, write, fsync, rename. */
const floor = async (old: string): Promise<void> => {
  const text = (await readFile(lines, 'utf8')).replace(old, () => old.toUpperCase());
  const file = await open(`${lines}.new`, 'w');
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await rename(`${lines}.new`, lines);
};
const edits = await inTurns(1, {
  floor: async () => {
    for (const old of places) await floor(old);
  },
  reset: () => writeLines(),
  edits: async () => {
    for (const old of places) await call(edit, { path: 'lines.txt', edits: [{ old, new: old.toUpperCase() }] });
  },
  again: () => writeLines(),
  atOnce: () => call(another, { path: 'lines.txt', edits: places.map((old) => ({ old, new: old.toUpperCase() })) }),
});
const seconds = (name: 'floor' | 'edits' | 'atOnce') => `${(edits[name].median / 1000).toFixed(2)} s`;
console.log(`1,000 edits of a 10,000-line file: ${seconds('edits')}, a bare loop ${seconds('floor')}`);
console.log(`  the same in one call: ${seconds('atOnce')}`);

const list = listFiles(ports);
const listing = await inTurns(5, {
  all: () => call(list, {}),
  glob: () => call(list, { pattern: '**/*.ts' }),
});
console.log(
  `listing ${FILES} files: ${listing.all.median.toFixed(0)} ms, by a glob ${listing.glob.median.toFixed(0)} ms`,
);

const { rgPath } = await import('@vscode/ripgrep');
const search = searchFiles(ports);
for (const pattern of ['v123456 = ', 'nothing like that', 'text$']) {
  const flags = ['--no-config', '--hidden', '--no-require-git', '--glob', '!.git', '-n', pattern, './'];
  const { own, theirs } = await inTurns(7, {
    own: () => call(search, { pattern }),
    theirs: () => spawnSync(rgPath, flags, { cwd: root, maxBuffer: 2 ** 30 }),
  });
  const ratio = (own.median / theirs.median).toFixed(2);
  console.log(
    `search "${pattern}": ${own.median.toFixed(0)} ms, ripgrep alone ${theirs.median.toFixed(0)} ms, ${ratio}×`,
  );
}
