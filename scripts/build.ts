/**
 * Builds `dist/`: the CLI (bundled, split, minified), the library with its types, and the assets of both.
 * `node scripts/build.ts [--if-stale] [root]`. Every built file lies two folders below the package, as `src/x/y.ts`
 * does, so that `../../` is the package's folder from both.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build as bundle, type Metafile, type Plugin } from 'esbuild';
import { build as buildTypes } from 'tsdown';

/**
 * Files that are read at run time: those of `from` whose names end in `ext` are copied to `to`. A file that its reader
 * finds beside itself goes where that reader is built to.
 */
const assets: readonly { readonly from: string; readonly ext: string; readonly to: string }[] = [
  { from: 'src/testing/scenarios', ext: '.py', to: 'dist/lib' },
  { from: 'node_modules/web-tree-sitter', ext: 'web-tree-sitter.wasm', to: 'dist/assets' },
  { from: 'node_modules/tree-sitter-bash', ext: '.wasm', to: 'dist/assets' },
];

/** The library's entries by the name of their file. */
const entries: Readonly<Record<string, string>> = { index: 'src/index.ts', testing: 'src/testing/index.ts' };

/** Threads and programs that are started from a file of this name beside the code that starts them. */
const companions: Readonly<Record<string, string>> = {
  door: 'src/cli/door.ts',
  page_worker: 'src/tools/web/page_worker.ts',
};

/** CommonJS packages ask for `require`, which a module doesn't have. */
const banner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

export const build = async (root: string): Promise<void> => {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  await buildCli(root);
  await buildLibrary(root);
};

/**
 * `src/cli/` → `dist/cli/`. Files arrive whole and the entry last, and older chunks stay, so that a program that runs
 * meanwhile finds what it loads late.
 */
const buildCli = async (root: string): Promise<void> => {
  const began = new Date(Date.now() + 1); // files have finer times than dates
  copyAssets(root);
  // The CLI meets no schema of a user's own, and the 80 files of zod would cost 30 ms of each start.
  const external = runtimePackages(root).filter((name) => name !== 'zod');
  const built = await bundle({
    absWorkingDir: root,
    entryPoints: { main: 'src/cli/main.ts', ...existing(root, companions) },
    outdir: 'dist/cli',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    mainFields: ['module', 'main'], // jsonc-parser's `main` hides its own requires from the bundler
    loader: { '.md': 'text' },
    external,
    plugins: [lazyPackages(external)],
    banner: { js: banner },
    legalComments: 'none', // whole licences are in dist/licences.txt
    logLevel: 'warning',
  });
  const files = built.outputFiles.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)));
  for (const file of files) writeWhole(file.path, file.contents);
  writeWhole(join(root, 'dist/licences.txt'), licencesOf(root, built.metafile));
  utimesSync(join(root, 'dist/cli/main.js'), began, began); // what was edited meanwhile is newer
};

/**
 * A CommonJS package that is loaded by `import()` would lose its names in the bundle. A module that lists them as Node
 * finds them stands in for it.
 */
const lazyPackages = (external: readonly string[]): Plugin => ({
  name: 'lazy packages',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^[^./]/ }, ({ kind, path, resolveDir }) =>
      kind !== 'dynamic-import' || isBuiltin(path) || external.includes(path)
        ? null
        : { path, namespace: 'lazy', pluginData: resolveDir },
    );
    onLoad({ filter: /./, namespace: 'lazy' }, async ({ path, pluginData }) => {
      const found = Object.keys(await import(path));
      // Node's own names for a CommonJS package; its ES module build, which is what is bundled, has none of them.
      const own = found.includes('__esModule') ? ['module.exports', '__esModule', 'default'] : ['module.exports'];
      const names = found.filter((name) => !own.includes(name));
      return { contents: `export { ${names.join(', ')} } from '${path}';`, resolveDir: pluginData };
    });
  },
});

const isEntry = (path: string): boolean => basename(path) === 'main.js';

/** `src/index.ts` and `src/testing/index.ts` → `dist/lib/`, with types. Packages of `dependencies` stay imports. */
const buildLibrary = async (root: string): Promise<void> => {
  await buildTypes({
    cwd: root,
    config: false,
    entry: existing(root, { ...entries, ...companions }),
    outDir: 'dist/lib',
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    fixedExtension: false,
    dts: true,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } }, // small, and names stay in traces
    loader: { '.md': 'text' },
    deps: { neverBundle: runtimePackages(root), onlyBundle: false },
    checks: { eval: false }, // web-tree-sitter's loader
    inputOptions: { resolve: { mainFields: ['module', 'main'] } },
    logLevel: 'warn',
  });
};

const existing = (root: string, files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([, path]) => existsSync(join(root, path))));

const copyAssets = (root: string): void => {
  for (const { from, ext, to } of assets)
    for (const name of existsSync(join(root, from)) ? readdirSync(join(root, from)) : [])
      if (name.endsWith(ext)) cpSync(join(root, from, name), join(root, to, name));
};

/** The CLI alone, and only where a source is newer than what is built. False where there was nothing to do. */
export const buildIfStale = async (root: string): Promise<boolean> => {
  const built = statSync(join(root, 'dist/cli/main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) =>
    join('src', name),
  );
  const changed = [...sources, 'scripts/build.ts', 'package.json'].filter((path) => modified(join(root, path)) > built);
  if (changed.length === 0) return false;
  await buildCli(root);
  return true;
};

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** What a user's install brings: it stays an import. Everything else is bundled. */
const runtimePackages = (root: string): string[] =>
  Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies ?? {});

const writeWhole = (path: string, contents: Uint8Array | string): void => {
  mkdirSync(dirname(path), { recursive: true });
  const part = `${path}.${process.pid}`;
  writeFileSync(part, contents);
  renameSync(part, path);
};

/** The licence texts of all packages that ended up in the bundle. */
const licencesOf = (root: string, metafile: Metafile): string => {
  const folders = Object.keys(metafile.inputs).flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  const texts = [...new Set(folders)]
    .toSorted()
    .map((folder) => `## ${folder.replace(/^.*node_modules\//, '')}\n\n${licenceIn(join(root, folder))}`);
  return `Packages that are part of the bundle, and their licences.\n\n${texts.join('\n')}`;
};

const licenceIn = (folder: string): string => {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8');
  const { license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${license}\n`;
};

if (import.meta.main) {
  const { values, positionals } = parseArgs({ options: { 'if-stale': { type: 'boolean' } }, allowPositionals: true });
  const root = resolve(positionals[0] ?? '.');
  await (values['if-stale'] === true ? buildIfStale(root) : build(root));
}
