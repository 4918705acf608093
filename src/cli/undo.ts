/** `rein undo [--keep | --overwrite]`: takes back what the last prompt of this folder's newest session did. */
import { type Conflicts, createHarness, type Rewound } from '../harness/index.ts';
import type { Environment } from './environment.ts';
import { type Flags, UsageError } from './flags.ts';
import { loadBase } from './load.ts';
import { warn } from './warn.ts';

const USE =
  'rein undo [--keep | --overwrite]: what you changed since by hand is left (--keep) or put back too (--overwrite).';

const CHOICES: Readonly<Record<string, Conflicts>> = { '--keep': 'keep', '--overwrite': 'overwrite' };

export async function runUndo(words: readonly string[], environment: Environment): Promise<number> {
  const conflicts = readWords(words);
  const base = await loadBase({ session: true, outputFormat: 'text' } satisfies Flags, environment, { warn });
  const harness = createHarness({ ...base, warn });
  const found = harness.store.find(base.cwd);
  if (typeof found === 'string') throw new UsageError(found);
  const back = await harness.revisit(found.path);
  if (typeof back === 'string') throw new UsageError(back);
  try {
    return report(await back.history.undo(conflicts));
  } finally {
    await back.close();
  }
}

function readWords(words: readonly string[]): Conflicts {
  const [word, ...more] = words;
  if (word === undefined) return 'ask';
  const choice = CHOICES[word];
  if (!choice || more.length > 0) throw new UsageError(USE);
  return choice;
}

function report(rewound: Rewound | string): number {
  if (typeof rewound === 'string') {
    warn(rewound);
    return 1;
  }
  const { prompt, files, conflicts } = rewound;
  if (conflicts) {
    const paths = conflicts.map(({ path }) => `  ${path}`).join('\n');
    process.stdout.write(
      `You changed these since, or they may be all that is left of something; nothing was done:\n${paths}\n`,
    );
    process.stdout.write('rein undo --keep leaves them, rein undo --overwrite puts them back too (a copy is kept).\n');
    return 1;
  }
  if (prompt) process.stdout.write(`Taken back: ${prompt.text.split('\n')[0]}\n`);
  process.stdout.write(
    files
      ? `${files.restored === 1 ? '1 file is as it was' : `${files.restored} files are as they were`}.\n`
      : 'No files had been changed.\n',
  );
  for (const { path } of files?.kept ?? []) process.stdout.write(`Left as it is: ${path}\n`);
  for (const { path, why } of files?.failed ?? []) process.stdout.write(`Could not be put back: ${path}: ${why}\n`);
  for (const { path, why, lost } of files?.left ?? [])
    process.stdout.write(`${lost ? 'Could not be brought back' : 'Left as it is'}: ${path}: ${why}\n`);
  return files && (files.failed.length > 0 || files.left.some(({ lost }) => lost)) ? 1 : 0;
}
