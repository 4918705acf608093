import { bestOf } from './fuzzy.ts';
import type { Host } from './host.ts';
import type { AutocompleteProvider } from './pi.ts';
import type { Command } from './types.ts';

/** Files that are offered, and milliseconds for which a list of them is good. */
const MAX_FILES = 20;
const FRESH = 10_000;

type Item = { value: string; label: string; description?: string };

/** Slash commands by name, their arguments where a command knows them, and files after `@`. */
export const createCompletions = (
  commands: readonly Command[],
  host: Host,
  now: () => number,
): AutocompleteProvider => {
  const filesFor = createFiles(host, now);
  return {
    getSuggestions: async (lines, cursorLine, cursorCol, { signal }) => {
      const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
      const file = /(?:^|[\s([{"'])@(\S*)$/.exec(before)?.[1];
      if (file !== undefined) return listed(await filesFor(file, signal), `@${file}`);
      const match = cursorLine === 0 ? /^\/(\S*)(?:\s+(.*))?$/.exec(before) : null;
      if (!match) return null;
      const [, name = '', args] = match;
      if (args === undefined) return listed(nameItems(commands, name), `/${name}`);
      const command = commands.find((one) => one.name === name || one.aliases?.includes(name));
      if (!command?.complete) return null;
      const choices = await command.complete(host).catch(() => []);
      // What is whole already needs no list; Enter sends it.
      if (choices.some(({ value }) => value === args)) return null;
      const found = bestOf(choices, args, ({ value, label }) => `${value} ${label}`, 200);
      return listed(
        found.map(({ value, label, about }) => item(value, label, about)),
        args,
      );
    },
    applyCompletion: (lines, cursorLine, cursorCol, { value }, prefix) => {
      const line = lines[cursorLine] ?? '';
      const command = prefix.startsWith('/') && cursorCol === prefix.length;
      const inserted = command ? `/${value} ` : prefix.startsWith('@') ? `@${value} ` : value;
      const start = cursorCol - prefix.length;
      const next = line.slice(0, start) + inserted + line.slice(cursorCol).trimStart();
      return { lines: lines.with(cursorLine, next), cursorLine, cursorCol: start + inserted.length };
    },
  };
};

/** The list is asked for when a name is begun, and once for all its letters. */
const createFiles = (host: Host, now: () => number) => {
  let list: Promise<readonly string[]> | undefined;
  let asked = Number.NEGATIVE_INFINITY;
  return async (typed: string, signal: AbortSignal): Promise<Item[]> => {
    if (list === undefined || (typed === '' && now() - asked > FRESH)) {
      asked = now();
      // The next letter aborts this completion, not the list.
      list = host.files(new AbortController().signal).catch(() => []);
    }
    const files = await list;
    if (signal.aborted) return [];
    return bestOf(files, typed, (path) => path, MAX_FILES).map((path) => item(path, path));
  };
};

const item = (value: string, label: string, description?: string): Item => ({
  value,
  label,
  ...(description === undefined ? {} : { description }),
});

const listed = (items: Item[], prefix: string) => (items.length === 0 ? null : { items, prefix });

/** A name that begins so; else an alias that does; else one that is like it. */
const nameItems = (commands: readonly Command[], typed: string): Item[] => {
  const begun = commands.flatMap(({ name, aliases = [], help }) => {
    const found = [name, ...aliases].find((one) => one.startsWith(typed.toLowerCase()));
    return found === undefined ? [] : [item(found, `/${found}`, help)];
  });
  // What is written out whole is what is meant.
  const whole = (one: Item) => Number(one.value === typed.toLowerCase());
  if (begun.length > 0) return begun.toSorted((a, b) => whole(b) - whole(a));
  return bestOf(commands, typed, ({ name }) => name, 5).map(({ name, help }) => item(name, `/${name}`, help));
};
