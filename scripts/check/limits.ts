/**
 * The law of this repository, as data. Every limit is one line with its reason; raising one is a decision that also
 * gets a line in `docs/decisions.md`.
 */

export type Arrow = {
  /** Folders that may be imported. */
  readonly to: readonly string[];
  /** Folders of which only the types may be imported: by `import type`, or from a file called `types.ts`. */
  readonly types?: readonly string[];
  /** No package and no `node:` module either. */
  readonly bare?: true;
};

/** Who may import whom among the folders of `src/`. A folder always may import itself; `.` is the files of `src/` itself. */
export const arrows: Readonly<Record<string, Arrow>> = {
  core: { to: [], bare: true },
  env: { to: [] },
  providers: { to: ['core'] },
  session: { to: ['core'] },
  tools: { to: ['core', 'env'] },
  policy: { to: ['core', 'env'] },
  undo: { to: ['core', 'env'] },
  mcp: { to: ['core', 'env'] },
  context: { to: ['core', 'env'] },
  harness: { to: ['core', 'env', 'providers', 'session', 'tools', 'policy', 'undo', 'mcp', 'context'] },
  front: { to: ['harness'], types: ['core'] },
  fleet: { to: ['env', 'harness'], types: ['core'] },
  cli: { to: ['front', 'fleet', 'harness'] },
  testing: { to: ['core', 'env'], types: ['session'] },
  '.': { to: ['core', 'env', 'providers', 'session', 'tools', 'policy', 'undo', 'mcp', 'context', 'harness'] },
};

/** Packages that more than one folder may import. */
export const sharedPackages: readonly string[] = [
  'zod', // schemas are written where the data is
];

/** Files above their folder that source may import. */
export const importableOutside: readonly string[] = ['package.json'];

export type LineLimit = { readonly path: string; readonly lines: number; readonly why: string };

/** One file each, blank lines and comments included. A file that isn't there is a problem as soon as its folder is. */
export const fileLimits: readonly LineLimit[] = [
  { path: 'src/core/loop.ts', lines: 100, why: 'the loop is read on one screen' },
  { path: 'steps/2-chat.ts', lines: 40, why: 'a chat is a loop around one call' },
  { path: 'steps/3-agent.ts', lines: 62, why: 'an agent with one tool fits on a page' },
  { path: 'steps/4-subagents.ts', lines: 50, why: 'recursion costs no line' },
  { path: 'steps/5-stream.ts', lines: 180, why: 'a whole harness can still be read in one sitting' },
];

/** Every TypeScript file below `path`. */
export const sizeLimits = [
  { path: 'src', file: 300, fn: 60, why: 'a longer one hides an idea that deserves a name' },
  { path: 'scripts', file: 300, fn: 60, why: 'what checks the code is code' },
  { path: 'bench', file: 300, fn: 60, why: 'what measures the code is code' },
] as const;

/** All TypeScript of a folder together: one person can know it in a day or two. `docs/decisions.md` has the reasons. */
export const totalLimits: readonly LineLimit[] = Object.entries({
  core: 700,
  session: 700,
  undo: 1_500,
  context: 1_900,
  cli: 1_950,
  testing: 2_500,
  tools: 2_500,
  providers: 2_600,
  policy: 3_700,
  env: 4_300,
  harness: 5_300,
  front: 5_800,
}).map(([folder, lines]) => ({ path: `src/${folder}`, lines, why: 'one person can know all of it' }));

/** Last words of names that say where a thing came from and not what it is. */
export const badEndings: readonly string[] = [
  'v2',
  'next',
  'legacy',
  'old',
  'util',
  'utils',
  'manager',
  'helper',
  'helpers',
];

/** Members of `process` that are only for `folder`. */
export const processMembers = {
  folder: 'cli',
  names: ['env', 'exit', 'argv', 'argv0', 'execArgv', 'exitCode'],
} as const;

/** Programs: nobody imports them, they run when they are loaded, and what they hold at module level is theirs alone. */
export const programs: readonly string[] = [
  'src/cli/main.ts', // the CLI
  'src/cli/door.ts', // `rein` in the agent's own shell
  'src/tools/web/page_worker.ts', // a thread
];

/**
 * Calls that may stand at module level: cheap builders without effects. `z.*` stands for every call of a chain that
 * begins at `z`. Another one says so with a PURE comment in front of the call.
 */
export const pureCalls: readonly string[] = [
  'z.*', // a schema is data
  'Object.freeze',
  'Object.fromEntries',
  'Object.entries',
  'Object.keys',
  'Object.values',
  'Array',
  'Array.from',
  'JSON.stringify',
  'String',
  'Number',
  'BigInt',
  'Symbol',
  'Math.floor',
  'Math.ceil',
  'Math.round',
  'Math.min',
  'Math.max',
  'String.raw',
  'Buffer.from',
  'Buffer.alloc',
  'fileURLToPath',
  'createRequire', // a function that has not loaded anything yet
  'promisify',
];

/** Methods without effects, allowed on any pure value. */
export const pureMethods: readonly string[] = [
  'map',
  'filter',
  'flatMap',
  'flat',
  'join',
  'split',
  'trim',
  'slice',
  'concat',
  'entries',
  'keys',
  'values',
  'toSorted',
  'toReversed',
  'replace',
  'replaceAll',
  'repeat',
  'fill',
  'toLowerCase',
  'toUpperCase',
  'charCodeAt',
  'padStart',
  'padEnd',
];

/** Constructors that only build a value. */
export const pureConstructors: readonly string[] = [
  'Set',
  'Map',
  'WeakMap',
  'WeakSet',
  'RegExp',
  'URL',
  'Uint8Array',
  'TextEncoder',
  'TextDecoder',
  'Intl.Segmenter',
  'Intl.NumberFormat',
];

/** Methods that change the collection they are called on. */
export const mutators: readonly string[] = [
  'set',
  'add',
  'delete',
  'clear',
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'sort',
  'reverse',
  'fill',
  'copyWithin',
];
