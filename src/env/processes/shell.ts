import { accessSync, closeSync, constants, openSync, readSync, unlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Limits of one command, for what can be limited without root; absent means the system's own. */
export type Limits = {
  /** Of the user, in all. */
  readonly processes?: number | undefined;
  /** Bytes of address space; programs that reserve much (Node, Go, Java) need gigabytes. */
  readonly memory?: number | undefined;
  /** Bytes of one file. */
  readonly file?: number | undefined;
};

/** The kernel takes 128 KiB for one argument. */
const ARGUMENT = 120_000;

/**
 * How a shell runs a command. The text arrives as an argument (from a file where it is too long) and is evaluated as it
 * is; at its end the shell writes its directory to descriptor 3, which the command itself never sees. A command that
 * replaces the shell (`exec`) or its EXIT trap leaves the directory as it was.
 */
export const shellArgv = (shell: string, command: string, limits: Limits, file: string): readonly string[] => {
  const long = Buffer.byteLength(command) > ARGUMENT;
  if (long) writeFileSync(file, command, { mode: 0o600, flag: 'wx' });
  const evaluate = long ? '. "$1"' : 'eval "shift;$1"';
  const script = `${limitLine(limits)}trap '{ pwd -P || echo "$PWD"; } 2>/dev/null >&3' EXIT; ${evaluate} 3>&-`;
  return [shell, '-c', script, 'bash', long ? file : command];
};

const limitLine = ({ processes, memory, file }: Limits): string =>
  [
    processes === undefined ? '' : `ulimit -u ${processes}; `,
    memory === undefined ? '' : `ulimit -v ${Math.ceil(memory / 1024)}; `,
    file === undefined ? '' : `ulimit -f ${Math.ceil(file / 1024)}; `,
  ].join('');

/** The user's bash, else the system's shell. */
export const findShell = (path: string): string =>
  path
    .split(delimiter)
    .map((folder) => join(folder, 'bash'))
    .find(isExecutable) ?? '/bin/sh';

export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** A file without a name: nobody else can open it, nothing of it stays. */
export const openNote = (path: string): number => {
  const fd = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return fd;
};

export const readNote = (fd: number): string => {
  const bytes = Buffer.alloc(8192);
  const length = readSync(fd, bytes, 0, bytes.length, 0);
  closeSync(fd);
  return bytes.toString('utf8', 0, length).replace(/\n$/, '');
};
