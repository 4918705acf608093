import * as z from 'zod/mini';
import type { Tool } from '../core/types.ts';
import { decode, encode, kindOf, type Place, refusal } from '../env/files/index.ts';
import { defineTool, failure, text } from './define.ts';
import description from './edit_file.md';
import { applyEdits, type Edit } from './edits.ts';
import { clipPatch, makePatch } from './patch.ts';
import { type FilePorts, fileRun, locate, relocate, showPath } from './paths.ts';
import type { Seen } from './seen.ts';
import { staleness } from './stale.ts';

type Ports = FilePorts & { readonly seen: Seen };

const Input = z.strictObject({
  path: z.string(),
  edits: z.array(z.strictObject({ old: z.string(), new: z.string(), all: z.optional(z.boolean()) })),
});

const LIMIT = 64 << 20;
const SHOWN = 6000;
const DETAILS = 200_000;

export const editFile = (ports: Ports): Tool =>
  defineTool({
    name: 'edit_file',
    description,
    input: Input,
    access: async ({ path, edits }) => {
      const place = await locate(ports, path, 'read');
      if (typeof place === 'string') return place;
      const shown = showPath(place.path, ports.root);
      if (place.stat === undefined) return `ERROR: there is no ${shown}. Make new files with write_file.`;
      return { show: `Edit ${shown}`, writes: [place.path], preview: await preview(ports, place, edits) };
    },
    run: fileRun(async ({ path, edits }, _context, access) => {
      const place = await relocate(ports, path, 'read', access);
      const shown = showPath(place.path, ports.root);
      const bytes = await readBytes(ports, place);
      const stale = await staleness(ports, place, bytes);
      if (stale !== undefined) return failure(stale);
      const plan = planEdit(bytes, edits);
      if ('problem' in plan) return failure(`${shown} was not changed: ${plan.problem}`);
      await ports.files.replace(place, plan.bytes);
      ports.seen.wrote(place.path, plan.bytes, false);
      const patch = await makePatch(plan.before, plan.after);
      const done = `Edited ${shown}: ${plan.places === 1 ? '1 place' : `${plan.places} places`}.`;
      return text(`${done}\n${clipPatch(patch.text, SHOWN)}`, {
        path: place.path,
        diff: clipPatch(patch.text, DETAILS),
      });
    }),
  });

type Plan =
  | { readonly bytes: Buffer; readonly before: string; readonly after: string; readonly places: number }
  | { readonly problem: string };

const readBytes = ({ files }: Ports, place: Place): Promise<Buffer> =>
  files.read(place, LIMIT, 'Change it with bash (sed, or a script).');

const planEdit = (bytes: Buffer, edits: readonly Edit[]): Plan => {
  if (edits.length === 0) return { problem: '"edits" is empty.' };
  const kind = kindOf(bytes);
  if (kind.kind !== 'text') return { problem: 'it is not a text file. Change it with bash.' };
  const file = decode(bytes);
  if (!encode(file.text, file).equals(bytes)) throw refusal('its encoding is unknown. Change it with bash.');
  const wellFormed = edits.map((edit) => ({ ...edit, old: edit.old.toWellFormed(), new: edit.new.toWellFormed() }));
  const edited = applyEdits(file.text, wellFormed);
  if ('problem' in edited) return edited;
  return { bytes: encode(edited.text, file), before: file.text, after: edited.text, places: edited.places };
};

/** Only for the eyes of a person who is asked; the run decides by what it then finds. */
const preview = async (ports: Ports, place: Place, edits: readonly Edit[]): Promise<string> => {
  try {
    const plan = planEdit(await readBytes(ports, place), edits);
    if ('problem' in plan) return `This edit can't be applied: ${plan.problem}`;
    return clipPatch((await makePatch(plan.before, plan.after)).text, DETAILS);
  } catch (error) {
    return `This edit can't be applied: ${error instanceof Error ? error.message : error}`;
  }
};
