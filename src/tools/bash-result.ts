import type { Output } from '../core/types.ts';
import type { Ended, Run } from '../env/processes/run.ts';
import { text } from './define.ts';

export type Circumstances = {
  readonly root: string;
  /** Where the shell stood at its end. */
  readonly cwd: string;
  /** Seconds. */
  readonly limit: number;
  readonly notes: readonly string[];
};

/** For programs that want a person: the way without one. Told after a failure, by the words of the command. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sudo|doas)\b/, 'no password can be typed here: use sudo -n, or ask the user to run it'],
  [/\b(?:ssh|scp|sftp)\b/, 'no password or host-key question can be answered here: use keys and -o BatchMode=yes'],
  [/(?:^|[;&|(\n])\s*(?:vim?|nano|emacs|pico)\b/, 'no editor can be used here: edit with the file tools or sed'],
  [/(?:^|[;&|(\n])\s*(?:h?top|less|more|watch)\b/, 'no terminal here: use a form that prints once, such as ps or cat'],
];

/** The output, then one note a line, last the exit code. */
export const describeEnd = (run: Run, ended: Ended, { root, cwd, limit, notes }: Circumstances): Output => {
  const lines = [...notes, ...ended.notes];
  if (ended.left.length > 0) lines.push(describeLeft(ended));
  if (cwd !== root) lines.push(`cwd: ${cwd}`);
  if (ended.cause === 'deadline') {
    lines.push(
      `timed out after ${limit} s and was ended with all it had started; for longer work: timeout_seconds or background`,
    );
  }
  if (ended.cause === 'stopped') lines.push('stopped after it had started; what it did until then stays');
  if (ended.cause === 'exit' && ended.code !== 0) lines.push(...hintsFor(run.command));
  const output = run.output.text();
  const details = { exitCode: ended.code, cause: ended.cause, duration: Math.round(ended.duration), cwd };
  const said = [
    ...(output === '' ? [] : [output.replace(/\n$/, '')]),
    ...lines.map((line) => `[${line}]`),
    describeCode(ended),
  ];
  return {
    ...text(said.join('\n'), details),
    ...(ended.code === 0 && ended.cause === 'exit' ? {} : { failed: true }),
    ...(ended.cause === 'stopped' ? { stopped: true } : {}),
  };
};

/** `[exit code: N]`; a death by signal says so, in the shell's numbers. */
export const describeCode = ({ cause, code, signal }: Ended): string => {
  const killed = signal && cause === 'exit' ? `[killed by signal ${code - 128} (${signal})]\n` : '';
  return `${killed}[exit code: ${code}]`;
};

const describeLeft = ({ cause, left }: Ended): string => {
  const pids = `pid ${left.slice(0, 10).join(', ')}`;
  if (cause !== 'exit') return `could not be ended: ${pids}`;
  return `a background process still runs (${pids}), its further output is dropped; it ends with the session or by kill`;
};

const hintsFor = (command: string): readonly string[] =>
  HINTS.filter(([word]) => word.test(command)).map(([, hint]) => `hint: ${hint}`);
