import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Access, Json, Output, Tool } from '../../src/core/types.ts';
import { createFiles } from '../../src/env/files/index.ts';
import { createRipgrep } from '../../src/env/ripgrep.ts';
import { editFile } from '../../src/tools/edit_file.ts';
import { listFiles } from '../../src/tools/list_files.ts';
import { readFile } from '../../src/tools/read_file.ts';
import { searchFiles } from '../../src/tools/search_files.ts';
import { createSeen } from '../../src/tools/seen.ts';
import { writeFile } from '../../src/tools/write_file.ts';

export type Answer = { readonly said: string; readonly failed: boolean; readonly output?: Output };

/** A session's file tools in a fresh folder that is removed after the test. */
export const workspace = () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'rein-files-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, home] = [join(base, 'w'), join(base, 'h')];
  mkdirSync(root);
  mkdirSync(home);
  const ports = { files: createFiles({ home }), root, seen: createSeen(), ripgrep: createRipgrep() };
  const tools = [readFile(ports), writeFile(ports), editFile(ports), listFiles(ports), searchFiles(ports)];
  const tool = (name: string): Tool => {
    const found = tools.find((candidate) => candidate.name === name);
    if (!found) throw new Error(name);
    return found;
  };
  const call = async (name: string, input: Json, signal = new AbortController().signal): Promise<Answer> => {
    const prepared = await tool(name).prepare(input);
    if (typeof prepared === 'string') return { said: prepared, failed: true };
    return finish(prepared.run({ call: 'c', signal }));
  };
  return {
    root,
    home,
    ports,
    tool,
    call,
    access: async (name: string, input: Json): Promise<Access> => {
      const prepared = await tool(name).prepare(input);
      if (typeof prepared === 'string') throw new Error(prepared);
      return prepared.access;
    },
    read: (path: string, more: { readonly [key: string]: Json } = {}) => call('read_file', { path, ...more }),
    write: (path: string, content: string) => call('write_file', { path, content }),
    edit: (path: string, old: string, wanted: string, all?: boolean) =>
      call('edit_file', { path, edits: [{ old, new: wanted, ...(all ? { all } : {}) }] }),
    list: (input: { readonly [key: string]: Json } = {}) => call('list_files', input),
    search: (pattern: string, more: { readonly [key: string]: Json } = {}) =>
      call('search_files', { pattern, ...more }),
    put: (path: string, bytes: string | Uint8Array): string => {
      const full = join(root, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, bytes);
      return full;
    },
    bytes: (path: string): Buffer => readFileSync(join(root, path)),
    hex: (path: string): string => readFileSync(join(root, path)).toString('hex'),
  };
};

export const finish = async (run: AsyncGenerator<unknown, Output>): Promise<Answer> => {
  for (;;) {
    const step = await run.next();
    if (!step.done) continue;
    const [first] = step.value.content;
    return { said: first?.type === 'text' ? first.text : '', failed: step.value.failed === true, output: step.value };
  }
};

/** `61 0D 0A` as bytes. */
export const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(' ', ''), 'hex');
