import { join } from 'node:path';

export type Subject = {
  readonly name: string;
  /** The flags of the run, as they are printed. */
  readonly flags: string;
  readonly command: readonly string[];
};

const PROMPT = 'Do what the benchmark asks for.';

/** The floor, rein bare (nothing between the model and the shell), and rein as it comes. */
export const listSubjects = (root: string, cli: string): readonly Subject[] => [
  subject('floor', ['-p'], join(root, 'bench/floor.mjs')),
  subject('rein, bare', ['--yolo', '--set', 'undo=off', '--sandbox', 'off', '--max-turns', '1000', '-p'], cli),
  subject('rein, defaults', ['--allowed-tools', 'bash', '--max-turns', '1000', '-p'], cli),
];

const subject = (name: string, flags: readonly string[], program: string): Subject => ({
  name,
  flags: flags.join(' '),
  command: [process.execPath, program, ...flags, PROMPT],
});
