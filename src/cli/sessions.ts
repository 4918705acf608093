/** `rein sessions …`: what was recorded, for reading, finding, keeping elsewhere and throwing away. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { billText, foundListing, listing } from '../front/sessions.ts';
import { markdown, outline, transcript } from '../front/transcript.ts';
import { billOf } from '../harness/bill.ts';
import { pathOf, tree } from '../harness/positions.ts';
import { forgetRemoved, type SearchFolders, searchSessions } from '../harness/search.ts';
import { withChildren } from '../harness/shelf.ts';
import { createStore, type Store } from '../harness/store.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './flags.ts';
import { workingFolder } from './load.ts';
import { warn } from './warn.ts';

type Desk = {
  readonly stateFolder: string;
  readonly store: Store;
  readonly folders: SearchFolders;
  readonly out: (text: string) => void;
  readonly now: number;
};

const VERBS = 'rein sessions list | show ID | search WORDS | export ID | rm ID | cost';

/** Throws a `UsageError` with one line for the person. */
export async function runSessions(words: readonly string[], { stateFolder }: Environment): Promise<number> {
  const folders = { sessions: join(stateFolder, 'sessions'), index: join(stateFolder, 'index.sqlite') };
  const out = (text: string) => void process.stdout.write(text);
  const desk = { stateFolder, store: createStore(folders.sessions, Date.now), folders, out, now: Date.now() };
  try {
    await declare(desk).parseAsync(words.length === 0 ? ['list'] : [...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    throw new UsageError(`${error.message.replace(/^error: /, '').replaceAll('\n', ' ')} (${VERBS})`);
  }
  return 0;
}

function declare(desk: Desk): Command {
  const program = new Command('rein sessions')
    .description('What was recorded. Sessions are never deleted but by rm.')
    .exitOverride()
    .configureOutput({ writeOut: desk.out, writeErr: () => {} });
  const verb = (words: string, description: string) => program.command(words).description(description);
  verb('list', 'sessions of this folder, newest first; ↳ is a sub-agent')
    .option('--all', 'of all folders')
    .option('--json', 'as JSON')
    .action((flags: ListFlags) => list(desk, flags));
  verb('show <id>', 'what was said and done')
    .option('--tree', 'its prompts with the branches that were left')
    .action((id: string, flags: ShowFlags) => show(desk, id, flags));
  verb('search <words...>', 'sessions in which one text holds all the words')
    .option('--json', 'as JSON')
    .action((words: string[], flags: Output) => search(desk, words, flags));
  verb('export <id>', 'the whole of it, for other programs and people')
    .option('--format <format>', 'md, or json with every branch', formatOf, 'md')
    .action((id: string, flags: ExportFlags) => exportSession(desk, id, flags));
  verb('rm <ids...>', 'delete for good, sub-agents too').action((ids: string[]) => remove(desk, ids));
  verb('cost', 'what was spent, by model and folder')
    .option('--since <time>', 'in the last 12h, 7d, 4w', sinceOf)
    .option('--json', 'as JSON')
    .action((flags: CostFlags) => cost(desk, flags));
  return program;
}

type Output = { readonly json?: true };
type ListFlags = Output & { readonly all?: true };
type ShowFlags = { readonly tree?: true };
type ExportFlags = { readonly format: 'md' | 'json' };
type CostFlags = Output & { readonly since?: Since };
type Since = { readonly text: string; readonly ms: number };

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function list({ store, out, now }: Desk, { all, json }: ListFlags): void {
  const sessions = store.list(all ? undefined : workingFolder());
  out(json ? toJson(sessions) : listing(sessions, now));
  if (sessions.length === 0 && !json) warn('no session here; --all lists those of all folders.');
}

function find({ store }: Desk, id: string): string {
  const found = store.find(workingFolder(), id);
  if (typeof found === 'string') throw new UsageError(found);
  return found.path;
}

function show(desk: Desk, id: string, flags: ShowFlags): void {
  const { entries } = desk.store.read(find(desk, id));
  desk.out(flags.tree ? outline(tree({ all: () => entries })) : transcript(pathOf(entries)));
}

async function search({ store, folders, out, now }: Desk, words: readonly string[], { json }: Output): Promise<void> {
  const matches = await searchSessions(folders, words);
  const sessions = new Map(
    store
      .list()
      .flatMap(withChildren)
      .map((session) => [session.path, session]),
  );
  const found = matches.flatMap((match) => {
    const session = sessions.get(match.path);
    return session ? [{ session, match }] : [];
  });
  const rows = found.map(({ session: { children: _, ...session }, match: { count, said } }) => ({
    ...session,
    count,
    said: said.map(({ who, time, text }) => ({ who, time, text })),
  }));
  out(json ? toJson(rows) : foundListing(found, words[0] ?? '', now));
  if (found.length === 0 && !json) warn('nothing found.');
}

function exportSession(desk: Desk, id: string, { format }: ExportFlags): void {
  const path = find(desk, id);
  const { header, entries } = desk.store.read(path);
  desk.out(
    format === 'json' ? toJson({ header, entries }) : markdown(`Session ${header?.session ?? id}`, pathOf(entries)),
  );
}

async function remove(desk: Desk, ids: readonly string[]): Promise<void> {
  const paths = new Set(ids.map((id) => find(desk, id)));
  try {
    // A sub-agent goes with the session that started it.
    for (const path of paths) if (existsSync(path)) removeOne(desk, path);
  } finally {
    await forgetRemoved(desk.folders);
  }
}

function removeOne({ store, stateFolder, out }: Desk, path: string): void {
  const removed = store.remove(path);
  if (typeof removed === 'string') throw new UsageError(removed);
  for (const id of removed) {
    // What its commands printed and left is its own too.
    rmSync(join(stateFolder, 'run', id), { recursive: true, force: true });
    out(`removed ${id}\n`);
  }
}

function cost({ folders, out, now }: Desk, { since, json }: CostFlags): void {
  const bill = billOf(folders.sessions, since && now - since.ms);
  const named = (sums: typeof bill.models) => sums.map(([name, sum]) => ({ name, ...sum }));
  out(
    json ? toJson({ ...bill, models: named(bill.models), folders: named(bill.folders) }) : billText(bill, since?.text),
  );
}

const UNITS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 24 * 7 };

function sinceOf(text: string): Since {
  const [, number = '', unit = ''] = /^(\d+)([hdw])$/.exec(text) ?? [];
  if (number === '') throw new InvalidArgumentError('It takes a time, as 12h, 7d or 4w.');
  return { text, ms: Number(number) * (UNITS[unit] ?? 1) * 3_600_000 };
}

function formatOf(text: string): ExportFlags['format'] {
  if (text === 'md' || text === 'json') return text;
  throw new InvalidArgumentError('It takes md or json.');
}
