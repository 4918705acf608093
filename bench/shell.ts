/**
 * `node bench/shell.ts`: what the bash tool costs over the processes that it starts, and 50 MB of output over `cat` to a
 * file.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessSettings } from '../src/env/processes/processes.ts';
import { call, inTurns } from './tool.ts';

const [{ createProcesses }, { createBash }, { buildSandbox }] = await Promise.all([
  import('../src/env/processes/processes.ts'),
  import('../src/tools/bash.ts'),
  import('./walls.ts'),
]);

const base = realpathSync(mkdtempSync('/var/tmp/rein-bench-'));
const { sandbox, root } = buildSandbox(base);

const makeTool = (name: string, wrap?: ProcessSettings['wrap']) => {
  const folder = join(base, name);
  mkdirSync(folder);
  const processes = createProcesses({ folder, env: process.env, ...(wrap ? { wrap } : {}) });
  return { ...createBash({ processes, cwd: root }), close: processes.close };
};
const bare = makeTool('bare');
const walled = makeTool('walled', (launch) => sandbox.wrap(launch, { network: false, readonly: false }));

const start = (command: string) =>
  new Promise<void>((resolve) => {
    const child = spawn('bash', ['-c', command], { cwd: root, detached: true, stdio: 'ignore' });
    child.once('exit', () => resolve());
  });

/** Bytes. The peak is the highest since `forget`. */
const memory = (field: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
const forget = () => writeFileSync('/proc/self/clear_refs', '5');

const nothing = await inTurns(100, {
  spawn: () => start('true'),
  bare: () => call(bare.tool, { command: 'true' }),
  walled: () => call(walled.tool, { command: 'true' }),
});
const over = (name: 'bare' | 'walled') => (nothing[name].median - nothing.spawn.median).toFixed(1);
console.log(`bash -c true: a bare spawn ${nothing.spawn.median.toFixed(1)} ms`);
console.log(`  through the tool ${over('bare')} ms more, with the sandbox ${over('walled')} ms more`);

/** Each round writes a new file, as a session does. What the others wrote must not wait for the disk meanwhile. */
const sweep = () => {
  for (const folder of [root, ...['bare', 'walled'].map((name) => join(base, name))]) {
    for (const name of readdirSync(folder)) {
      if (name.endsWith('.txt') && name !== 'big.txt') rmSync(join(folder, name));
    }
  }
};
const line = 'a line of output, about as long as a compiler says it: src/file.ts(10,4): error\n';
writeFileSync(join(root, 'big.txt'), line.repeat(Math.ceil(5e7 / line.length)));
forget();
const before = memory('VmRSS');
const output = await inTurns(
  15,
  {
    cat: () => start('cat big.txt > copy.txt'),
    pipe: () => start('cat big.txt | cat > copy.txt'),
    bare: () => call(bare.tool, { command: 'cat big.txt' }),
    walled: () => call(walled.tool, { command: 'cat big.txt' }),
  },
  sweep,
);
const grown = (memory('VmHWM') - before) / 2 ** 20;
const ratio = (name: 'bare' | 'walled') => (output[name].median / output.cat.median).toFixed(2);
console.log(
  `50 MB: cat to a file ${output.cat.median.toFixed(0)} ms, through a pipe ${output.pipe.median.toFixed(0)} ms`,
);
console.log(
  `  through the tool ${output.bare.median.toFixed(0)} ms (${ratio('bare')}×), ` +
    `with the sandbox ${output.walled.median.toFixed(0)} ms (${ratio('walled')}×), ${grown.toFixed(0)} MB of memory`,
);

await Promise.all([bare.close(), walled.close()]);
sandbox.close();
rmSync(base, { recursive: true, force: true });
