import * as z from 'zod/mini';
import type { Output, Tool } from '../core/types.ts';
import { decode, type Encoding, kindOf, type Place, SAMPLE } from '../env/files/index.ts';
import { defineTool, failure, text } from './define.ts';
import { imageIn } from './image.ts';
import { renderNotebook } from './notebook.ts';
import { makePage, PAGE_LINES, type PageQuery, splitLines } from './page.ts';
import { type FilePorts, fileRun, locate, mustExist, relocate, showPath } from './paths.ts';
import description from './read_file.md';
import type { Seen } from './seen.ts';

type Ports = FilePorts & { readonly seen: Seen };

const Count = z.optional(z.int().check(z.minimum(1)));
const Input = z.strictObject({ path: z.string(), start: Count, limit: Count, column: Count });

/** Files up to this size are decoded whole; of larger ones only a stretch is ever in memory. */
const WHOLE = 8 << 20;

export const readFile = (ports: Ports): Tool =>
  defineTool({
    name: 'read_file',
    description,
    input: Input,
    access: async ({ path }) => {
      const place = await locate(ports, path, 'read');
      if (typeof place === 'string') return place;
      return { show: `Read ${showPath(place.path, ports.root)}`, reads: [place.path] };
    },
    run: fileRun(async ({ path, start = 1, limit = PAGE_LINES, column = 1 }, { signal }, access) => {
      const place = await relocate(ports, path, 'read', access);
      const shown = showPath(place.path, ports.root);
      mustExist(place, shown);
      const query = { start, limit, column };
      if (place.stat?.isDirectory()) return readFolder(ports, place, query);
      const { sample, size } = await ports.files.peek(place, SAMPLE);
      const kind = kindOf(sample);
      if (kind.kind === 'image') return readImage(ports, place);
      if (kind.kind === 'pdf') return failure(`${shown} is a PDF. Read it with bash: pdftotext -layout FILE -`);
      if (kind.kind === 'binary') {
        return failure(
          `${shown} is binary: ${kind.what}, ${size.toLocaleString('en')} bytes. Look at it with bash (file, strings, xxd).`,
        );
      }
      return size > WHOLE ? readLarge(ports, place, query, signal) : readText(ports, place, query);
    }),
  });

const readFolder = async ({ files, root }: Ports, place: Place, query: PageQuery): Promise<Output> => {
  const lines = await files.list(place);
  const shown = showPath(place.path, root);
  if (lines.length === 0) return text(`[${shown} is an empty folder]`);
  const page = makePage({ lines, first: 1, total: lines.length, ends: true }, query);
  return text(`[${shown} is a folder of ${lines.length}]\n${page.text.replace(/^\d+\t/gm, '')}`);
};

const readImage = async ({ files, root }: Ports, place: Place): Promise<Output> => {
  const shown = showPath(place.path, root);
  const read = imageIn(await files.read(place, 256 << 20, 'Shrink it first.'), shown);
  if (typeof read === 'string') return failure(read);
  return { content: [{ type: 'text', text: `[${shown}: ${read.about}]` }, read.image] };
};

const readText = async ({ files, root, seen }: Ports, place: Place, query: PageQuery): Promise<Output> => {
  const shown = showPath(place.path, root);
  const bytes = await files.read(place, 2 * WHOLE, 'Read it with bash.');
  const decoded = decode(bytes);
  const cells = place.path.endsWith('.ipynb') ? renderNotebook(decoded.text) : undefined;
  const lines = splitLines(cells ?? decoded.text);
  const total = lines.length;
  if (total === 0) {
    seen.read(place.path, { from: 1, to: 0, of: 0, bytes });
    return text(`[${shown} is empty]`);
  }
  if (query.start > total) return failure(`${shown} has only ${lineCount(total)}. Use a smaller start.`);
  const page = makePage({ lines, first: 1, total, ends: true }, query);
  const from = page.whole ? query.start : total + 1;
  // A notebook's cells aren't its bytes, so they never count as the whole file.
  seen.read(place.path, { from, to: page.to, of: cells === undefined ? total : total + 1, bytes });
  const notes = [cells === undefined ? undefined : 'notebook, shown as cells', ...textNotes(decoded)];
  return text(`${notes.map((note) => (note === undefined ? '' : `[${note}]\n`)).join('')}${page.text}`);
};

const readLarge = async (ports: Ports, place: Place, query: PageQuery, signal: AbortSignal): Promise<Output> => {
  const shown = showPath(place.path, ports.root);
  const part = await ports.files.readPart(place, { ...query, signal });
  ports.seen.read(place.path, { from: 2, to: 1, of: Number.POSITIVE_INFINITY });
  if (part.text === undefined) return failure(`${shown} has only ${lineCount(part.lines)}. Use a smaller start.`);
  const { start, column } = query;
  const lines = splitLines(part.text);
  const source = { lines, first: start, total: undefined, ends: part.ends, skipped: column - 1 };
  const page = makePage(source, query);
  return text(
    `${textNotes(part)
      .map((note) => `[${note}]\n`)
      .join('')}${page.text}`,
  );
};

const lineCount = (lines: number): string => (lines === 1 ? '1 line' : `${lines} lines`);

/** What can't be seen in the text and matters when it is edited. */
const textNotes = ({ encoding, text: content }: { readonly encoding: Encoding; readonly text: string }): string[] => {
  const crlf = content.split('\r\n').length - 1;
  const lf = content.split('\n').length - 1 - crlf;
  const notes: string[] = [];
  if (encoding === 'mixed') notes.push('some bytes are not UTF-8 and shown as �; edits elsewhere keep them');
  else if (encoding !== 'UTF-8') notes.push(`${encoding}; edits keep it`);
  if (crlf > 0)
    notes.push(lf > 0 ? 'mixed line ends, CRLF and LF; edits keep them' : 'CRLF line ends; edits keep them');
  return notes;
};
