/** A user's own slash commands: Markdown files whose text is sent as a prompt. */
import { textIn } from './front-matter.ts';
import { firstOfEach, readShelf, type Shelf } from './library.ts';
import type { Sources } from './sources.ts';

export type OwnCommand = {
  readonly name: string;
  /** One line for a person. */
  readonly description: string;
  /** How its arguments are written, where the file says so. */
  readonly args?: string;
  readonly text: string;
  readonly path: string;
};

const NAME = /^[a-z0-9][\w-]*$/i;

export async function findCommands(sources: Sources, shelves: readonly Shelf[]): Promise<readonly OwnCommand[]> {
  const found: OwnCommand[] = [];
  for (const shelf of shelves) {
    for (const { name, path, head, body } of await readShelf(sources, shelf)) {
      const args = textIn(head, 'argument-hint');
      const description = textIn(head, 'description') ?? body.trim().split('\n')[0]?.slice(0, 80) ?? '';
      const command = { name: name.toLowerCase(), description, text: body.trim(), path, ...(args ? { args } : {}) };
      if (NAME.test(name) && command.text !== '') found.push(command);
      else sources.warn(`${path} was left out: ${command.text === '' ? 'it is empty' : 'its name is no word'}.`);
    }
  }
  return firstOfEach(found);
}

/** `$ARGUMENTS` is all that was typed, `$1` to `$9` its words (quotes hold one together); what asks for none gets it at the end. */
export function expandCommand(text: string, args: string): string {
  const given = args.trim();
  const words = [...given.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
  if (!/\$(ARGUMENTS\b|[1-9])/.test(text)) return given === '' ? text : `${text}\n\n${given}`;
  return text.replace(/\$(ARGUMENTS\b|[1-9])/g, (_, name: string) =>
    name === 'ARGUMENTS' ? given : (words[Number(name) - 1] ?? ''),
  );
}
