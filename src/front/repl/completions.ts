import type { AutocompleteProvider } from './pi.ts';
import type { Command, Host } from './types.ts';

/** Slash commands by name, and their arguments where a command knows them. */
export const createCompletions = (commands: readonly Command[], host: Host): AutocompleteProvider => ({
  getSuggestions: async (lines, cursorLine, cursorCol) => {
    const before = (lines[0] ?? '').slice(0, cursorCol);
    const match = cursorLine === 0 ? /^\/(\S*)(?:\s+(.*))?$/.exec(before) : null;
    if (!match) return null;
    const [, name = '', args] = match;
    if (args === undefined) return listed(nameItems(commands, name), `/${name}`);
    const command = commands.find((one) => one.name === name || one.aliases?.includes(name));
    if (!command?.complete) return null;
    const choices = await command.complete(host).catch(() => []);
    const found = choices.filter(({ value, label }) => `${value} ${label}`.toLowerCase().includes(args.toLowerCase()));
    return listed(
      found.map(({ value, label, about }) => item(value, label, about)),
      args,
    );
  },
  applyCompletion: (lines, cursorLine, cursorCol, { value }, prefix) => {
    const line = lines[cursorLine] ?? '';
    const inserted = prefix.startsWith('/') && cursorCol === prefix.length ? `/${value} ` : value;
    const start = cursorCol - prefix.length;
    const next = line.slice(0, start) + inserted + line.slice(cursorCol).trimStart();
    return { lines: lines.with(cursorLine, next), cursorLine, cursorCol: start + inserted.length };
  },
});

const item = (value: string, label: string, description?: string) => ({
  value,
  label,
  ...(description === undefined ? {} : { description }),
});

const listed = (items: { value: string; label: string; description?: string }[], prefix: string) =>
  items.length === 0 ? null : { items, prefix };

/** A name that begins so; else an alias that does. */
const nameItems = (commands: readonly Command[], typed: string) =>
  commands.flatMap(({ name, aliases = [], help }) => {
    const found = [name, ...aliases].find((one) => one.startsWith(typed.toLowerCase()));
    return found === undefined ? [] : [item(found, `/${found}`, help)];
  });
