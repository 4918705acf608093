/** A Jupyter notebook as text: cells and the text of their outputs. */
import * as z from 'zod/mini';

const Lines = z.union([z.string(), z.array(z.string())]);
const Notebook = z.object({
  cells: z.array(
    z.object({
      cell_type: z.string(),
      source: Lines,
      outputs: z.optional(
        z.array(
          z.object({
            text: z.optional(Lines),
            data: z.optional(z.record(z.string(), z.unknown())),
            ename: z.optional(z.string()),
            evalue: z.optional(z.string()),
          }),
        ),
      ),
    }),
  ),
});

type Cell = z.infer<typeof Notebook>['cells'][number];
type CellOutput = NonNullable<Cell['outputs']>[number];

/** Undefined where the text is no notebook (nbformat 4): it is then shown as it stands. */
export const renderNotebook = (text: string): string | undefined => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = Notebook.safeParse(json);
  if (!read.success) return undefined;
  return read.data.cells.map((cell, index) => renderCell(cell, index + 1)).join('\n\n');
};

const renderCell = ({ cell_type, source, outputs }: Cell, number: number): string => {
  const shown = (outputs ?? []).map(renderOutput).filter((output) => output !== '');
  return [`[cell ${number}, ${cell_type}]`, join(source), ...shown.map((output) => `[output]\n${output}`)].join('\n');
};

const renderOutput = ({ text, data, ename, evalue }: CellOutput): string => {
  if (ename !== undefined) return `${ename}: ${evalue ?? ''}`;
  if (text !== undefined) return join(text).trimEnd();
  const plain = Lines.safeParse(data?.['text/plain']);
  const other = Object.keys(data ?? {}).filter((type) => type !== 'text/plain' && type !== 'text/html');
  return [plain.success ? join(plain.data) : '', ...other.map((type) => `(${type} left out)`)]
    .filter(Boolean)
    .join('\n');
};

const join = (lines: string | readonly string[]): string => (typeof lines === 'string' ? lines : lines.join(''));
