import * as z from 'zod/mini';
import type { Tool } from '../core/types.ts';
import { defineTool, text } from './define.ts';
import description from './skill.md';

/** What there is to read: `folder` holds the files that it speaks of. */
export type ReadableSkill = {
  readonly name: string;
  readonly path: string;
  readonly folder: string;
  readonly body: string;
};

/** Characters; `read_file` has the rest. */
const MAX_TEXT = 40_000;

const input = () => z.strictObject({ name: z.string() });

export const createSkill = (skills: readonly ReadableSkill[]): Tool =>
  defineTool({
    name: 'skill',
    description,
    input: input(),
    access: ({ name }) => {
      const skill = skills.find((one) => one.name === name);
      if (skill) return { show: name, reads: [skill.path], skill };
      return `there is no skill "${name}". The skills are: ${skills.map((one) => one.name).join(', ')}`;
    },
    run: async (_, __, { skill: { body, folder, path } }) => {
      const said = body.trim();
      const cut =
        said.length > MAX_TEXT ? `${said.slice(0, MAX_TEXT).toWellFormed()}\n[cut: the rest is in ${path}]` : said;
      return text(`[its files are in ${folder}]\n${cut}`);
    },
  });
