/**
 * Shell lines of the person's own (`!`, `!!`). They run as the person: no rule is asked, no sandbox stands around them, and
 * they see the whole environment. Like the agent's they have no terminal, and none outlives the session.
 */
import { join } from 'node:path';
import { promptsWith } from '../context/index.ts';
import type { User } from '../core/types.ts';
import { makePrivateFolder } from '../env/private-folder.ts';
import { createProcesses, type Processes } from '../env/processes/processes.ts';
import { describeCode } from '../tools/bash-result.ts';
import { follow } from '../tools/follow.ts';
import type { Redactor } from './secrets.ts';
import type { Settings } from './settings.ts';
import { shellLine, toldBy } from './shell-line.ts';

/** `exit` is null where it was stopped. */
export type ShellEnd = { readonly output: string; readonly exit: number | null };

export type ShellLine = {
  readonly command: string;
  readonly signal: AbortSignal;
  /** Takes output as it comes. */
  readonly said: (text: string) => void;
};

export type UserShell = {
  /** How it ended, and what the model may be told of it. Rejects where it could not start. */
  readonly run: (line: ShellLine) => Promise<ShellEnd & { readonly told: User }>;
  readonly close: () => Promise<void>;
  readonly kill: () => void;
};

export type UserShellOptions = {
  readonly cwd: string;
  /** A private folder of the session. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly settings: Settings;
  readonly redactor: Pick<Redactor, 'text'>;
};

export function createUserShell({ cwd, folder, variables, settings, redactor }: UserShellOptions): UserShell {
  let processes: Processes | undefined;
  const never = new AbortController().signal;
  const run: UserShell['run'] = async ({ command, signal, said }) => {
    processes ??= createProcesses({ folder: makePrivateFolder(join(folder, 'shell')), env: variables });
    const started = await processes.start({ command, cwd, signal });
    for await (const event of follow(started, { call: '', signal }, never)) {
      if ('live' in event && event.live === 'progress') said(event.text);
    }
    const ended = await started.ended;
    const output = started.output.text();
    const intro = promptsWith(settings.prompts)['shell-line'];
    const told = toldBy(redactor.text(shellLine(intro, command, output, describeCode(ended))));
    return { output, exit: ended.cause === 'exit' ? ended.code : null, told };
  };
  return { run, close: async () => processes?.close(), kill: () => processes?.kill() };
}
