/** What is on this machine, for a person who asks. */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { findProgram } from './sandbox/find.ts';

/** The first line that `name --version` says; undefined where there is no such program outside of `untrusted`. */
export function versionOf(name: string, path: string, untrusted: readonly string[]): Promise<string | undefined> {
  const program = findProgram(name, path, untrusted);
  return program === undefined ? Promise.resolve(undefined) : askVersion(program);
}

export const askVersion = (program: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: 5000, cwd: '/' }, (error, stdout) =>
      resolve(error ? undefined : stdout.split('\n')[0]?.trim()),
    );
  });

/** The permission bits; undefined where there is nothing. */
export const modeOf = (path: string): number | undefined => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && found.mode & 0o777;
};
