/**
 * `node bench/undo.ts [--runs N]`: what snapshots cost on 2,000 and on 50,000 files. Prints Markdown. Work is the CPU time
 * of this process; git works beside it.
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createUndo } from '../src/undo/index.ts';
import { describeMachine } from './machine.ts';
import { median } from './measure.ts';

type Cost = { readonly wall: number; readonly work: number };

const FILES_IN_FOLDER = 12;

const fill = (root: string, files: number): readonly string[] => {
  const line = 'export const value = (input: number) => input + 1;\n';
  return Array.from({ length: files }, (_, index) => {
    const folder = Math.floor(index / FILES_IN_FOLDER);
    const path = join(root, `package-${folder % 40}`, `source-${Math.floor(folder / 40)}`, `file-${index}.ts`);
    if (index % FILES_IN_FOLDER === 0) mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `// ${index}\n${line.repeat(20 + ((index * 7919) % 150))}`);
    return path;
  });
};

const measure = async (action: () => Promise<unknown>): Promise<Cost> => {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await action();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - start, work: (user + system) / 1000 };
};

const settle = () => new Promise((resolve) => setTimeout(resolve, 100));

const measureFolder = async (base: string, files: number, runs: number) => {
  const root = join(base, `work-${files}`);
  const store = join(base, `store-${files}`);
  const paths = fill(root, files);
  await settle();
  const open = () => createUndo({ root, store, path: process.env['PATH'] ?? '', warn: console.error });
  const undo = open();
  const first = await measure(undo.snapshot);
  const same: Cost[] = [];
  const ten: Cost[] = [];
  for (let run = 0; run < runs; run++) {
    await settle();
    same.push(await measure(undo.snapshot));
    for (const path of paths.slice(run * 10, run * 10 + 10)) appendFileSync(path, `// ${run}\n`);
    await settle();
    ten.push(await measure(undo.snapshot));
  }
  await undo.close();
  const again = open();
  const later = await measure(again.snapshot);
  await again.close();
  rmSync(root, { recursive: true });
  return { first, later, same, ten };
};

const cell = (costs: readonly Cost[]): string => {
  const of = (read: (cost: Cost) => number) => median(costs.map(read)).toFixed(0);
  return `${of(({ work }) => work)} ms (${of(({ wall }) => wall)} ms)`;
};

if (import.meta.main) {
  const { values } = parseArgs({ options: { runs: { type: 'string', default: '7' } } });
  const base = mkdtempSync(join(tmpdir(), 'rein-undo-bench-'));
  try {
    console.log(`${describeMachine(base)}\n\nWork (and wall time) of one snapshot, median of ${values.runs}:\n`);
    console.log('| files | nothing changed | 10 files changed | first of a session | first of the folder |');
    console.log('|--:|--:|--:|--:|--:|');
    for (const files of [2_000, 50_000]) {
      const { same, ten, first, later } = await measureFolder(base, files, Number(values.runs));
      console.log(
        `| ${files.toLocaleString('en')} | ${cell(same)} | ${cell(ten)} | ${cell([later])} | ${cell([first])} |`,
      );
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
