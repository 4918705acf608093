/** Kinds of sub-agents: what each is for, and what it may have of its parent's rights. */
import { namesIn, textIn } from './front-matter.ts';
import { firstOfEach, type Item, readShelf, type Shelf } from './library.ts';
import explore from './prompts/explore.md';
import plan from './prompts/plan-agent.md';
import type { Sources } from './sources.ts';

export type AgentType = {
  readonly name: string;
  /** When to use it, for the model. */
  readonly description: string;
  /** Names of tools; absent for all that the parent has. */
  readonly tools?: readonly string[];
  /** `vendor/model`; absent for the parent's. */
  readonly model?: string;
  readonly mode?: string;
  readonly isolation?: 'worktree';
  /** Added to its system text. */
  readonly prompt?: string;
};

const LOOKING = ['bash', 'read_file', 'list_files', 'search_files'];

export const builtInAgents: readonly AgentType[] = [
  { name: 'explore', description: 'reads only', tools: LOOKING, mode: 'plan', prompt: explore },
  { name: 'plan', description: 'reads only, returns a plan', tools: LOOKING, mode: 'plan', prompt: plan },
  { name: 'code', description: 'does all' },
];

/** What other programs call the same tools. */
const ALIASES: Readonly<Record<string, string>> = {
  read: 'read_file',
  write: 'write_file',
  edit: 'edit_file',
  multiedit: 'edit_file',
  grep: 'search_files',
  glob: 'list_files',
  ls: 'list_files',
  webfetch: 'web_fetch',
  todowrite: 'todo',
};

export type AgentWords = { readonly tools: readonly string[]; readonly modes: readonly string[] };

/** Built-in ones and those of the shelves, which win. One whose limits can't be read is left out: it would have none. */
export async function findAgents(
  sources: Sources,
  shelves: readonly Shelf[],
  words: AgentWords,
): Promise<readonly AgentType[]> {
  const found: AgentType[] = [];
  for (const shelf of shelves) {
    for (const item of await readShelf(sources, shelf)) {
      const type = readType(item, words);
      if (typeof type === 'string') sources.warn(`${item.path} was left out: ${type}.`);
      else found.push(type);
    }
  }
  return firstOfEach([...found, ...builtInAgents]);
}

function readType({ name: fileName, head, body }: Item, { tools, modes }: AgentWords): AgentType | string {
  const name = textIn(head, 'name') ?? fileName;
  const description = textIn(head, 'description');
  if (description === undefined) return 'its header has no description';
  if (!/^[A-Za-z0-9][\w-]{0,40}$/.test(name)) return `${JSON.stringify(name)} is no name for an agent`;
  const listed = namesIn(head, 'tools');
  if (typeof listed === 'string') return listed;
  const all = listed === undefined || listed.includes('*');
  const wanted = (listed ?? []).map((tool) => ALIASES[tool.toLowerCase()] ?? tool.toLowerCase());
  const known = wanted.filter((tool) => tools.includes(tool));
  if (!all && known.length === 0) return `it has no tool of those there are (${tools.join(', ')})`;
  const mode = head['mode'] ?? head['permissionMode'];
  if (mode !== undefined && !modes.some((one) => one === mode)) return `its mode is none of ${modes.join(', ')}`;
  const isolation = head['isolation'];
  if (isolation !== undefined && isolation !== 'worktree') return 'its isolation is not worktree';
  const model = textIn(head, 'model');
  return {
    name,
    description,
    ...(all ? {} : { tools: [...new Set(known)] }),
    // A bare word (`inherit`, `haiku`) means something to another program only.
    ...(model?.includes('/') ? { model } : {}),
    ...(typeof mode === 'string' ? { mode } : {}),
    ...(isolation === 'worktree' ? { isolation } : {}),
    ...(body.trim() === '' ? {} : { prompt: body.trim() }),
  };
}
