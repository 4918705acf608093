import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, Live } from '../../src/core/types.ts';
import { createProcesses, type ProcessSettings } from '../../src/env/processes/processes.ts';
import { createBash } from '../../src/tools/bash.ts';
import { expectNoLeftovers } from './leftovers.ts';

export type Said = {
  readonly text: string;
  readonly failed: boolean;
  readonly progress: readonly string[];
  /** Milliseconds. */
  readonly took: number;
};

/** The bash tool in a folder of its own, as the loop would call it. */
export const openBash = (settings: Partial<ProcessSettings> = {}) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'bash-')));
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'work-')));
  const processes = createProcesses({ folder: join(base, 'spill'), env: process.env, ...settings });
  const { tool, jobs, background } = createBash({ processes, cwd });

  const prepare = async (input: Json) => {
    const prepared = await tool.prepare(input);
    return async (signal = new AbortController().signal): Promise<Said> => {
      if (typeof prepared === 'string') return { text: `ERROR: ${prepared}`, failed: true, progress: [], took: 0 };
      const began = performance.now();
      const progress: string[] = [];
      const events = prepared.run({ call: 'c1', signal });
      for (;;) {
        const { done, value } = await events.next();
        if (!done) {
          if ('live' in value) progress.push(...textOf(value));
          continue;
        }
        const text = value.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
        return { text, failed: value.failed === true, progress, took: performance.now() - began };
      }
    };
  };
  const bash = async (command: string, more: { readonly [key: string]: Json } = {}, signal?: AbortSignal) =>
    (await prepare({ command, ...more }))(signal);
  const close = async (): Promise<void> => {
    await processes.close();
    expectNoLeftovers(processes.mark);
    for (const folder of [base, cwd]) rmSync(folder, { recursive: true, force: true });
  };
  return { cwd, folder: join(base, 'spill'), processes, tool, jobs, background, prepare, bash, close };
};

const textOf = (event: Live): readonly string[] => (event.live === 'progress' ? [event.text] : []);
