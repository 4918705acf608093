import * as z from 'zod/mini';
import type { Tool } from '../core/types.ts';
import { type Coding, decode, encode, kindOf, PLAIN, type Place, refusal } from '../env/files/index.ts';
import { defineTool, failure, text } from './define.ts';
import { clipPatch, makePatch } from './patch.ts';
import { type FilePorts, fileRun, locate, relocate, showPath } from './paths.ts';
import type { Seen } from './seen.ts';
import { staleness } from './stale.ts';
import description from './write_file.md';

type Ports = FilePorts & { readonly seen: Seen };

const Input = z.strictObject({ path: z.string(), content: z.string() });

const LIMIT = 64 << 20;
/** Larger texts are replaced without a diff. */
const COMPARED = 4 << 20;
const DETAILS = 200_000;

export const writeFile = (ports: Ports): Tool =>
  defineTool({
    name: 'write_file',
    description,
    input: Input,
    access: async ({ path, content }) => {
      const place = await locate(ports, path, 'write');
      if (typeof place === 'string') return place;
      if (path.endsWith('/')) return `${path} names a folder. Write a file; its folders are made with it.`;
      const show = `${place.stat ? 'Overwrite' : 'Create'} ${showPath(place.path, ports.root)}`;
      return { show, writes: [place.path], preview: () => preview(ports, place, content) };
    },
    run: fileRun(async ({ path, content }, _context, access) => {
      const place = await relocate(ports, path, 'write', access);
      const shown = showPath(place.path, ports.root);
      const old = place.stat ? await readPrevious(ports, place) : undefined;
      const complaint = old && (await complain(ports, place, old));
      if (complaint !== undefined) return failure(complaint);
      const { bytes, after, note } = shape(content, old);
      if (old?.equals(bytes)) {
        ports.seen.wrote(place.path, bytes, true);
        return text(`${shown} already has exactly this content.`);
      }
      await ports.files.replace(place, bytes);
      ports.seen.wrote(place.path, bytes, true);
      const size = `${content === '' ? 0 : content.replace(/\n$/, '').split('\n').length} lines, ${bytes.length} bytes`;
      if (!place.stat) return text(`Created ${shown} (${size}).`, { path: place.path, created: true });
      if (!old || Math.max(old.length, bytes.length) > COMPARED) {
        return text(`Replaced ${shown} (${size}).`, { path: place.path });
      }
      const patch = await makePatch(decode(old).text, after);
      const changed = `+${patch.added} −${patch.removed} lines`;
      const said = `Replaced ${shown} (${size}; ${changed}${note === '' ? '' : `; ${note}`}).`;
      return text(said, { path: place.path, diff: clipPatch(patch.text, DETAILS) });
    }),
  });

/** The bytes that will be replaced. */
const readPrevious = ({ files, root }: Ports, place: Place): Promise<Buffer> => {
  if (place.stat?.isDirectory()) throw refusal(`${showPath(place.path, root)} is a folder, not a file.`);
  return files.read(place, LIMIT, 'To replace it, remove it first with bash.');
};

/** The session may overwrite what it has seen whole, or never looked at with the file tools. */
const complain = async (ports: Ports, place: Place, old: Buffer): Promise<string | undefined> => {
  const stale = await staleness(ports, place, old);
  if (stale !== undefined) return stale;
  const sight = ports.seen.check(place.path, old);
  if (sight.state !== 'partial') return undefined;
  if (sight.hidden) {
    return (
      `${showPath(place.path, ports.root)} holds values that were hidden from you, and they would be lost. Nothing was done. ` +
      'Change a part with edit_file.'
    );
  }
  return (
    `${showPath(place.path, ports.root)} has ${sight.lines} lines and only ${sight.through} of them were read, so the rest ` +
    `would be lost. Nothing was done. Read on with start: ${sight.through + 1}, or change a part with edit_file.`
  );
};

/** The content in the coding and with the line ends of the file that it replaces. */
const shape = (content: string, old: Buffer | undefined) => {
  const was = old && kindOf(old).kind === 'text' ? decode(old) : undefined;
  const coding: Coding =
    was === undefined ? PLAIN : { ...was, ...(was.encoding === 'mixed' ? PLAIN : {}), bom: was.bom };
  const crlf = was !== undefined && isCrlf(was.text) && !content.includes('\r');
  const after = (crlf ? content.replaceAll('\n', '\r\n') : content).toWellFormed();
  const kept = [coding.encoding === 'UTF-8' ? '' : coding.encoding, crlf ? 'CRLF line ends' : ''].filter(Boolean);
  const bytes = encode(after, { ...coding, tail: PLAIN.tail });
  return { bytes, after, note: kept.length > 0 ? `${kept.join(', ')} kept` : '' };
};

const isCrlf = (text: string): boolean => text.includes('\r\n') && !/(^|[^\r])\n/.test(text);

const preview = async (ports: Ports, place: Place, content: string): Promise<string> => {
  if (!place.stat?.isFile() || place.stat.size > COMPARED) return clipPatch(content, DETAILS);
  try {
    const old = await ports.files.read(place, COMPARED, '');
    return clipPatch((await makePatch(decode(old).text, shape(content, old).after)).text, DETAILS);
  } catch (error) {
    return `This can't be written: ${error instanceof Error ? error.message : error}`;
  }
};
