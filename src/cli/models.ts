/** `rein models`: what can be asked, with sizes in tokens and prices in US dollars for a million of them. */
import { createHarness } from '../harness/index.ts';
import type { Environment } from './environment.ts';
import { readWords } from './flags.ts';
import { loadBase } from './load.ts';
import { warn } from './warn.ts';

type Row = {
  readonly name: string;
  readonly usable: boolean;
  readonly window?: number | undefined;
  readonly output?: number | undefined;
  readonly price?: { readonly input: number; readonly output: number } | undefined;
};

export async function runModels(words: readonly string[], environment: Environment): Promise<number> {
  const given = readWords(words, 'rein models [WORD] [--json]', 1, '--json');
  const { models } = createHarness({ ...(await loadBase(given.flags, environment, { warn })), warn });
  const [word = ''] = given.words;
  const rows = models
    .list()
    .filter((name) => name.includes(word))
    .map((name): Row => {
      const { window, output, price } = models.catalog.models[name] ?? {};
      return { name, usable: typeof models.choose(name) !== 'string', window, output, price };
    });
  process.stdout.write(words.includes('--json') ? `${JSON.stringify(rows, null, 2)}\n` : table(rows, models.date));
  return 0;
}

const HEAD = ['', 'model', 'window', 'output', '$ in', '$ out'];

function table(rows: readonly Row[], date: string): string {
  const cells = rows.map(({ name, usable, window, output, price }) => [
    usable ? '✓' : ' ',
    name,
    size(window),
    size(output),
    dollars(price?.input),
    dollars(price?.output),
  ]);
  const widths = HEAD.map((_, column) => Math.max(...[HEAD, ...cells].map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)));
  const lines = [HEAD, ...cells].map((row) => line(row).join('  ').trimEnd());
  return `${lines.join('\n')}\n\n✓ has a key. Any other model of a vendor works by its name, too: vendor/model. Prices and sizes as of ${date}; settings can say otherwise.\n`;
}

const size = (tokens: number | undefined): string =>
  tokens === undefined ? '–' : tokens >= 1e6 ? `${tokens / 1e6}M` : `${Math.round(tokens / 1000)}k`;

const dollars = (price: number | undefined): string => (price === undefined ? '–' : price.toFixed(2));
