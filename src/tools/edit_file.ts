import * as z from 'zod/mini';
import type { Access, Tool } from '../core/types.ts';
import { decode, encode, kindOf, type Place } from '../env/files/index.ts';
import { defineTool, failure, text } from './define.ts';
import description from './edit_file.md';
import { applyEdits, type Edit } from './edits.ts';
import { clipPatch, makePatch, type Patch } from './patch.ts';
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

export const editFile = (ports: Ports): Tool => {
  // What a person was shown is what is done, if the file is still the same.
  const plans = new WeakMap<Access, Plan>();
  return defineTool({
    name: 'edit_file',
    description,
    input: Input,
    access: async ({ path, edits }) => {
      const place = await locate(ports, path, 'read');
      if (typeof place === 'string') return place;
      const shown = showPath(place.path, ports.root);
      if (place.stat === undefined) return `there is no ${shown}. Make new files with write_file.`;
      const access: Access = {
        show: `Edit ${shown}`,
        writes: [place.path],
        preview: async () => {
          const plan = await tryPlan(ports, place, edits);
          plans.set(access, plan);
          return 'problem' in plan
            ? `This edit can't be applied: ${plan.problem}`
            : clipPatch(plan.patch.text, DETAILS);
        },
      };
      return access;
    },
    run: fileRun(async ({ path, edits }, _context, access) => {
      const place = await relocate(ports, path, 'read', access);
      const shown = showPath(place.path, ports.root);
      const bytes = await readBytes(ports, place);
      const stale = await staleness(ports, place, bytes);
      if (stale !== undefined) return failure(stale);
      const planned = plans.get(access);
      const plan = planned?.from?.equals(bytes) ? planned : await planEdit(bytes, edits);
      if ('problem' in plan) return failure(`${shown} was not changed: ${plan.problem}`);
      await ports.files.replace(place, plan.bytes);
      ports.seen.wrote(place.path, plan.bytes, false);
      const done = `Edited ${shown}: ${plan.places === 1 ? '1 place' : `${plan.places} places`}.`;
      const details = { path: place.path, diff: clipPatch(plan.patch.text, DETAILS) };
      return text(`${done}\n${clipPatch(plan.patch.text, SHOWN)}`, details);
    }),
  });
};

/** What would become of the bytes in `from`. */
type Plan =
  | { readonly from: Buffer; readonly bytes: Buffer; readonly patch: Patch; readonly places: number }
  | { readonly from?: Buffer; readonly problem: string };

const readBytes = ({ files }: Ports, place: Place): Promise<Buffer> =>
  files.read(place, LIMIT, 'Change it with bash (sed, or a script).');

const planEdit = async (from: Buffer, edits: readonly Edit[]): Promise<Plan> => {
  if (edits.length === 0) return { from, problem: '"edits" is empty.' };
  if (kindOf(from).kind !== 'text') return { from, problem: 'it is not a text file. Change it with bash.' };
  const file = decode(from);
  const wellFormed = edits.map((edit) => ({ ...edit, old: edit.old.toWellFormed(), new: edit.new.toWellFormed() }));
  const edited = applyEdits(file.text, wellFormed);
  if ('problem' in edited) return { from, problem: edited.problem };
  const patch = await makePatch(file.text, edited.text);
  return { from, bytes: encode(edited.text, file), patch, places: edited.places };
};

/** What can't be read or encoded is a preview, too; the run will say it again as its result. */
const tryPlan = async (ports: Ports, place: Place, edits: readonly Edit[]): Promise<Plan> => {
  try {
    return await planEdit(await readBytes(ports, place), edits);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
};
