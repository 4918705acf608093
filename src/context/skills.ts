/** Skills: folders with a SKILL.md. The model is told their names and what they are for, and reads one when it needs it. */
import { dirname } from 'node:path';
import { textIn } from './front-matter.ts';
import { firstOfEach, readShelf, type Shelf } from './library.ts';
import type { Sources } from './sources.ts';

export type Skill = {
  readonly name: string;
  readonly description: string;
  /** Absolute and real. */
  readonly path: string;
  readonly folder: string;
  readonly body: string;
};

/** Characters: of one description, and of the whole list in the prompt. */
const BUDGET = { description: 300, list: 4_000 };

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** One that can't be read harms no other. Its header can't give rights: what a skill says is text. */
export async function findSkills(sources: Sources, shelves: readonly Shelf[]): Promise<readonly Skill[]> {
  const found: Skill[] = [];
  for (const shelf of shelves) {
    for (const { name: folderName, path, head, body } of await readShelf(sources, shelf, 'SKILL.md')) {
      const description = textIn(head, 'description');
      const name = textIn(head, 'name') ?? folderName;
      if (description === undefined) sources.warn(`${path} was left out: its header has no description.`);
      else if (!NAME.test(name)) sources.warn(`${path} was left out: ${JSON.stringify(name)} is no name for a skill.`);
      else found.push({ name, description, path, folder: dirname(path), body });
    }
  }
  return firstOfEach(found);
}

/** One line each; where there is no room for the descriptions of all, the rest are names, and the list says so. */
export function listSkills(skills: readonly Pick<Skill, 'name' | 'description'>[]): string {
  let left = BUDGET.list;
  const lines: string[] = [];
  const bare: string[] = [];
  for (const { name, description } of skills) {
    const line = `- ${name}: ${shorten(description.replace(/\s+/g, ' '), BUDGET.description)}`;
    left -= line.length;
    if (left >= 0) lines.push(line);
    else bare.push(name);
  }
  if (bare.length === 0) return lines.join('\n');
  const names = shorten(bare.join(', '), BUDGET.list);
  return [...lines, `- ${bare.length} more, without descriptions for want of room: ${names}`].join('\n');
}

const shorten = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
